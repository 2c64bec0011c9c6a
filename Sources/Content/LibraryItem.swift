import JSONText

/// The content type of an item, as in `content_type`.
public enum ContentType: String, Encodable, Sendable, CaseIterable {
  case checklist
  case practiceGuide = "practice_guide"
  case flashcardDeck = "flashcard_deck"
}

/// A checklist, practice guide or flashcard deck with its envelope.
///
/// The envelope holds all values of the app's `library_content` row. The document inside has its own title, tags and
/// times. Changing one does not change the other.
/// - Source: formats/json-bundle.md, "item"
public struct LibraryItem: Equatable, Sendable {
  /// UUID in upper case; while empty, one is derived from the title when the item is written.
  public var id: String
  /// The content type. The content, if there is any, must be of this type.
  public var contentType: ContentType
  /// The title that lists show.
  public var title: String
  /// A longer description of the item.
  public var description: String?
  /// Keywords for searching.
  public var tags: [String]
  /// Language code, such as `en`.
  public var language: String
  /// One of `Visibility` or a word that the app adds later.
  public var visibility: String
  /// One of `SyncStatus` or a word that the app adds later.
  public var syncStatus: String
  /// UUID of the creator.
  public var creatorID: String?
  /// UUID of the item that this one was forked from.
  public var forkedFromID: String?
  /// The number of forks that other people made.
  public var forkCount: Int
  /// Name of the author of the original.
  public var originalAuthorUsername: String?
  /// UUID of the author of the original.
  public var originalAuthorUserID: String?
  /// Public id of the original.
  public var originalContentPublicID: String?
  /// Mean of the ratings.
  public var ratingAverage: Double?
  /// The number of ratings.
  public var ratingCount: Int
  /// Whether the item is on the home screen.
  public var isPinned: Bool
  /// The item's position on the home screen.
  public var pinnedOrder: Int?
  /// When it was made.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// When it was published.
  public var publishedAt: Timestamp?
  /// The id in the public address.
  public var publicID: String?
  /// The app's record of the publication.
  public var publicMetadata: PublicMetadata?
  /// The document; nil for an item that is listed but cannot be opened.
  public var content: ItemContent?
  /// Members that have no property, including the record's `extras` object.
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

  /// Makes an item whose envelope has the values of its document: id, title, description, tags, creator, times and
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

extension LibraryItem: ModelObject {
  init() { self.init(id: "", contentType: .checklist, title: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.id("id", &id)
    try visitType(&visitor)
    try visitor.member("title", &title)
    try visitor.member("description", &description)
    try visitor.member("tags", &tags)
    try visitor.member("language", &language)
    try visitor.member("visibility", &visibility)
    try visitor.member("sync_status", &syncStatus)
    try visitor.member("creator_id", &creatorID)
    try visitor.member("forked_from_id", &forkedFromID)
    try visitor.member("fork_count", &forkCount)
    try visitor.member("original_author_username", &originalAuthorUsername)
    try visitor.member("original_author_user_id", &originalAuthorUserID)
    try visitor.member("original_content_public_id", &originalContentPublicID)
    try visitor.member("rating_average", &ratingAverage)
    try visitor.member("rating_count", &ratingCount)
    try visitor.member("is_pinned", &isPinned)
    try visitor.member("pinned_order", &pinnedOrder)
    try visitor.member("created_at", &createdAt)
    try visitor.member("updated_at", &updatedAt)
    try visitor.member("published_at", &publishedAt)
    try visitor.member("public_id", &publicID)
    try visitor.object("public_metadata", &publicMetadata, blank: PublicMetadata(), shape: nil)
    // Must be the last of the known members, because a document inherits the envelope's values.
    try visitContent(&visitor)
    try visitor.extras(&extras)
  }

  private mutating func visitType<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor
  ) throws(ModelError) {
    var word = contentType.rawValue
    try visitor.member("content_type", &word)
    guard let type = ContentType(rawValue: Canonicalizer.longForm(word)) else {
      throw ModelError(
        pointer: JSONPointer([.member("content_type")]),
        expected: ContentType.allCases.map(\.rawValue).joined(separator: ", "))
    }
    contentType = type
  }

  private mutating func visitContent<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor
  ) throws(ModelError) {
    if let content, content.contentType != contentType {
      throw ModelError(
        pointer: JSONPointer([.member(Self.document)]),
        expected: "a document of type \(contentType.rawValue)")
    }
    let shape = Shapes.document(contentType)
    switch contentType {
    case .checklist:
      var document = content?.checklist
      try visitor.object(Self.document, &document, blank: Checklist(inheriting: self), shape: shape)
      content = document.map(ItemContent.checklist)
    case .practiceGuide:
      var document = content?.practiceGuide
      try visitor.object(Self.document, &document, blank: PracticeGuide(inheriting: self), shape: shape)
      content = document.map(ItemContent.practiceGuide)
    case .flashcardDeck:
      var document = content?.flashcardDeck
      try visitor.object(Self.document, &document, blank: FlashcardDeck(inheriting: self), shape: shape)
      content = document.map(ItemContent.flashcardDeck)
    }
  }

