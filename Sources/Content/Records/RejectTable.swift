/// The table that rejected rows came from: they go into a file of their own that begins with its header.
public final class RejectTable: Sendable {
  /// The ending of the file, `csv` or `tsv`.
  public let fileExtension: String
  /// What stands before the first row, byte for byte: a byte order mark, the header, its line end.
  public let header: [UInt8]
  /// The line end between rows.
  public let lineEnd: [UInt8]
  /// What reading the rows again needs to know, as one JSON object: source, path, sheet, options.
  public let origin: String

  /// Describes a table.
  public init(fileExtension: String, header: [UInt8], lineEnd: [UInt8], origin: String) {
    self.fileExtension = fileExtension
    self.header = header
    self.lineEnd = lineEnd
    self.origin = origin
  }

  /// Whether rows of both can stand in one file.
  package func isSame(as other: RejectTable) -> Bool {
    self === other
      || fileExtension.utf8.elementsEqual(other.fileExtension.utf8) && origin.utf8.elementsEqual(other.origin.utf8)
        && header == other.header && lineEnd == other.lineEnd
  }
}
