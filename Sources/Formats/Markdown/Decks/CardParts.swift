/// A card while its lines are gathered.
struct CardParts {
  /// Where its first line begins.
  var start: Int
  var front = TextPieces()
  var back = TextPieces()
  /// Where the texts would stand if there are none.
  var frontPlace: Int
  var backPlace: Int
  var tags: [SourcedText] = []
  /// What its comment says; nil without one of FleetKit's.
  var comment: CardComment?

  init(start: Int, frontPlace: Int) {
    self.start = start
    self.frontPlace = frontPlace
    backPlace = frontPlace
  }

  /// Where its last text ends.
  private var end: Int {
    max(frontPlace, backPlace, front.parts.last?.upperBound ?? 0, back.parts.last?.upperBound ?? 0)
  }

  /// Makes the card: takes off blank lines, and the tags and the schedule at its end.
  mutating func finish(_ bytes: UnsafeBufferPointer<UInt8>, lastIsCode: Bool = false) -> CardDraft {
    front.trim(bytes)
    back.trim(bytes)
    let range = start..<max(start, end)
    var review: SourcedText?
    // What FleetKit writes says everything in its comment: a '#word' at the end of an answer is no tag there.
    if comment == nil, !lastIsCode {
      if back.isEmpty {
        review = Self.takeSchedule(bytes, &front)
        tags += Self.takeTags(bytes, &front)
      } else {
        review = Self.takeSchedule(bytes, &back)
        tags += Self.takeTags(bytes, &back)
      }
    }
    var card = CardDraft(
      front: front.text(bytes, orAt: frontPlace), back: back.text(bytes, orAt: backPlace), tags: tags, review: review,
      range: range)
    comment?.apply(to: &card)
    return card
  }

  private static func takeSchedule(_ bytes: UnsafeBufferPointer<UInt8>, _ text: inout TextPieces) -> SourcedText? {
    guard let last = text.parts.last, let (start, review) = ScheduleComment.read(bytes, last),
      text.parts.count > 1 || start > last.lowerBound
    else { return nil }
    text.cutLast(at: start)
    text.trim(bytes)
    return SourcedText(bytes: review, range: start..<last.upperBound)
  }

  private static func takeTags(_ bytes: UnsafeBufferPointer<UInt8>, _ text: inout TextPieces) -> [SourcedText] {
    guard let last = text.parts.last else { return [] }
    let (found, rest) = CardTags.atEnd(bytes, last)
    guard !found.isEmpty, !rest.isEmpty || text.parts.count > 1 else { return [] }
    text.cutLast(at: rest.upperBound)
    text.trim(bytes)
    return found.map { SourcedText(bytes, $0) }
  }
}