  private static let document = "content_data"
}

/// The app's record of a publication.
///
/// The format allows these values to have any type. A value that does not fit its property (such as an ISO 8601 string
/// for `publishedAt`) is kept in `extras` under its name, and the property is nil.
/// - Source: formats/json-bundle.md, "item"; the app shows no publication unless the first four members exist
public struct PublicMetadata: Equatable, Sendable {
  /// When it was published, in seconds since 2001-01-01 00:00:00 UTC.
  public var publishedAt: Double?
  /// The id in the public address.
  public var publicID: String?
  /// Whether other people may fork the publication.
  public var canFork: Bool?
  /// The author's name as readers see it.
  public var authorUsername: String?
  /// The author's UUID.
  public var authorUserID: String?
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes public metadata from known values.
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

/// The document of an item, by content type.
public enum ItemContent: Equatable, Sendable {
  case checklist(Checklist)
  case practiceGuide(PracticeGuide)
  case flashcardDeck(FlashcardDeck)

  /// The content type of an item with this document.
  public var contentType: ContentType {
    switch self {
    case .checklist: .checklist
    case .practiceGuide: .practiceGuide
    case .flashcardDeck: .flashcardDeck
    }
  }

  /// The checklist, nil for other documents.
  public var checklist: Checklist? {
    if case .checklist(let document) = self { document } else { nil }
  }

  /// The practice guide, nil for other documents.
  public var practiceGuide: PracticeGuide? {
    if case .practiceGuide(let document) = self { document } else { nil }
  }

  /// The flashcard deck, nil for other documents.
  public var flashcardDeck: FlashcardDeck? {
    if case .flashcardDeck(let document) = self { document } else { nil }
  }

  /// The common interface of all documents.
  var document: any ItemDocument {
    switch self {
    case .checklist(let document): document
    case .practiceGuide(let document): document
    case .flashcardDeck(let document): document
    }
  }
}

/// The common members of documents of all three content types: title, tags and times.
///
/// The app stores these members in addition to the envelope's. Their values may differ, and both are kept.
protocol ItemDocument: ModelObject {
  var id: String { get set }
  var title: String { get set }
  var description: String? { get set }
  var tags: [String] { get set }
  var creatorID: String? { get set }
  var createdAt: Timestamp? { get set }
  var updatedAt: Timestamp? { get set }
  var syncStatus: String { get set }
}

extension ItemDocument {
  /// Makes an empty document with its item's values, like a document that lacks these members.
  init(inheriting item: LibraryItem) {
    self.init()
    id = item.id
    title = item.title
    description = item.description
    tags = item.tags
    createdAt = item.createdAt
    updatedAt = item.updatedAt
    syncStatus = item.syncStatus
  }

  /// Visits the members that every document begins with.
  mutating func visitHead<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.id("id", &id)
    try visitor.member("title", &title)
    try visitor.member("description", &description)
  }

  /// Visits the members that every document ends with.
  mutating func visitTail<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.member("tags", &tags)
    try visitor.member("creatorID", &creatorID)
    try visitor.member("createdAt", &createdAt)
    try visitor.member("updatedAt", &updatedAt)
    try visitor.member("syncStatus", &syncStatus)
  }
}

/// The document of a practice guide: text in Markdown, with its own title, tags and times.
///
/// The shape is the app's complete camelCase document.
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct PracticeGuide: Equatable, Sendable {
  /// The item's id. Any other id is replaced with the item's when the item is written.
  public var id: String
  /// The document's own title.
  public var title: String
  /// The document's own description.
  public var description: String?
  /// The text, in Markdown.
  public var markdown: String
  /// The document's own tags.
  public var tags: [String]
  /// UUID of the creator.
  public var creatorID: String?
  /// When it was made.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// One of `LibraryItem.SyncStatus` or a word that the app adds later.
  public var syncStatus: String
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes a guide; everything but its title may be left out.
  public init(
    id: String = "", title: String, description: String? = nil, markdown: String = "", tags: [String] = [],
    creatorID: String? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
    syncStatus: String = LibraryItem.SyncStatus.pending, extras: [ExtraMember] = []
  ) {
    self.id = id
    self.title = title
    self.description = description
    self.markdown = markdown
    self.tags = tags
    self.creatorID = creatorID
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.syncStatus = syncStatus
    self.extras = extras
  }
}

extension PracticeGuide: ItemDocument {
  init() { self.init(title: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitHead(&visitor)
    try visitor.member("markdown", &markdown)
    try visitTail(&visitor)
    try visitor.extras(&extras)
  }
}
