/// One file in an archive.
public struct ArchiveEntry: Sendable, Hashable {
  /// Its name: relative and normalized, with `/` between folders, checked by the rules for untrusted names.
  public let path: String
  /// Its size in bytes; nil where the archive gives it only after the content.
  public let size: Int?

  /// Creates an entry.
  public init(path: String, size: Int?) {
    self.path = path
    self.size = size
  }
}
