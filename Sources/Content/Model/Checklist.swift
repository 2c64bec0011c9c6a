/// The document of a checklist: sections of items, with its own title, tags and times.
///
/// The shape is the app's complete camelCase document.
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct Checklist: Equatable, Sendable {
  /// The item's id. Any other id is replaced with the item's when the item is written.
  public var id: String
  /// The document's own title.
  public var title: String
  /// The document's own description.
  public var description: String?
  /// When the checklist is done: one of `ChecklistType` or a word that the app adds later.
  public var checklistType: String
  /// The sections, in the order in which they are shown.
  public var sections: [ChecklistSection]
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

/// A group of items under one heading.
///
/// Shape: `{"id","title","icon"?,"description"?,"items":[…],"isExpandedByDefault","sortOrder"}`.
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct ChecklistSection: Equatable, Sendable {
  /// UUID in upper case; while empty, one is derived from the title when the section is written.
  public var id: String
  /// The heading.
  public var title: String
  /// Name of the symbol that the app shows.
  public var icon: String?
  /// A longer description of the section.
  public var description: String?
  /// The steps, in the order in which they are shown.
  public var items: [ChecklistItem]
  /// Whether the app shows the items without a tap.
  public var isExpandedByDefault: Bool
  /// The app's sort number; nil means the position in the list, from 0. The array's order determines the position.
  public var sortOrder: Int?
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes a section; everything but its title may be left out.
  public init(
    id: String = "", title: String, icon: String? = nil, description: String? = nil,
    items: [ChecklistItem] = [], isExpandedByDefault: Bool = true, sortOrder: Int? = nil,
    extras: [ExtraMember] = []
  ) {
    self.id = id
    self.title = title
    self.icon = icon
    self.description = description
    self.items = items
    self.isExpandedByDefault = isExpandedByDefault
    self.sortOrder = sortOrder
    self.extras = extras
  }
}

extension ChecklistSection: ModelObject {
  init() { self.init(title: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.id("id", &id)
    try visitor.member("title", &title)
    try visitor.member("icon", &icon)
    try visitor.member("description", &description)
    try visitor.objects("items", &items)
    try visitor.member("isExpandedByDefault", &isExpandedByDefault)
    try visitor.member("sortOrder", &sortOrder)
    try visitor.extras(&extras)
  }
}

/// One step of a checklist.
///
/// Shape: `{"id","title","itemDescription"?,"isOptional","isRequired","tags","estimatedMinutes"?,`
/// `"sortOrder"}`.
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct ChecklistItem: Equatable, Sendable {
  /// UUID in upper case; while empty, one is derived from the section and the title when the item is written.
  public var id: String
  /// The task.
  public var title: String
  /// A longer description of the step.
  public var itemDescription: String?
  /// Whether the crew may skip it.
  public var isOptional: Bool
  /// Whether it must be done.
  public var isRequired: Bool
  /// Keywords for searching.
  public var tags: [String]
  /// How long it takes, in whole minutes.
  public var estimatedMinutes: Int?
  /// The app's sort number; nil means the position in the section, from 0. The array's order determines the position.
  public var sortOrder: Int?
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes an item; everything but its title may be left out.
  public init(
    id: String = "", title: String, itemDescription: String? = nil, isOptional: Bool = false,
    isRequired: Bool = false, tags: [String] = [], estimatedMinutes: Int? = nil, sortOrder: Int? = nil,
    extras: [ExtraMember] = []
  ) {
    self.id = id
    self.title = title
    self.itemDescription = itemDescription
    self.isOptional = isOptional
    self.isRequired = isRequired
    self.tags = tags
    self.estimatedMinutes = estimatedMinutes
    self.sortOrder = sortOrder
    self.extras = extras
  }
}

extension ChecklistItem: ModelObject {
  init() { self.init(title: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.id("id", &id)
    try visitor.member("title", &title)
    try visitor.member("itemDescription", &itemDescription)
    try visitor.member("isOptional", &isOptional)
    try visitor.member("isRequired", &isRequired)
    try visitor.member("tags", &tags)
    try visitor.member("estimatedMinutes", &estimatedMinutes)
    try visitor.member("sortOrder", &sortOrder)
    try visitor.extras(&extras)
  }
}
