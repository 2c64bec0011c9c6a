/// The collection that a source belongs to, where a source may be a part of something larger: a note of a vault.
///
/// An import remembers what came from a collection, so that the whole and its parts are known to be the same.
public struct SourceHome: Sendable, Hashable {
  /// What the collection is called; the same wherever it lies, when it says so itself.
  public let name: String
  /// The folder that it is, as an absolute path.
  public let folder: String
  /// The source's path in it; `.` for all of it.
  public let path: String

  /// What the collection is.
  public let kind: SourceKind

  /// Names a source's place.
  public init(name: String, folder: String, path: String, kind: SourceKind = .files) {
    self.name = name
    self.folder = folder
    self.path = path
    self.kind = kind
  }
}

/// What an import remembers the files of a source by.
public enum SourceKind: Sendable, Hashable {
  /// A folder of files, which can be renamed and moved.
  case files
  /// A content pack: its versions follow one another, whatever their files are called.
  case pack
  /// A registry, whose records are known by their ids alone.
  case registry
}
