import Content

/// The data of a publication without its document.
public struct PublicationHead: Sendable, Equatable {
  /// The registry's own id.
  public var id: RegistryID
  /// The owner; nil when the account was deleted.
  public var userID: RegistryID?
  /// The owner's name when the item was published or last changed; it is kept if the account is deleted and forks
  /// remain.
  public var authorUsername: String?
  /// The title.
  public var title: String
  /// The description.
  public var description: String?
  /// The type.
  public var contentType: ContentType
  /// The tags, in the author's order.
  public var tags: [String]
  /// The language, a BCP 47 tag.
  public var language: String
  /// The slug, compared byte by byte.
  public var publicID: String
  /// Whether others may make their own copies.
  public var canFork: Bool
  /// The item that this one is a copy of.
  public var forkedFromID: RegistryID?
  /// For a copy, the name of the original's author: from the first item of the lineage, or, where the link to the
  /// original was dropped, the name that the copy's publisher gave. Nil for an original, or if unknown.
  public var originalAuthorUsername: String?
  /// The account of the original's author; nil when the account was deleted or the link was dropped.
  public var originalAuthorUserID: RegistryID?
  /// The slug of the original; nil when the original is no longer public or the link was dropped.
  public var originalPublicID: String?
  /// The item's position in its lineage: 1 for an original, 2 for a copy of an original.
  public var chainDepth: Int64
  /// The number of views.
  public var viewCount: Int64
  /// The number of copies.
  public var forkCount: Int64
  /// When the item was published.
  public var createdAt: Timestamp
  /// When the owner last changed the item.
  public var updatedAt: Timestamp
  /// When the item was unpublished; nil while it is public. An unpublished item answers 404 and keeps its slug.
  public var deletedAt: Timestamp?
  /// The `PublicationDigest`, 32 bytes; the strong entity tag is made from it.
  public var digest: [UInt8]

  /// Creates an instance from its members.
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
