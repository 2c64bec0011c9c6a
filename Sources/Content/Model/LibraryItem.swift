/// A checklist, practice guide or flashcard deck with its envelope.
///
/// The envelope is the app's `library_content` row, all of it; the document inside has a title, tags and
/// times of its own. Neither follows the other when one is changed.
/// - Source: formats/json-bundle.md, "item"
public struct LibraryItem: Equatable, Sendable {
  /// UUID in upper case; while empty, one is derived from the title when the item is written.
  public var id: String
  /// What the item is; its content, when there is some, must be of this type.
  public var contentType: ContentType
  /// The title that lists show.
  public var title: String
  /// More about the item.
  public var description: String?
  /// Words to find it by.
  public var tags: [String]
  /// Language code, `en`.
  public var language: String
  /// One of `Visibility` or a word that the app adds later.
  public var visibility: String
  /// One of `SyncStatus` or a word that the app adds later.
  public var syncStatus: String
  /// UUID of who made it.
  public var creatorID: String?
  /// UUID of the item that this one was made from.
  public var forkedFromID: String?
  /// How many versions others made of it.
  public var forkCount: Int
  /// Name of the author of the original.
  public var originalAuthorUsername: String?
  /// UUID of the author of the original.
  public var originalAuthorUserID: String?
  /// Public id of the original.
  public var originalContentPublicID: String?
  /// Mean of the ratings.
  public var ratingAverage: Double?
  /// How many ratings there are.
  public var ratingCount: Int
  /// Whether it stands on the home screen.
  public var isPinned: Bool
  /// Its place there.
  public var pinnedOrder: Int?
  /// When it was made.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// When it was published.
  public var publishedAt: Timestamp?
  /// The id in the public address.
  public var publicID: String?
  /// What the app knows about the publication.
  public var publicMetadata: PublicMetadata?
  /// The document; nil for an item that is listed and cannot be opened.
  public var content: ItemContent?
  /// Members that have no property, the record's `extras` object among them.
  public var extras: [ExtraMember]

  /// Makes an item; everything but id, type and title may be left out.
  public init(
    id: String, contentType: ContentType, title: String, description: String? = nil, tags: [String] = [],
    language: String = "en", visibility: String = Visibility.private, syncStatus: String = SyncStatus.pending,
    creatorID: String? = nil, forkedFromID: String? = nil, forkCount: Int = 0,
    originalAuthorUsername: String? = nil, originalAuthorUserID: String? = nil,
    originalContentPublicID: String? = nil, ratingAverage: Double? = nil, ratingCount: Int = 0,
    isPinned: Bool = false, pinnedOrder: Int? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
    publishedAt: Timestamp? = nil, publicID: String? = nil, publicMetadata: PublicMetadata? = nil,
    content: ItemContent? = nil, extras: [ExtraMember] = []
  ) {
    self.id = id
    self.contentType = contentType
    self.title = title
    self.description = description
    self.tags = tags
    self.language = language
    self.visibility = visibility
    self.syncStatus = syncStatus
    self.creatorID = creatorID
    self.forkedFromID = forkedFromID
    self.forkCount = forkCount
    self.originalAuthorUsername = originalAuthorUsername
    self.originalAuthorUserID = originalAuthorUserID
    self.originalContentPublicID = originalContentPublicID
    self.ratingAverage = ratingAverage
    self.ratingCount = ratingCount
    self.isPinned = isPinned
    self.pinnedOrder = pinnedOrder
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.publishedAt = publishedAt
    self.publicID = publicID
    self.publicMetadata = publicMetadata
    self.content = content
    self.extras = extras
  }

  /// Makes an item whose envelope says what its document says: id, title, description, tags, maker, times,
  /// status.
  public init(_ content: ItemContent) {
    let document = content.document
    self.init(
      id: document.id, contentType: content.contentType, title: document.title,
      description: document.description, tags: document.tags, syncStatus: document.syncStatus,
      creatorID: document.creatorID, createdAt: document.createdAt, updatedAt: document.updatedAt,
      content: content)
  }
}
