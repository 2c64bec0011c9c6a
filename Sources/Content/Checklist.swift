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

/// The ticks of a checklist on a charter.
///
/// - Source: formats/json-bundle.md, "execution"
public struct ChecklistExecution: Equatable, Sendable {
  /// UUID in upper case; while empty, one is derived from the two references when the record is written.
  public var id: String
  /// UUID of the checklist.
  public var checklistID: String
  /// UUID of the charter.
  public var charterID: String
  /// The states of the items that were changed, by item id.
  public var itemStates: [String: ItemState]
  /// The app's column for the progress, in per cent; the app never writes it.
  public var progressPercentage: Double?
  /// When an item was first changed.
  public var createdAt: Timestamp?
  /// When an item was last changed.
  public var lastUpdated: Timestamp?
  /// When all items were done; the app never writes this.
  public var completedAt: Timestamp?
  /// One of `SyncStatus` or a word that the app adds later.
  public var syncStatus: String
  /// Members that have no property, the record's `extras` object among them.
  public var extras: [ExtraMember]

  /// Makes an execution; everything but the ids may be left out.
  public init(
    id: String, checklistID: String, charterID: String, itemStates: [String: ItemState] = [:],
    progressPercentage: Double? = nil, createdAt: Timestamp? = nil, lastUpdated: Timestamp? = nil,
    completedAt: Timestamp? = nil, syncStatus: String = SyncStatus.pending, extras: [ExtraMember] = []
  ) {
    self.id = id
    self.checklistID = checklistID
    self.charterID = charterID
    self.itemStates = itemStates
    self.progressPercentage = progressPercentage
    self.createdAt = createdAt
    self.lastUpdated = lastUpdated
    self.completedAt = completedAt
    self.syncStatus = syncStatus
    self.extras = extras
  }
}

extension ChecklistExecution: ModelObject {
  init() { self.init(id: "", checklistID: "", charterID: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.id("id", &id)
    try visitor.member("checklist_id", &checklistID)
    try visitor.member("charter_id", &charterID)
    try visitor.table("item_states", &itemStates)
    try visitor.member("progress_percentage", &progressPercentage)
    try visitor.member("created_at", &createdAt)
    try visitor.member("last_updated", &lastUpdated)
    try visitor.member("completed_at", &completedAt)
    try visitor.member("sync_status", &syncStatus)
    try visitor.extras(&extras)
  }
}

/// The state of one item: ticked or not, with notes.
///
/// Shape: `{"checked","checkedAt"?,"notes"?}`.
/// - Source: formats/json-bundle.md, "execution"
public struct ItemState: Equatable, Sendable {
  /// Whether the item is done.
  public var checked: Bool
  /// When the item was ticked. Written in whole seconds; a fraction is removed.
  public var checkedAt: Timestamp?
  /// The crew's notes.
  public var notes: String?
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes a tick.
  public init(
    checked: Bool = false, checkedAt: Timestamp? = nil, notes: String? = nil, extras: [ExtraMember] = []
  ) {
    self.checked = checked
    self.checkedAt = checkedAt
    self.notes = notes
    self.extras = extras
  }
}

extension ItemState: ModelObject {
  init() { self.init(checked: false) }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.member("checked", &checked)
    try visitor.member("checkedAt", &checkedAt)
    try visitor.member("notes", &notes)
    try visitor.extras(&extras)
  }
}
