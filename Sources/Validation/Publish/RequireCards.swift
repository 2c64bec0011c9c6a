import Content
import Diagnostics

/// A published deck has at least one card.
///
/// ```json bad /content_data/cards
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": []}}
/// ```
///
/// ```json good
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": [
///   {"front": "Two all-round red lights?", "back": "Not under command"}]}}
/// ```
struct RequireCards: Rule {
  static let code = DiagnosticCode(
    "PUB0112", "no-cards", .error, "A deck has no cards.",
    why: "learners find no content", fix: "add cards, or do not publish the deck yet")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard item.type == .flashcardDeck, item.cards.isEmpty, let document = item.document, document.kind == .object
    else { return }
    report.finding("the deck has no cards", at: item.cardsNode ?? document)
  }
}
