import Diagnostics

/// Text does not reveal the home of a boat or a person.
///
/// An exact position together with words like `berth`, `home` or `стоянка` shows where the boat is when it is
/// unattended. Positions in whole minutes and harbour positions are not secret.
///
/// ```json bad /description
/// {"content_type": "checklist", "title": "Leaving", "description": "Our berth: 37°56.512'N 23°38.907'E",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json bad /description
/// {"content_type": "checklist", "title": "Выход", "language": "ru", "description": "Стоянка 43.58112, 39.71834",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Entering", "description": "Harbour light 37° 56.5′ N 23° 38.9′ E, berth free",
///  "content_data": {"sections": []}}
/// ```
struct NoHomePosition: Rule {
  static let code = DiagnosticCode(
    "LNT0604", "home-position", .warning, "Text reveals the home of a boat or a person.",
    why: "readers learn where the boat is when it is unattended", fix: "name the harbour instead of the exact position")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .manyDigits) { text in
      guard let range = ExactPosition.first(in: text.bytes.span, \.isHome) else { return }
      report.finding("is \(Quotation.of(text.bytes.span, range)) your berth or home?", at: text.node, in: range)
    }
  }
}
