/// A query for public items, newest first.
public struct PublicQuery: Sendable, Equatable {
  /// The type in the long form; nil for all types.
  public var contentType: String?
  /// The tags, all of which an item must have, compared without regard to ASCII case.
  public var tags: [String] = []
  /// The language of the items, or its first subtag: `pt` finds `pt-BR`.
  public var language: String?
  /// The search words, all of which must occur. The last one may be the beginning of a word.
  public var text: String?
  /// The maximum number of items, 1 to 100.
  public var limit = 100
  /// The number of items to skip; 0 with a cursor.
  public var offset = 0
  /// The position after which the page begins; nil for the first page.
  public var after: PagePosition?

  /// Creates a query for all items, 100 at a time.
  public init() {}
}
