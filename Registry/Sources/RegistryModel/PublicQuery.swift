/// A query of the public items, newest first.
public struct PublicQuery: Sendable, Equatable {
  /// A type in the long form.
  public var contentType: String?
  /// Items must have all of them, compared without regard to case in ASCII.
  public var tags: [String] = []
  /// The language of an item, or its first subtag: `pt` finds `pt-BR`.
  public var language: String?
  /// Words; all must occur, the last one may be the beginning of a word.
  public var text: String?
  /// 1 to 100.
  public var limit = 100
  /// The number of items to skip; with a cursor, 0.
  public var offset = 0
  /// Continue after this position.
  public var after: PagePosition?

  /// All items, 100 at a time.
  public init() {}
}
