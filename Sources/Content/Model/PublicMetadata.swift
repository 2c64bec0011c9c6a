/// What the app knows about a publication.
///
/// The format carries these values whatever their type; one that does not fit its property (an ISO text as
/// `publishedAt`) is kept in `extras` under its name, and the property is nil.
/// - Source: formats/json-bundle.md, "item"; the app shows no publication unless the first four are there
public struct PublicMetadata: Equatable, Sendable {
  /// When it was published, in seconds since 2001-01-01 00:00:00 UTC.
  public var publishedAt: Double?
  /// The id in the public address.
  public var publicID: String?
  /// Whether others may make a version of their own.
  public var canFork: Bool?
  /// The author's name as readers see it.
  public var authorUsername: String?
  /// The author's UUID.
  public var authorUserID: String?
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes public metadata of what is known.
  public init(
    publishedAt: Double? = nil, publicID: String? = nil, canFork: Bool? = nil, authorUsername: String? = nil,
    authorUserID: String? = nil, extras: [ExtraMember] = []
  ) {
    self.publishedAt = publishedAt
    self.publicID = publicID
    self.canFork = canFork
    self.authorUsername = authorUsername
    self.authorUserID = authorUserID
    self.extras = extras
  }
}

extension PublicMetadata: ModelObject {
  init() { self.init(extras: []) }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.member("publishedAt", &publishedAt)
    try visitor.member("publicID", &publicID)
    try visitor.member("canFork", &canFork)
    try visitor.member("authorUsername", &authorUsername)
    try visitor.member("authorUserId", &authorUserID)
    try visitor.extras(&extras)
  }
}
