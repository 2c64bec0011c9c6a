import Diagnostics

/// The back of a card says something else than its front.
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
    "LNT0701", "card-answers-itself", .warning, "The back of a card says the same as its front.",
    why: "nobody can learn from it", fix: "ask a question on the front, and answer it on the back")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for card in item.cards {
      guard let front = card.front, let back = card.back, FoldedBytes.same(front.bytes, back.bytes),
        // A card of two dashes is another rule's.
        FoldedBytes.hash(front.bytes) != nil
      else { continue }
      report.finding("front and back of the card \(front.quoted) say the same", at: back.node)
    }
  }
}
