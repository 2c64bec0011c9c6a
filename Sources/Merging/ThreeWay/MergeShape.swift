import Content
import JSONText

/// How the members of one kind of object are merged, in the order in which they are written.
struct MergeShape: Sendable {
  /// How one member is merged.
  enum Rule: Sendable {
    /// Ours always: what a record is called and what it is.
    case identity
    /// Publication, status, pins and counts: ours, unless they are merged like all others.
    case own
    /// When it was made: the earlier time, if both have another than the base.
    case created
    /// When it was changed or done: the later time.
    case updated
    /// How much is done: the larger number; the app counts it again.
    case progress
    /// Texts: line by line.
    case text
    /// A set of words in an order.
    case tags
    /// A number, a reference, a word: one side's.
    case value
    /// Anything: objects member by member.
    case any
    /// The document of an item.
    case document
    /// Sections, or cards.
    case tree
    /// The steps of a section, which are merged with the sections.
    case steps
    /// The number of the place, which follows from the order.
    case position
    /// How well a card is known: the one of the two that was practised later, never a mixture.
    case review
    /// The ticks of an execution, each by itself.
    case ticks
  }

  let shape: Shape
  let rules: [Rule]
  let names: [String]

  init(_ shape: Shape) {
    self.shape = shape
    names = shape.members.map(\.nameText)
    rules = shape.members.map { Self.rule($0) }
  }

  private static func rule(_ member: ShapeMember) -> Rule {
    if let rule = rule(named: member.nameText) { return rule }
    return switch member.kind {
    case .text: .text
    case .strings: .tags
    case .any, .extras, .object, .payload: .any
    default: .value
    }
  }

  /// The rule of members that are the same wherever they are; nil where the kind of value decides.
  static func rule(named name: String) -> Rule? {
    switch name {
    case "kind", "id": .identity
    case "visibility", "published_at", "public_id", "public_metadata", "server_id", "needs_sync", "last_synced_at",
      "sync_status", "syncStatus", "fork_count", "rating_average", "rating_count", "is_pinned", "pinned_order":
      .own
    case "created_at", "createdAt": .created
    case "updated_at", "updatedAt", "last_updated", "completed_at": .updated
    case "progress_percentage": .progress
    case "content_data": .document
    case "sections", "cards": .tree
    case "items": .steps
    case "sortOrder": .position
    case "review": .review
    case "item_states": .ticks
    default: nil
    }
  }

  static let item = MergeShape(Shapes.item)
  static let charter = MergeShape(Shapes.charter)
  static let execution = MergeShape(Shapes.execution)
  static let operation = MergeShape(Shapes.syncOperation)
  static let section = MergeShape(Shapes.checklistSection)
  static let step = MergeShape(Shapes.checklistItem)
  static let card = MergeShape(Shapes.card)
  static let tick = MergeShape(Shapes.itemState)
  private static let checklist = MergeShape(Shapes.checklist)
  private static let guide = MergeShape(Shapes.practiceGuide)
  private static let deck = MergeShape(Shapes.flashcardDeck)

  /// The document of a content type; nil for types that nobody knows.
  static func document(_ type: JSONNode?) -> MergeShape? {
    switch type?.string.flatMap(ContentType.init(rawValue:)) {
    case .checklist: checklist
    case .practiceGuide: guide
    case .flashcardDeck: deck
    case nil: nil
    }
  }
}
