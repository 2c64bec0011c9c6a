import JSONText

/// A record that could not be used: its own bytes and the findings that say why.
package struct RejectedRecord: Sendable {
  package let kind: RecordKind
  /// What stands in the rejects file, byte for byte as in the source.
  package let bytes: [UInt8]
  package let place: String
  package let reasons: [RejectReason]
  /// Line and column where the record begins; nil where a source has none.
  package let position: TextPosition?
  /// Which file of a source of many files it comes from, as its locator counts them; 0 where there is one.
  package let file: Int32
  /// How many rows of a table it is: 1 for a row that is no record of its own, more for a record made of rows; 0 where
  /// records are no rows.
  package let rows: Int32
  /// Whether it is a row of a record that the source has without it; not counted as a record then.
  package let isPart: Bool
  /// The table of a row, whose file of rejects it goes into; nil for what is no row.
  package let table: RejectTable?
  /// Where the step of a row belongs: behind the last one of its checklist that was accepted.
  package let after: StepAnchor
  /// What the row leaves to the rows above it, by column: they are not there when it is read again.
  package let above: [String: String]
  /// The record's id, where it was read and could not be written; empty otherwise.
  package var id = ""

  /// About how many bytes it takes: its own, its reasons, and what it leaves to the rows above it.
  package var size: Int {
    reasons.reduce(bytes.count) { $0 + $1.message.utf8.count } + above.reduce(0) { $0 + $1.value.utf8.count }
  }

  package init(
    kind: RecordKind, bytes: [UInt8], place: String, reasons: [RejectReason], position: TextPosition? = nil,
    file: Int32 = 0, rows: Int32 = 0, isPart: Bool = false,
    table: RejectTable? = nil, after: StepAnchor = .unknown, above: [String: String] = [:]
  ) {
    self.above = above
    self.table = table
    self.after = after
    self.rows = rows
    self.isPart = isPart
    self.position = position
    self.file = file
    self.kind = kind
    self.bytes = bytes
    self.place = place
    self.reasons = reasons
  }

  /// A record that was read and cannot be used: its rows where it was made of rows, else as its source wrote it.
  package init(_ record: Record, place: String, reasons: [RejectReason]) {
    let slot = record.slot
    let rows = slot.rows > 0 ? record.originalRows : nil
    let source = record.sourceBytes
    self.init(
      kind: slot.kind, bytes: rows?.bytes ?? (source.isEmpty ? record.bytes : Array(source)), place: place,
      reasons: reasons, rows: slot.rows, table: rows?.table)
    id = record.id
  }
}

/// Why a record was rejected.
package struct RejectReason: Sendable {
  package let code: String
  package let message: String
  package let place: String

  package init(code: String, message: String, place: String) {
    self.code = code
    self.message = message
    self.place = place
  }
}

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
