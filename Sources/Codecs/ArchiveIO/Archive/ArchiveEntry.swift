/// One file in an archive.
public struct ArchiveEntry: Sendable, Hashable {
  /// Its name: relative, normalised, `/` between folders, checked by the rules of untrusted names.
  public let path: String
  /// How many bytes it has; nil where the archive says it only behind them.
  public let size: Int?

  /// Names an entry.
  public init(path: String, size: Int?) {
    self.path = path
    self.size = size
  }
}
