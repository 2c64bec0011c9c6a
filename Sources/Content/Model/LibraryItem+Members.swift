import JSONText

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
    // Last of the known members: a document takes over what the envelope says.
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
