import Diagnostics

/// Every code block is closed.
///
/// Without the closing line, all text up to the end of the guide is code. Headings, lists and links in it do not work
/// in any program that reads Markdown.
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
    "LNT0309", "unclosed-fence", .warning, "A code block is never closed.",
    why: "programs read the rest of the guide as code, including its headings and lists",
    fix: "close the block with the same marks on a separate line")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let (text, scan) = item.guide, let fence = scan.openFence else { return }
    report.finding(
      "the code block that begins with \(Quotation.of(text.bytes.span, fence)) is never closed", at: text.node,
      in: fence)
  }
}
