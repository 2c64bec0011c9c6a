import Diagnostics

/// A guide's headings go down one level at a time.
///
/// To a reader, and even more to a listener, a skipped level looks like a missing section. A guide may begin at any
/// level.
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Reefing", "content_data": {
///   "markdown": "# Reefing\n\nEarly.\n\n### At the mast\n\nOne hand for the boat.\n"}}
/// ```
///
/// Going up may skip levels:
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Взятие рифов", "content_data": {
///   "markdown": "## Когда\n\nРано.\n\n### У мачты\n\nОдной рукой.\n\n# Потом\n\nЗаписать.\n"}}
/// ```
struct NoHeadingJump: Rule {
  static let code = DiagnosticCode(
    "LNT0301", "heading-jump", .warning, "A heading skips a level.",
    why: "a skipped level looks like a missing section",
    fix: "make the heading one level deeper than the previous one")

  /// The maximum number of findings in one guide. More findings add no information.
  private static let most = 20

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let (text, scan) = item.guide else { return }
    var level: Int?
    var found = 0
    for heading in scan.headings where found < Self.most {
      defer { level = heading.level }
      guard let before = level, heading.level > before + 1 else { continue }
      found += 1
      report.finding(
        "the heading \(Quotation.of(text.bytes.span, heading.text)) has level \(heading.level), but the previous one has "
          + "level \(before)",
        at: text.node, in: heading.range, label: "level \(before + 1) is missing",
        fix: "make it “\(String(repeating: "#", count: before + 1)) …”, or add the missing heading")
    }
  }
}
