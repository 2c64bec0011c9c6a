import Diagnostics

/// A card has text on both sides.
///
/// ```json bad /content_data/cards/0/back /content_data/cards/1/front
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": [
///   {"front": "Two all-round red lights?", "back": " "}, {"front": "\t", "back": "At anchor"}]}}
/// ```
///
/// ```json good
/// {"content_type": "flashcard_deck", "title": "Огни", "content_data": {"cards": [
///   {"front": "Два красных огня?", "back": "Лишено возможности управляться"}]}}
/// ```
struct RequireBothSides: Rule {
  static let code = DiagnosticCode(
    "LNT0703", "blank-card-side", .warning, "One side of a card is blank.",
    why: "learners see a question without an answer, or an answer without a question",
    fix: "write the missing side, or delete the card")
  static let yieldsTo = [RequireCardSides.code]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for (number, card) in item.cards.enumerated() {
      if let front = card.front, front.saysNothing {
        report.finding("the front of card \(number + 1) is blank", at: front.node)
      }
      if let back = card.back, back.saysNothing {
        report.finding("the back of card \(number + 1) is blank", at: back.node)
      }
    }
  }
}
