/// What spaced repetition knows about a card. Every value may be missing.
///
/// - Source: formats/json-bundle.md, "The documents in content_data"
public struct CardReview: Equatable, Sendable {
  /// Factor by which the interval grows after a right answer, 2.5 at first.
  public var easeFactor: Double?
  /// Days from the last review to the next.
  public var intervalDays: Double?
  /// How often in a row the answer was right.
  public var repetitions: Int?
  /// How often a known card was forgotten.
  public var lapses: Int?
  /// When the card was last shown.
  public var lastReviewed: Timestamp?
  /// When it is to be shown again.
  public var due: Timestamp?
  /// Members that have no property.
  public var extras: [ExtraMember]

  /// Makes a review of what is known.
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
