import Content

/// An entry of a pack's index: an item and the file that holds it.
public struct PackItem: Sendable, Hashable {
  /// The item's id, a UUID in upper case.
  public var id: String
  /// The type of the item.
  public var contentType: ContentType
  /// The item's title.
  public var title: String
  /// The item's language as a BCP 47 tag; nil if the index does not give it.
  public var language: String?
  /// The path of the file below `data/`: `checklists/leaving-the-berth.json`.
  public var path: String
  /// SHA-256 of the file's bytes in lower-case hexadecimal digits.
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
  /// The version.
  public var version: SemanticVersion
  /// SHA-256 of the pack's file in lower-case hexadecimal digits.
  public var sha256: String

  /// Creates the entry of an earlier version.
  public init(version: SemanticVersion, sha256: String) {
    self.version = version
    self.sha256 = sha256
  }
}
