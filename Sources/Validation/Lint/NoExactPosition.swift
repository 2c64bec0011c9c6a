import Diagnostics

/// An exact position is published only on purpose.
///
/// Waypoints and harbour lights belong in checklists; last night's anchorage perhaps does not. The finding is only a
/// note, and each text has at most one. Positions in whole minutes are never reported.
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Buoys", "content_data": {
///   "markdown": "Pick up the buoy at 37° 58′.2 N 020° 44′.6 E.\n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Mayday", "language": "ru", "content_data": {
///   "markdown": "Место: 43°35′ с. ш. 039°43′ в. д., крен 5°, 1.500, 2.000 об/мин, 12.50, 13.80 В\n"}}
/// ```
struct NoExactPosition: Rule {
  static let code = DiagnosticCode(
    "LNT0605", "exact-position", .note, "A text contains an exact position.",
    why: "a published text shows everyone where a person was or will be",
    fix: "leave the position if it is meant to be public, or remove it")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .manyDigits) { text in
      guard let range = ExactPosition.first(in: text.bytes, { !$0.isHome }) else { return }
      report.finding("\(Quotation.of(text.bytes, range)) is an exact position", at: text.node, in: range)
    }
  }
}
