/// The tick of one item, or its absence.
///
/// Shape: `{"checked","checkedAt"?,"notes"?}`.
/// - Source: formats/json-bundle.md, "execution"
public struct ItemState: Equatable, Sendable {
  /// Whether the item is done.
  public var checked: Bool
  /// When it was ticked; written in whole seconds, a fraction is cut.
  public var checkedAt: Timestamp?
  /// What the crew noted.
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
