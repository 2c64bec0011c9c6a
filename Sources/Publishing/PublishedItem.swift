import Content

/// The data of a stored publication that completes a change: the values that the changed document may leave out.
public struct PublishedItem: Sendable, Equatable {
  /// The item's type.
  public var contentType: ContentType
  /// The item's slug; a document without an id gets an id derived from the slug.
  public var publicID: String
  /// The item's title.
  public var title: String
  /// The item's description, if it has one.
  public var description: String?
  /// The item's tags.
  public var tags: [String]
  /// When the item was published; used for a document without its own time. Nil means the time of the change.
  public var createdAt: Timestamp?
  /// Whether others may make a copy; a change to another value is refused. Nil means that this is not checked.
  public var canFork: Bool?
  /// The id of the item's document; a document without an id keeps it. Nil means an id derived from the slug.
  public var documentID: String?
  /// When the item's document was created; a document without this time keeps it. Nil means the value of `createdAt`.
  public var documentCreatedAt: Timestamp?

  /// Creates an item from its parts without checking them.
  public init(
    contentType: ContentType, publicID: String, title: String, description: String? = nil, tags: [String] = [],
    createdAt: Timestamp? = nil, canFork: Bool? = nil, documentID: String? = nil, documentCreatedAt: Timestamp? = nil
  ) {
    self.contentType = contentType
    self.publicID = publicID
    self.title = title
    self.description = description
    self.tags = tags
    self.createdAt = createdAt
    self.canFork = canFork
    self.documentID = documentID
    self.documentCreatedAt = documentCreatedAt
  }
}
