import Content
import JSONText

/// Fills outlines, one after the other, in the same memory. Serves one thread.
struct ItemOutliner: ~Copyable {
  /// What was filled last.
  private(set) var outline = ItemOutline()
  private var scratch = ByteBuffer(capacity: 4096)
  private let found = UnsafeMutableBufferPointer<Int>.allocate(capacity: 32)

  /// Makes an outliner.
  init() {}

  deinit { found.deallocate() }

  // MARK: Filling

  private static let envelope = MemberFinder(
    Shapes.item,
    [
      "id", "content_type", "title", "description", "tags", "language", "visibility", "forked_from_id",
      "original_content_public_id", "created_at", "updated_at", "public_id", "content_data",
      "original_author_username", "sync_status",
    ])
  private static let checklist = MemberFinder(
    Shapes.checklist, ["title", "description", "tags", "checklistType", "sections"])
  private static let guide = MemberFinder(Shapes.practiceGuide, ["title", "description", "tags", "markdown"])
  private static let deck = MemberFinder(Shapes.flashcardDeck, ["title", "description", "tags", "cards"])
  private static let section = MemberFinder(Shapes.checklistSection, ["id", "title", "description", "items"])
  private static let step = MemberFinder(
    Shapes.checklistItem,
    ["id", "title", "itemDescription", "isOptional", "isRequired", "tags", "estimatedMinutes"])
  private static let card = MemberFinder(Shapes.card, ["id", "front", "back", "hint", "tags"])

  /// Fills the outline from an item's line or a publish payload.
  mutating func fill(_ root: JSONNode) {
    outline.root = root
    outline.glance.forget()
    outline.sections.removeAll(keepingCapacity: true)
    outline.steps.removeAll(keepingCapacity: true)
    outline.cards.removeAll(keepingCapacity: true)
    outline.texts.removeAll(keepingCapacity: true)
    outline.markdown = nil
    outline.checklistType = nil
    outline.sectionsNode = nil
    outline.cardsNode = nil
    outline.documentTags = nil
    // Texts with escapes are copied here; the room is reserved before, so no text moves under another.
    scratch.removeAll()
    scratch.reserve(Int(root.token.length))
    Self.envelope.find(in: root, into: found)
    outline.id = node(0)
    outline.contentType = node(1)
    outline.title = text(2, .title)
    outline.description = text(3, .description)
    outline.tags = node(4)
    outline.language = node(5)
    outline.visibility = node(6)
    outline.forkedFrom = node(7)
    outline.originalPublicID = node(8)
    outline.createdAt = node(9)
    outline.updatedAt = node(10)
    outline.publicID = node(11)
    outline.document = node(12)
    outline.originalAuthor = node(13)
    outline.syncStatus = node(14)
    outline.type = outline.contentType.flatMap(Self.contentType)
    fillTags()
    guard let document = outline.document, document.kind == .object, let type = outline.type else { return }
    switch type {
    case .checklist: fillChecklist(document)
    case .practiceGuide:
      fillHead(document, Self.guide)
      outline.markdown = text(3, .markdown)
    case .flashcardDeck: fillDeck(document)
    }
  }

  private static func contentType(_ node: JSONNode) -> ContentType? {
    if node.equals("checklist") { return .checklist }
    if node.equals("practice_guide") || node.equals("guide") { return .practiceGuide }
    if node.equals("flashcard_deck") || node.equals("deck") { return .flashcardDeck }
    return nil
  }

  private mutating func fillTags() {
    outline.tags?.forEachElement { tag in
      if let text = text(tag, .tag) { outline.texts.append(text) }
    }
  }

  /// What every document begins with; a title that says the same as the envelope's is one text, not two.
  private mutating func fillHead(_ document: JSONNode, _ finder: MemberFinder) {
    finder.find(in: document, into: found)
    if let own = node(0), outline.title.map({ !$0.node.means(own) }) ?? true { _ = text(0, .documentTitle) }
    if let own = node(1), outline.description.map({ !$0.node.means(own) }) ?? true { _ = text(1, .documentDescription) }
    outline.documentTags = node(2)
  }

  private mutating func fillChecklist(_ document: JSONNode) {
    fillHead(document, Self.checklist)
    outline.checklistType = node(3)
    outline.sectionsNode = node(4)
    outline.sectionsNode?.forEachElement { node in
      Self.section.find(in: node, into: found)
      let items = self.node(3)
      let section = ItemOutline.Section(
        node: node, id: self.node(0), title: text(1, .sectionTitle), items: items,
        steps: outline.steps.count..<outline.steps.count)
      _ = text(2, .sectionDescription)
      outline.sections.append(section)
      let first = outline.steps.count
      items?.forEachElement { fillStep($0) }
      outline.sections[outline.sections.count - 1].steps = first..<outline.steps.count
    }
  }

  private mutating func fillStep(_ node: JSONNode) {
    Self.step.find(in: node, into: found)
    outline.steps.append(
      ItemOutline.Step(
        node: node, section: outline.sections.count - 1, id: self.node(0), title: text(1, .stepTitle),
        details: text(2, .stepDetails), isOptional: self.node(3), isRequired: self.node(4), minutes: self.node(6),
        tags: self.node(5)))
  }

  private mutating func fillDeck(_ document: JSONNode) {
    fillHead(document, Self.deck)
    outline.cardsNode = node(3)
    outline.cardsNode?.forEachElement { node in
      Self.card.find(in: node, into: found)
      outline.cards.append(
        ItemOutline.Card(
          node: node, id: self.node(0), front: text(1, .cardFront), back: text(2, .cardBack),
          hint: text(3, .cardHint), tags: self.node(4)))
    }
  }

  // MARK: Pieces

  private func node(_ slot: Int) -> JSONNode? { found[slot] < 0 ? nil : outline.root?.at(found[slot]) }

  /// The text of a member, listed among all texts.
  private mutating func text(_ slot: Int, _ role: OutlineText.Role) -> OutlineText? {
    guard let node = node(slot), let text = text(node, role) else { return nil }
    outline.texts.append(text)
    return text
  }

  private mutating func text(_ node: JSONNode, _ role: OutlineText.Role) -> OutlineText? {
    guard node.kind == .string else { return nil }
    guard node.token.flags.contains(.escaped) else { return OutlineText(role: role, node: node, bytes: node.inner) }
    let start = scratch.count
    JSONStrings.unescape(node.inner, into: &scratch)
    let bytes = UnsafeBufferPointer(start: scratch.start + start, count: scratch.count - start)
    return OutlineText(role: role, node: node, bytes: bytes)
  }
}
