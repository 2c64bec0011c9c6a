import Content

/// A request to change a publication: missing members are nil and stay unchanged.
///
/// Source: the registry's documents, `PUT /content/{public_id}`.
public struct PublishChange: Sendable, Equatable {
  /// The new title.
  public var title: String?
  /// The new description; `.some(nil)` removes it.
  public var description: String??
  /// The new type in the long form. Without `contentData`, it must be the item's current type.
  public var contentType: ContentType?
  /// The new document, in the canonical form of `PublishRequest.contentData`.
  public var contentData: [UInt8]?
  /// The new tags.
  public var tags: [String]?
  /// The new language.
  public var language: String?

  /// Makes an empty change.
  public init() {}
}
