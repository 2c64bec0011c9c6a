import Content

/// What a registry holds of the publication that a change is for: what the change's document may leave unsaid.
public struct PublishedItem: Sendable, Equatable {
  /// The type that it has.
  public var contentType: ContentType
  /// Its slug; a document without an id gets one that is derived from it.
  public var publicID: String
  /// Its title.
  public var title: String
  /// Its description, if it has one.
  public var description: String?
  /// Its tags.
  public var tags: [String]
  /// When it was published; a document that says no time of its own gets this one. Nil: the time of the change.
  public var createdAt: Timestamp?
  /// Whether others may make a copy; a change that says otherwise is refused. Nil: not looked at.
  public var canFork: Bool?
  /// The id of its document; a document that says none keeps it. Nil: derived from the slug.
  public var documentID: String?
  /// When its document was made, which is kept in the same way. Nil: as `createdAt`.
  public var documentCreatedAt: Timestamp?

  /// Makes it of its parts; nothing is checked.
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
