import Content

/// The data of a publication without its document.
public struct PublicationHead: Sendable, Equatable {
  /// The registry's own id.
  public var id: RegistryID
  /// The owner; nil when the account was deleted.
  public var userID: RegistryID?
  /// The owner's name at the time when the item was published or last changed; kept if the account is deleted and forks
  /// remain.
  public var authorUsername: String?
  /// The title.
  public var title: String
  /// The description.
  public var description: String?
  /// The type.
  public var contentType: ContentType
  /// Tags, in the author's order.
  public var tags: [String]
  /// A BCP 47 tag.
  public var language: String
  /// The slug, compared byte by byte.
  public var publicID: String
  /// Whether others may make copies of their own.
  public var canFork: Bool
  /// The item that it is a copy of.
  public var forkedFromID: RegistryID?
  /// The name of the original's author, for a copy: from the first item of its lineage, or as the copy's publisher
  /// named them where the link to the original was dropped. Nil for an original, or if unknown.
  public var originalAuthorUsername: String?
  /// The account of the original's author; nil when it was deleted or the link was dropped.
  public var originalAuthorUserID: RegistryID?
  /// The slug of the original; nil when it is not public any more or the link was dropped.
  public var originalPublicID: String?
  /// Its place in its lineage: 1 for an original, 2 for a copy of one.
  public var chainDepth: Int64
  /// The number of views.
  public var viewCount: Int64
  /// The number of copies.
  public var forkCount: Int64
  /// When it was published.
  public var createdAt: Timestamp
  /// When its owner last changed it.
  public var updatedAt: Timestamp
  /// When it was unpublished; such items answer 404, and keep their slug.
  public var deletedAt: Timestamp?
  /// `PublicationDigest`, 32 bytes: the strong entity tag is made from it.
  public var digest: [UInt8]

  /// Makes it from its parts.
  public init(
    id: RegistryID, userID: RegistryID?, authorUsername: String?, title: String, description: String?,
    contentType: ContentType, tags: [String], language: String, publicID: String, canFork: Bool,
    forkedFromID: RegistryID?, originalAuthorUsername: String? = nil, originalAuthorUserID: RegistryID? = nil,
    originalPublicID: String? = nil, chainDepth: Int64 = 1, viewCount: Int64, forkCount: Int64,
    createdAt: Timestamp, updatedAt: Timestamp, deletedAt: Timestamp?, digest: [UInt8]
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
    self.originalAuthorUsername = originalAuthorUsername
    self.originalAuthorUserID = originalAuthorUserID
    self.originalPublicID = originalPublicID
    self.chainDepth = chainDepth
    self.viewCount = viewCount
    self.forkCount = forkCount
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.deletedAt = deletedAt
    self.digest = digest
  }
}
