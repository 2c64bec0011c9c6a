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
  /// Words to find it by.
  public var tags: [String]
  /// What helps without giving the answer.
  public var hint: String?
  /// Where the answer comes from.
  public var source: String?
  /// Number for the place; nil is the place in the deck, from 0. The order of the array counts.
  public var sortOrder: Int?
  /// How well the card is known; nil when it was never practised.
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
