import Content
import JSONText

/// What rules see of one item, found in one walk: the envelope, sections and steps, cards, every text.
///
/// One outline serves one thread and is filled again for each item; nodes and bytes are valid only while the
/// item is looked at. Works on the item's canonical line and on a publish payload alike: both have `title`,
/// `content_type`, `tags`, `content_data`.
public final class ItemOutline {
  /// A section of a checklist.
  public struct Section {
    /// The object.
    public let node: JSONNode
    /// Its id.
    public let id: JSONNode?
    /// Its title.
    public let title: OutlineText?
    /// The array of its steps.
    public let items: JSONNode?
    /// Its steps, as indices into `steps`.
    public fileprivate(set) var steps: Range<Int>
  }

  /// A step of a section.
  public struct Step {
    /// The object.
    public let node: JSONNode
    /// Index of its section.
    public let section: Int
    /// Its id.
    public let id: JSONNode?
    /// Its title.
    public let title: OutlineText?
    /// Its details.
    public let details: OutlineText?
    /// The switch `isOptional`.
    public let isOptional: JSONNode?
    /// The switch `isRequired`.
    public let isRequired: JSONNode?
    /// Its `estimatedMinutes`.
    public let minutes: JSONNode?
    /// The array of its tags.
    public let tags: JSONNode?
  }

  /// A card of a deck.
  public struct Card {
    /// The object.
    public let node: JSONNode
    /// Its id.
    public let id: JSONNode?
    /// The question.
    public let front: OutlineText?
    /// The answer.
    public let back: OutlineText?
    /// The hint.
    public let hint: OutlineText?
    /// The array of its tags.
    public let tags: JSONNode?
  }

  /// The whole record.
  public private(set) var root: JSONNode?
  /// Checklist, guide or deck; nil for a type that nobody knows.
  public private(set) var type: ContentType?
  /// Its id.
  public private(set) var id: JSONNode?
  /// The word in `content_type`.
  public private(set) var contentType: JSONNode?
  /// Its title.
  public private(set) var title: OutlineText?
  /// Its description.
  public private(set) var description: OutlineText?
  /// The array of tags.
  public private(set) var tags: JSONNode?
  /// The language tag.
  public private(set) var language: JSONNode?
  /// Who may see it.
  public private(set) var visibility: JSONNode?
  /// The registry id that it was forked from.
  public private(set) var forkedFrom: JSONNode?
  /// The public id of what it was forked from.
  public private(set) var originalPublicID: JSONNode?
  /// When it was made.
  public private(set) var createdAt: JSONNode?
  /// When it was changed.
  public private(set) var updatedAt: JSONNode?
  /// Its slug, when it is published.
  public private(set) var publicID: JSONNode?
  /// `content_data`; nil or null when the item has no body.
  public private(set) var document: JSONNode?
  /// The array of the document’s own tags.
  public private(set) var documentTags: JSONNode?
  /// The word in `checklistType`.
  public private(set) var checklistType: JSONNode?
  /// The array of sections.
  public private(set) var sectionsNode: JSONNode?
  /// The array of cards.
  public private(set) var cardsNode: JSONNode?
  /// The sections of a checklist.
  public private(set) var sections: [Section] = []
  /// The steps of all sections.
  public private(set) var steps: [Step] = []
  /// The cards of a deck.
  public private(set) var cards: [Card] = []
  /// A guide's body.
  public private(set) var markdown: OutlineText?
  /// Every text that people read, in the order of the document; tags included.
  public private(set) var texts: [OutlineText] = []
  public private(set) var originalAuthor: JSONNode?
  /// What a glance at the texts tells; made when a rule asks.
  let glance = TextGlance()

  private var scratch = ByteBuffer(capacity: 4096)
  private let found = UnsafeMutableBufferPointer<Int>.allocate(capacity: 32)

  /// Makes an outline to be filled.
  public init() {}

  deinit { found.deallocate() }

  /// Whether a flag is set.
  public static func isTrue(_ node: JSONNode?) -> Bool { node?.kind == .true }

  // MARK: Filling

