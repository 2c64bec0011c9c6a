import Diagnostics

/// A card's back differs from its front.
///
/// ```json bad /content_data/cards/0/back
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": [
///   {"front": "Not under command", "back": "Not under command."}]}}
/// ```
///
/// ```json good
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": [
///   {"front": "Two all-round red lights?", "back": "Not under command"}, {"front": "—", "back": "…"}]}}
/// ```
struct NoCardAnsweringItself: Rule {
  static let code = DiagnosticCode(
    "LNT0701", "card-answers-itself", .warning, "A card's back repeats its front.",
    why: "the card teaches nothing", fix: "ask a question on the front, and answer it on the back")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for card in item.cards {
      guard let front = card.front, let back = card.back, FoldedBytes.same(front.bytes.span, back.bytes.span),
        // Another rule reports a card with two dashes.
        FoldedBytes.hash(front.bytes.span) != nil
      else { continue }
      report.finding("the front and the back of the card \(front.quoted) are the same", at: back.node)
    }
  }
}
