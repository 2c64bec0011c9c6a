import Content

/// A request to change what is published: members that were left out are nil and stay as they are.
///
/// Source: the registry's documents, `PUT /content/{public_id}`.
public struct PublishChange: Sendable, Equatable {
  /// The new title.
  public var title: String?
  /// The new description; `.some(nil)` takes it away.
  public var description: String??
  /// The new type, long form. Given without `contentData` it must be the type that the item has.
  public var contentType: ContentType?
  /// The new document, canonical as in `PublishRequest.contentData`.
  public var contentData: [UInt8]?
  /// The new tags.
  public var tags: [String]?
  /// The new language.
  public var language: String?

  /// A change of nothing.
  public init() {}
}
