/// What somebody looks for among everything that is published, newest first.
public struct PublicQuery: Sendable, Equatable {
  /// A type in the long form.
  public var contentType: String?
  /// All of them must be there, compared without regard to case in ASCII.
  public var tags: [String] = []
  /// A language as it was published, or its first subtag: `pt` finds `pt-BR`.
  public var language: String?
  /// Words; all must occur, the last one may be a beginning.
  public var text: String?
  /// 1 to 100.
  public var limit = 100
  /// How many to pass over; with a cursor, 0.
  public var offset = 0
  /// Continue behind this one.
  public var after: PagePosition?

  /// Everything, 100 at a time.
  public init() {}
}
