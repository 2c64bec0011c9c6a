import Content

/// The data of a stored publication that completes a change: the values that the change's document may leave out.
public struct PublishedItem: Sendable, Equatable {
  /// Its type.
  public var contentType: ContentType
  /// Its slug; a document without an id gets one derived from it.
  public var publicID: String
  /// Its title.
  public var title: String
  /// Its description, if it has one.
  public var description: String?
  /// Its tags.
  public var tags: [String]
  /// When it was published; used for a document without its own time. Nil: the time of the change.
  public var createdAt: Timestamp?
  /// Whether others may make a copy; a change to another value is refused. Nil: not checked.
  public var canFork: Bool?
  /// The id of its document; a document without an id keeps it. Nil: derived from the slug.
  public var documentID: String?
  /// When its document was created, kept in the same way. Nil: the value of `createdAt`.
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