  private static let envelope = MemberFinder(
    Shapes.item,
    [
      "id", "content_type", "title", "description", "tags", "language", "visibility", "forked_from_id",
      "original_content_public_id", "created_at", "updated_at", "public_id", "content_data",
      "original_author_username",
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
  public func fill(_ root: JSONNode) {
    self.root = root
    glance.forget()
    sections.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    cards.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    markdown = nil
    checklistType = nil
    sectionsNode = nil
    cardsNode = nil
    documentTags = nil
    // Texts with escapes are copied here; the room is reserved before, so no text moves under another.
    scratch.removeAll()
    scratch.reserve(Int(root.token.length))
    Self.envelope.find(in: root, into: found)
    id = node(0)
    contentType = node(1)
    title = text(2, .title)
    description = text(3, .description)
    tags = node(4)
    language = node(5)
    visibility = node(6)
    forkedFrom = node(7)
    originalPublicID = node(8)
    createdAt = node(9)
    updatedAt = node(10)
    publicID = node(11)
    document = node(12)
    originalAuthor = node(13)
    type = contentType.flatMap(Self.contentType)
    fillTags()
    guard let document, document.kind == .object, let type else { return }
    switch type {
    case .checklist: fillChecklist(document)
    case .practiceGuide:
      fillHead(document, Self.guide)
      markdown = text(3, .markdown)
    case .flashcardDeck: fillDeck(document)
    }
  }

  private static func contentType(_ node: JSONNode) -> ContentType? {
    if node.equals("checklist") { return .checklist }
    if node.equals("practice_guide") || node.equals("guide") { return .practiceGuide }
    if node.equals("flashcard_deck") || node.equals("deck") { return .flashcardDeck }
    return nil
  }

  private func fillTags() {
    tags?.forEachElement { tag in
      if let text = text(tag, .tag) { texts.append(text) }
    }
  }

  /// What every document begins with; a title that says the same as the envelope's is one text, not two.
  private func fillHead(_ document: JSONNode, _ finder: MemberFinder) {
    finder.find(in: document, into: found)
    if let own = node(0), title.map({ !$0.node.means(own) }) ?? true { _ = text(0, .documentTitle) }
    if let own = node(1), description.map({ !$0.node.means(own) }) ?? true { _ = text(1, .documentDescription) }
    documentTags = node(2)
  }

  private func fillChecklist(_ document: JSONNode) {
    fillHead(document, Self.checklist)
    checklistType = node(3)
    sectionsNode = node(4)
    sectionsNode?.forEachElement { node in
      Self.section.find(in: node, into: found)
      let items = self.node(3)
      let section = Section(
        node: node, id: self.node(0), title: text(1, .sectionTitle), items: items, steps: steps.count..<steps.count)
      _ = text(2, .sectionDescription)
      sections.append(section)
      let first = steps.count
      items?.forEachElement { fillStep($0) }
      sections[sections.count - 1].steps = first..<steps.count
    }
  }

  private func fillStep(_ node: JSONNode) {
    Self.step.find(in: node, into: found)
    steps.append(
      Step(
        node: node, section: sections.count - 1, id: self.node(0), title: text(1, .stepTitle),
        details: text(2, .stepDetails), isOptional: self.node(3), isRequired: self.node(4), minutes: self.node(6),
        tags: self.node(5)))
  }

  private func fillDeck(_ document: JSONNode) {
    fillHead(document, Self.deck)
    cardsNode = node(3)
    cardsNode?.forEachElement { node in
      Self.card.find(in: node, into: found)
      cards.append(
        Card(
          node: node, id: self.node(0), front: text(1, .cardFront), back: text(2, .cardBack),
          hint: text(3, .cardHint), tags: self.node(4)))
    }
  }

  // MARK: Pieces

  private func node(_ slot: Int) -> JSONNode? { found[slot] < 0 ? nil : root?.at(found[slot]) }

  /// The text of a member, listed among all texts.
  private func text(_ slot: Int, _ role: OutlineText.Role) -> OutlineText? {
    guard let node = node(slot), let text = text(node, role) else { return nil }
    texts.append(text)
    return text
  }

  private func text(_ node: JSONNode, _ role: OutlineText.Role) -> OutlineText? {
    guard node.kind == .string else { return nil }
    guard node.token.flags.contains(.escaped) else { return OutlineText(role: role, node: node, bytes: node.inner) }
    let start = scratch.count
    JSONStrings.unescape(node.inner, into: &scratch)
    let bytes = UnsafeBufferPointer(start: scratch.start + start, count: scratch.count - start)
    return OutlineText(role: role, node: node, bytes: bytes)
  }
}
