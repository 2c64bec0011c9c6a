import Content
import JSONText

/// Fills outlines one after the other, reusing the same memory. For one thread.
struct ItemOutliner: ~Copyable {
  /// The most recently filled outline.
  private(set) var outline = ItemOutline()
  private var scratch = ByteBuffer(capacity: 4096)
  private var found = [Int](repeating: -1, count: 32)
  private var sections = RowTable<SectionRow>()
  private var steps = RowTable<StepRow>()
  private var cards = RowTable<CardRow>()
  private var texts = RowTable<TextRow>()

  /// Makes an outliner.
  init() {}

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
    sections.removeAll()
    steps.removeAll()
    cards.removeAll()
    texts.removeAll()
    defer { list(root) }
    outline.markdown = nil
    outline.checklistType = nil
    outline.sectionsNode = nil
    outline.cardsNode = nil
    outline.documentTags = nil
    // Texts with escapes are copied into this buffer. Its memory is reserved in advance, so that no text moves.
    scratch.removeAll()
    scratch.reserve(Int(root.token.length))
    Self.envelope.find(in: root, into: &found)
    outline.id = node(0)
    outline.contentType = node(1)
    outline.title = fullText(2, .title)
    outline.description = fullText(3, .description)
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
      outline.markdown = fullText(3, .markdown)
    case .flashcardDeck: fillDeck(document)
    }
  }

  private static func contentType(_ node: JSONNode) -> ContentType? {
    if node.equals("checklist") { return .checklist }
    if node.equals("practice_guide") || node.equals("guide") { return .practiceGuide }
    if node.equals("flashcard_deck") || node.equals("deck") { return .flashcardDeck }
    return nil
  }

  /// Gives the outline access to the filled rows.
  private mutating func list(_ root: JSONNode) {
    let base = base(root)
    outline.sections = OutlineList(rows: sections.rows, base: base)
    outline.steps = OutlineList(rows: steps.rows, base: base)
    outline.cards = OutlineList(rows: cards.rows, base: base)
    outline.texts = OutlineList(rows: texts.rows, base: base)
  }

  private func base(_ root: JSONNode) -> OutlineBase {
    OutlineBase(root: root, unescaped: UnsafePointer(scratch.start), texts: texts.rows)
  }

  private mutating func fillTags() {
    outline.tags?.forEachElement { _ = text(ofToken: $0.index, .tag) }
  }

  /// Fills in the members that every document begins with. A title that equals the envelope's title is counted once, not
  /// twice.
  private mutating func fillHead(_ document: JSONNode, _ finder: MemberFinder) {
    finder.find(in: document, into: &found)
    if let own = node(0), outline.title.map({ !$0.node.means(own) }) ?? true { _ = text(0, .documentTitle) }
    if let own = node(1), outline.description.map({ !$0.node.means(own) }) ?? true { _ = text(1, .documentDescription) }
    outline.documentTags = node(2)
  }

  private mutating func fillChecklist(_ document: JSONNode) {
    fillHead(document, Self.checklist)
    outline.checklistType = node(3)
    outline.sectionsNode = node(4)
    outline.sectionsNode?.forEachElement { node in
      Self.section.find(in: node, into: &found)
      let (id, items, title) = (token(0), self.node(3), text(1, .sectionTitle))
      _ = text(2, .sectionDescription)
      let first = UInt32(steps.count)
      items?.forEachElement { fillStep($0) }
      sections.append(
        SectionRow(
          node: UInt32(node.index), id: id, title: title, items: items.map { UInt32($0.index) } ?? OutlineBase.none,
          firstStep: first, endOfSteps: UInt32(steps.count)))
    }
  }

  private mutating func fillStep(_ node: JSONNode) {
    Self.step.find(in: node, into: &found)
    steps.append(
      StepRow(
        node: UInt32(node.index), section: UInt32(sections.count), id: token(0), title: text(1, .stepTitle),
        details: text(2, .stepDetails), isOptional: token(3), isRequired: token(4), minutes: token(6), tags: token(5)))
  }

  private mutating func fillDeck(_ document: JSONNode) {
    fillHead(document, Self.deck)
    outline.cardsNode = node(3)
    outline.cardsNode?.forEachElement { node in
      Self.card.find(in: node, into: &found)
      cards.append(
        CardRow(
          node: UInt32(node.index), id: token(0), front: text(1, .cardFront), back: text(2, .cardBack),
          hint: text(3, .cardHint), tags: token(4)))
    }
  }

  // MARK: Pieces

  private func node(_ slot: Int) -> JSONNode? { found[slot] < 0 ? nil : outline.root?.at(found[slot]) }

  /// Returns the token of a member's value.
  private func token(_ slot: Int) -> UInt32 { found[slot] < 0 ? OutlineBase.none : UInt32(found[slot]) }

  /// Adds a member's text to all texts.
  private mutating func text(_ slot: Int, _ role: OutlineText.Role) -> UInt32 {
    found[slot] < 0 ? OutlineBase.none : text(ofToken: found[slot], role)
  }

  /// Adds a member's text to all texts and returns it.
  private mutating func fullText(_ slot: Int, _ role: OutlineText.Role) -> OutlineText? {
    let index: UInt32 = text(slot, role)
    guard let root = outline.root else { return nil }
    return base(root).text(index)
  }

  /// Adds a string's text to all texts.
  /// - Returns: The index of the text; `OutlineBase.none` for any other value.
  private mutating func text(ofToken index: Int, _ role: OutlineText.Role) -> UInt32 {
    guard let node = outline.root?.at(index), node.kind == .string else { return OutlineBase.none }
    var row = TextRow(token: UInt32(index), role: role)
    if node.token.flags.contains(.escaped) {
      row.start = UInt32(scratch.count)
      JSONStrings.unescape(node.inner.span, into: &scratch)
      row.count = UInt32(scratch.count) - row.start
    }
    texts.append(row)
    return UInt32(texts.count - 1)
  }
}

