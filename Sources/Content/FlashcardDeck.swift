/// The document of a flashcard deck: cards, with its own title, tags and times.
///
/// No version of the app stores decks. A library keeps them in its sidecar.
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct FlashcardDeck: Equatable, Sendable {
  /// The item's id. Any other id is replaced with the item's when the item is written.
  public var id: String
  /// The document's own title.
  public var title: String
  /// The document's own description.
  public var description: String?
  /// The cards, in their order.
  public var cards: [Flashcard]
  /// The document's own tags.
  public var tags: [String]
  /// UUID of the creator.
  public var creatorID: String?
  /// When it was made.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// One of `LibraryItem.SyncStatus` or a word that the app adds later.
  public var syncStatus: String
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes a deck; everything but its title may be left out.
  public init(
    id: String = "", title: String, description: String? = nil, cards: [Flashcard] = [], tags: [String] = [],
    creatorID: String? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
    syncStatus: String = LibraryItem.SyncStatus.pending, extras: [ExtraMember] = []
  ) {
    self.id = id
    self.title = title
    self.description = description
    self.cards = cards
    self.tags = tags
    self.creatorID = creatorID
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.syncStatus = syncStatus
    self.extras = extras
  }
}

extension FlashcardDeck: ItemDocument {
  init() { self.init(title: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitHead(&visitor)
    try visitor.objects("cards", &cards)
    try visitTail(&visitor)
    try visitor.extras(&extras)
  }
}

/// One card of a deck: a question and its answer.
///
/// Shape: `{"id","front","back","tags","hint"?,"source"?,"sortOrder","review"?}`.
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct Flashcard: Equatable, Sendable {
  /// UUID in upper case; while empty, one is derived from the front when the card is written.
  public var id: String
  /// The question, in Markdown.
  public var front: String
  /// The answer, in Markdown.
  public var back: String
  /// Keywords for searching.
  public var tags: [String]
  /// A hint that does not reveal the answer.
  public var hint: String?
  /// The source of the answer.
  public var source: String?
  /// The sort number; nil means the position in the deck, from 0. The array's order determines the position.
  public var sortOrder: Int?
  /// The spaced-repetition state; nil if the card was never practised.
  public var review: CardReview?
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes a card; everything but its two sides may be left out.
  public init(
    id: String = "", front: String, back: String, tags: [String] = [], hint: String? = nil,
    source: String? = nil, sortOrder: Int? = nil, review: CardReview? = nil, extras: [ExtraMember] = []
  ) {
    self.id = id
    self.front = front
    self.back = back
    self.tags = tags
    self.hint = hint
    self.source = source
    self.sortOrder = sortOrder
    self.review = review
    self.extras = extras
  }
}

extension Flashcard: ModelObject {
  init() { self.init(front: "", back: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.id("id", &id)
    try visitor.member("front", &front)
    try visitor.member("back", &back)
    try visitor.member("tags", &tags)
    try visitor.member("hint", &hint)
    try visitor.member("source", &source)
    try visitor.member("sortOrder", &sortOrder)
    try visitor.object("review", &review, blank: CardReview(), shape: nil)
    try visitor.extras(&extras)
  }
}

/// The state of a card in spaced repetition. Every value may be missing.
///
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct CardReview: Equatable, Sendable {
  /// The factor by which the interval grows after a right answer, initially 2.5.
  public var easeFactor: Double?
  /// Days from the last review to the next.
  public var intervalDays: Double?
  /// The number of consecutive right answers.
  public var repetitions: Int?
  /// How often the answer was forgotten.
  public var lapses: Int?
  /// When the card was last shown.
  public var lastReviewed: Timestamp?
  /// When the card is due again.
  public var due: Timestamp?
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes a review from known values.
  public init(
    easeFactor: Double? = nil, intervalDays: Double? = nil, repetitions: Int? = nil, lapses: Int? = nil,
    lastReviewed: Timestamp? = nil, due: Timestamp? = nil, extras: [ExtraMember] = []
  ) {
    self.easeFactor = easeFactor
    self.intervalDays = intervalDays
    self.repetitions = repetitions
    self.lapses = lapses
    self.lastReviewed = lastReviewed
    self.due = due
    self.extras = extras
  }
}

extension CardReview: ModelObject {
  init() { self.init(extras: []) }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.member("easeFactor", &easeFactor)
    try visitor.member("intervalDays", &intervalDays)
    try visitor.member("repetitions", &repetitions)
    try visitor.member("lapses", &lapses)
    try visitor.member("lastReviewed", &lastReviewed)
    try visitor.member("due", &due)
    try visitor.extras(&extras)
  }
}
