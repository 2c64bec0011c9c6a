import Content

/// The first checklist or deck change that the note cannot express, and its position in the note.
struct InexpressibleChange {
  /// A description for a message: `the icon of “Deck”`.
  let what: String
  /// The byte offset, in the note's text, of the part that the change concerns.
  let offset: Int

  /// Finds the first change that the note cannot express.
  /// - Parameters:
  ///   - there: the note's checklist, with its source positions.
  ///   - before: the note's checklist, with the library's ids.
  ///   - after: the note's checklist after all edits that the note can express.
  ///   - wanted: the library's checklist.
  /// - Returns: nil if `after` and `wanted` are equal.
  init?(there: ChecklistDraft, before: ChecklistDraft, after: ChecklistDraft, wanted: ChecklistDraft) {
    let places = Self.places(there, before)
    func place(_ id: SourcedText?) -> Int { id.flatMap { places[$0.bytes] } ?? 0 }
    for (section, other) in zip(wanted.sections, after.sections) {
      if let what = Self.difference(section, other) {
        self.init(what: "\(what) of “\(Self.shown(section.title))”", offset: place(section.id))
        return
      }
      for (step, other) in zip(section.steps, other.steps) {
        guard let what = Self.difference(step, other) else { continue }
        self.init(what: "\(what) of “\(Self.shown(step.title))”", offset: place(step.id ?? section.id))
        return
      }
      if section.steps.count != other.steps.count {
        self.init(what: "the steps of “\(Self.shown(section.title))”", offset: place(section.id))
        return
      }
    }
    guard wanted.sections.count != after.sections.count else { return nil }
    self.init(what: "the sections", offset: 0)
  }

  /// Finds the first change of a deck that the note cannot express.
  /// - Returns: nil if `after` and `wanted` are equal.
  init?(there: DeckDraft, before: DeckDraft, after: DeckDraft, wanted: DeckDraft) {
    let places = zip(there.cards, before.cards).reduce(into: [[UInt8]: Int]()) { places, card in
      if let id = card.1.id { places[id.bytes] = card.0.front.range.lowerBound }
    }
    for (card, other) in zip(wanted.cards, after.cards) {
      guard let what = Self.difference(card, other) else { continue }
      self.init(what: "\(what) of “\(Self.shown(card.front))”", offset: card.id.flatMap { places[$0.bytes] } ?? 0)
      return
    }
    guard wanted.cards.count != after.cards.count else { return nil }
    self.init(what: "the number of cards", offset: 0)
  }

  private init(what: String, offset: Int) {
    self.what = what
    self.offset = offset
  }

  /// Returns the offsets of sections and steps, by id.
  private static func places(_ there: ChecklistDraft, _ before: ChecklistDraft) -> [[UInt8]: Int] {
    var places: [[UInt8]: Int] = [:]
    for (section, known) in zip(there.sections, before.sections) {
      if let id = known.id { places[id.bytes] = section.title.range.lowerBound }
      for (step, known) in zip(section.steps, known.steps) {
        if let id = known.id { places[id.bytes] = step.title.range.lowerBound }
      }
    }
    return places
  }

  private static func shown(_ title: SourcedText) -> String {
    let text = title.string.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    return text.count > 60 ? text.prefix(60) + "…" : text
  }

  private static func difference(_ left: SectionDraft, _ right: SectionDraft) -> String? {
    if left.title.bytes != right.title.bytes { return "the title" }
    if left.icon?.bytes != right.icon?.bytes { return "the icon" }
    if left.description?.bytes != right.description?.bytes { return "the description" }
    if left.isCollapsed != right.isCollapsed { return "the collapsed state" }
    if left.sortOrder?.bytes != right.sortOrder?.bytes { return "the sort order" }
    return left.members?.bytes != right.members?.bytes ? "another member" : nil
  }

  private static func difference(_ left: CardDraft, _ right: CardDraft) -> String? {
    if left.front.bytes != right.front.bytes { return "the front" }
    if left.back.bytes != right.back.bytes { return "the back" }
    if left.tags.map(\.bytes) != right.tags.map(\.bytes) { return "the tags" }
    if left.hint?.bytes != right.hint?.bytes { return "the hint" }
    if left.source?.bytes != right.source?.bytes { return "the source" }
    if left.review?.bytes != right.review?.bytes { return "the schedule" }
    if left.sortOrder?.bytes != right.sortOrder?.bytes { return "the sort order" }
    return left.members?.bytes != right.members?.bytes ? "another member" : nil
  }

  private static func difference(_ left: StepDraft, _ right: StepDraft) -> String? {
    if left.title.bytes != right.title.bytes { return "the title" }
    if left.details?.bytes != right.details?.bytes { return "the description" }
    if left.isRequired != right.isRequired || left.isOptional != right.isOptional {
      return "“required” or “optional”"
    }
    if left.minutes?.bytes != right.minutes?.bytes { return "the minutes" }
    if left.tags.map(\.bytes) != right.tags.map(\.bytes) { return "the tags" }
    if left.sortOrder?.bytes != right.sortOrder?.bytes { return "the sort order" }
    return left.members?.bytes != right.members?.bytes ? "another member" : nil
  }
}
