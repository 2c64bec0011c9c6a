import Content

/// An entry in a pack's index: an item and its file.
public struct PackItem: Sendable, Hashable {
  /// The item's id, a UUID in upper case.
  public var id: String
  /// The item's content type.
  public var contentType: ContentType
  /// The item's title.
  public var title: String
  /// The item's language as a BCP 47 tag; nil if the index does not specify it.
  public var language: String?
  /// The file's path relative to `data/`, such as `checklists/leaving-the-berth.json`.
  public var path: String
  /// The SHA-256 of the file, in lower-case hexadecimal digits.
  public var sha256: String

  /// Creates an entry.
  public init(
    id: String, contentType: ContentType, title: String, language: String? = nil, path: String, sha256: String
  ) {
    self.id = id
    self.contentType = contentType
    self.title = title
    self.language = language
    self.path = path
    self.sha256 = sha256
  }
}

/// An earlier version of a pack.
public struct PackPrevious: Sendable, Hashable {
  /// The version number.
  public var version: SemanticVersion
  /// The SHA-256 of the pack's file, in lower-case hexadecimal digits.
  public var sha256: String

  /// Creates an entry.
  public init(version: SemanticVersion, sha256: String) {
    self.version = version
    self.sha256 = sha256
  }
}
