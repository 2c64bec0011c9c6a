/// One step of a checklist.
///
/// Shape: `{"id","title","itemDescription"?,"isOptional","isRequired","tags","estimatedMinutes"?,`
/// `"sortOrder"}`.
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct ChecklistItem: Equatable, Sendable {
  /// UUID in upper case; while empty, one is derived from section and title when the item is written.
  public var id: String
  /// What is to be done.
  public var title: String
  /// More about it.
  public var itemDescription: String?
  /// Whether the crew may skip it.
  public var isOptional: Bool
  /// Whether it must be done.
  public var isRequired: Bool
  /// Words to find it by.
  public var tags: [String]
  /// How long it takes, in whole minutes.
  public var estimatedMinutes: Int?
  /// The app's number for the place; nil is the place in the section, from 0. The order of the array counts.
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
