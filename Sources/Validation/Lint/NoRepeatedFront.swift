import Diagnostics

/// A deck asks every question only once.
///
/// Fronts are the same if they differ only in case, blanks and punctuation.
///
/// ```json bad /content_data/cards/1/front
/// {"content_type": "flashcard_deck", "title": "Огни", "content_data": {"cards": [
///   {"front": "Два красных огня?", "back": "Лишено возможности управляться"},
///   {"front": "два красных огня", "back": "Не управляется"}]}}
/// ```
///
/// ```json good
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": [
///   {"front": "Two red lights?", "back": "Not under command"}, {"front": "Three red lights?", "back": "Draught"}]}}
/// ```
struct NoRepeatedFront: Rule {
  static let code = DiagnosticCode(
    "LNT0702", "repeated-front", .warning, "Two cards of a deck have the same front.",
    why: "learners get one question with two answers", fix: "delete one of the cards, or reword its question")

  private var repeats = RepeatFinder()

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    repeats.find(
      item.cards.indices, number: { item.cards[$0].front.flatMap { FoldedBytes.hash($0.bytes.span) } },
      same: { first, second in
        guard let first = item.cards[first].front, let second = item.cards[second].front else { return false }
        return FoldedBytes.same(first.bytes.span, second.bytes.span)
      },
      found: { index, first in
        guard let front = item.cards[index].front else { return }
        report.finding(
          "the card \(front.quoted) is already in the deck", at: front.node, label: "the same as card \(first + 1)")
      })
  }
}
