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
  /// More about the section.
  public var description: String?
  /// The steps, in the order in which they are shown.
  public var items: [ChecklistItem]
  /// Whether the app shows the items without a tap.
  public var isExpandedByDefault: Bool
  /// The app's number for the place; nil is the place in the list, from 0. The order of the array counts.
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
