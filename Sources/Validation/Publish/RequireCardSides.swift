import Diagnostics

/// Every published card has a front and a back.
///
/// ```json bad /content_data/cards/0/back /content_data/cards/1/front
/// {"content_type": "flashcard_deck", "title": "Огни", "content_data": {"cards": [
///   {"front": "Два красных огня?", "back": " "}, {"front": "", "back": "Стоит на якоре"}]}}
/// ```
///
/// ```json good
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": [
///   {"front": "Two all-round red lights?", "back": "Not under command"}]}}
/// ```
struct RequireCardSides: Rule {
  static let code = DiagnosticCode(
    "PUB0113", "card-side-missing", .error, "A card lacks its front or its back.",
    why: "learners see no question or no answer", fix: "write the missing side, or delete the card")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for (number, card) in item.cards.enumerated() {
      if card.front?.saysNothing ?? true {
        report.finding("card \(number + 1) has no front", at: card.front?.node ?? card.node)
      }
      if card.back?.saysNothing ?? true {
        report.finding(
          card.front?.saysNothing ?? true
            ? "card \(number + 1) has no back" : "the card \(card.front.quoted) has no back",
          at: card.back?.node ?? card.node)
      }
    }
  }
}
