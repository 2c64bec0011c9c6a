/// A file in an archive.
public struct ArchiveEntry: Sendable, Hashable {
  /// The path of the file: relative and normalized, with `/` between folders, and checked by the rules for untrusted
  /// names.
  public let path: String
  /// The size in bytes; nil if the archive states the size only after the content.
  public let size: Int?

  /// Creates an entry.
  public init(path: String, size: Int?) {
    self.path = path
    self.size = size
  }
}
