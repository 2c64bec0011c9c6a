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
