import Content

/// What is known of a publication without its document.
public struct ContentHead: Sendable, Equatable {
  public var id: RegistryID
  /// The owner; nil when the account was deleted.
  public var userID: RegistryID?
  /// The owner's name as it was when the item was published or last changed; kept when the account goes and forks stay.
  public var authorUsername: String?
  public var title: String
  public var description: String?
  public var contentType: ContentType
  public var tags: [String]
  public var language: String
  public var publicID: String
  public var canFork: Bool
  public var forkedFromID: RegistryID?
  public var viewCount: Int64
  public var forkCount: Int64
  public var createdAt: Timestamp
  public var updatedAt: Timestamp
  /// When it was unpublished; such items answer 404, and keep their slug.
  public var deletedAt: Timestamp?
  /// `PublicationDigest`, 32 bytes: the strong entity tag is made of it.
  public var digest: [UInt8]

  public init(
    id: RegistryID, userID: RegistryID?, authorUsername: String?, title: String, description: String?,
    contentType: ContentType, tags: [String], language: String, publicID: String, canFork: Bool,
    forkedFromID: RegistryID?, viewCount: Int64, forkCount: Int64, createdAt: Timestamp, updatedAt: Timestamp,
    deletedAt: Timestamp?, digest: [UInt8]
  ) {
    self.id = id
    self.userID = userID
    self.authorUsername = authorUsername
    self.title = title
    self.description = description
    self.contentType = contentType
    self.tags = tags
    self.language = language
    self.publicID = publicID
    self.canFork = canFork
    self.forkedFromID = forkedFromID
    self.viewCount = viewCount
    self.forkCount = forkCount
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.deletedAt = deletedAt
    self.digest = digest
  }
}
