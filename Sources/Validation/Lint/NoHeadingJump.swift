import Diagnostics

/// Headings of a guide go down one level at a time.
///
/// A reader, and even more so somebody who listens to the guide, takes a level that is left out for a part that is
/// missing. A guide may begin at any level.
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
    why: "a level that is left out looks like a part of the guide that is missing",
    fix: "give the heading the level below the one before it")

  /// More findings in one guide tell nothing new.
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
        "the heading \(Quotation.of(text.bytes, heading.text)) is of level \(heading.level), the one before it of "
          + "level \(before)",
        at: text.node, in: heading.range, label: "level \(before + 1) is missing",
        fix: "make it “\(String(repeating: "#", count: before + 1)) …”, or add the heading that is missing")
    }
  }
}
