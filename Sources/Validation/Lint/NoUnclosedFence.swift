import Diagnostics

/// A block of code is closed.
///
/// Without its closing line, everything down to the end of the guide is code. Headings, lists and links in it do not
/// work in any program that reads Markdown.
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Forecast", "content_data": {
///   "markdown": "# Forecast\n\n```\nN 6 LOC 7\n\n## What it means\n\nReef.\n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Прогноз", "content_data": {
///   "markdown": "# Прогноз\n\n~~~\nС 6 ПОР 7\n~~~\n\n## Что это значит\n\nРифы.\n"}}
/// ```
struct NoUnclosedFence: Rule {
  static let code = DiagnosticCode(
    "LNT0309", "unclosed-fence", .warning, "A block of code is never closed.",
    why: "the rest of the guide is read as code, including its headings and lists",
    fix: "close the block with the same marks on a line of their own")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let (text, scan) = item.guide, let fence = scan.openFence else { return }
    report.finding(
      "the block of code that begins with \(Quotation.of(text.bytes, fence)) is never closed", at: text.node, in: fence)
  }
}
