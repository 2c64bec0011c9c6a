/// The document of a checklist: sections of items, with a title, tags and times of its own.
///
/// Shape: the app's camelCase document, complete.
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct Checklist: Equatable, Sendable {
  /// The item's id; another one is replaced by it when the item is written.
  public var id: String
  /// The document's own title.
  public var title: String
  /// The document's own description.
  public var description: String?
  /// When the checklist is worked through, one of `ChecklistType` or a word that the app adds later.
  public var checklistType: String
  /// The sections, in the order in which they are shown.
  public var sections: [ChecklistSection]
  /// The document's own tags.
  public var tags: [String]
  /// UUID of who made it.
  public var creatorID: String?
  /// When it was made.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// One of `LibraryItem.SyncStatus` or a word that the app adds later.
  public var syncStatus: String
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes a checklist; everything but its title may be left out.
  public init(
    id: String = "", title: String, description: String? = nil, checklistType: String = ChecklistType.general,
    sections: [ChecklistSection] = [], tags: [String] = [], creatorID: String? = nil,
    createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
    syncStatus: String = LibraryItem.SyncStatus.pending, extras: [ExtraMember] = []
  ) {
    self.id = id
    self.title = title
    self.description = description
    self.checklistType = checklistType
    self.sections = sections
    self.tags = tags
    self.creatorID = creatorID
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.syncStatus = syncStatus
    self.extras = extras
  }
}

extension Checklist: ItemDocument {
  init() { self.init(title: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitHead(&visitor)
    try visitor.member("checklistType", &checklistType)
    try visitor.objects("sections", &sections)
    try visitTail(&visitor)
    try visitor.extras(&extras)
  }
}
