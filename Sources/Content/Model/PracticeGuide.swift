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