/// Finds given members of an object by name in one pass, which is fast if they are in the order of a shape.
private struct MemberFinder: Sendable {
  private let shape: Shape
  /// The slot of each member of the shape; -1 for members that are not searched for.
  private let slots: [Int8]
  /// The number of members that are searched for.
  let count: Int

  /// Makes a finder for the members called `names`, which the shape must have. Slot numbers follow the order of
  /// `names`.
  init(_ shape: Shape, _ names: [String]) {
    self.shape = shape
    count = names.count
    slots = shape.members.map { member in
      Int8(names.firstIndex(of: member.nameText) ?? -1)
    }
  }

  /// Sets `found[slot]` to the token index of each member's value, or to -1 if the member is missing.
  func find(in object: JSONNode, into found: inout [Int]) {
    var found = found.mutableSpan
    for slot in 0..<count { found[slot] = -1 }
    guard object.kind == .object else { return }
    let end = Int(object.token.next)
    var child = object.index + 1
    var hint = 0
    while child < end {
      let index = shape.index(of: object.at(child).inner.span, from: hint)
      if index >= 0 {
        hint = index + 1
        let slot = Int(slots[index])
        if slot >= 0 { found[slot] = child + 1 }
      }
      child = Int(object.tokens[child + 1].next)
    }
  }
}

/// Rows in memory that is reused from item to item, unless one item needed a large amount.
private struct RowTable<Row: BitwiseCopyable>: ~Copyable {
  private var storage: UnsafeMutablePointer<Row>?
  private var capacity = 0
  private(set) var count = 0

  /// The maximum number of rows whose memory is kept. Memory for more rows is released.
  private static var mostKept: Int { 16_384 }

  deinit { storage?.deallocate() }

  /// The rows. Valid until the next change.
  var rows: UnsafeBufferPointer<Row> { UnsafeBufferPointer(start: storage, count: count) }

  mutating func append(_ row: Row) {
    if count == capacity { grow() }
    storage?[count] = row
    count += 1
  }

  mutating func removeAll() {
    count = 0
    guard capacity > Self.mostKept else { return }
    storage?.deallocate()
    storage = nil
    capacity = 0
  }

  private mutating func grow() {
    capacity = max(64, capacity * 2)
    let larger = UnsafeMutablePointer<Row>.allocate(capacity: capacity)
    if let storage {
      larger.moveInitialize(from: storage, count: count)
      storage.deallocate()
    }
    storage = larger
  }
}
