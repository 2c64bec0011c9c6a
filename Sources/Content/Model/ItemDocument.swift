/// What the documents of all three content types have in common: their own title, tags and times.
///
/// The app stores them beside those of the envelope; they may differ, and both are kept.
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
  /// A document without content that says what its item says, as one that leaves these members out does.
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
