import Diagnostics

/// A heading has text, and content under it.
///
/// A heading without text, or a heading that is immediately followed by another heading of the same level, is usually
/// an unwritten section. A deeper heading may follow immediately.
///
/// ```json bad /content_data/markdown /content_data/markdown
/// {"content_type": "practice_guide", "title": "Night watch", "content_data": {
///   "markdown": "# Night watch\n\n## Before dark\n\n## Handing over\n\nAloud.\n\n##\n\nSleep.\n"}}
/// ```
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Ночная вахта", "content_data": {
///   "markdown": "# Ночная вахта\n\n## Смена\n\nВслух.\n\n## Подвахта\n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Night watch", "content_data": {
///   "markdown": "# Night watch\n\n## Handing over\n\nAloud.\n"}}
/// ```
struct NoEmptyHeading: Rule {
  static let code = DiagnosticCode(
    "LNT0303", "empty-heading", .note, "A heading has no text, or no content under it.",
    why: "readers look for a section that was never written",
    fix: "write the section, or remove the heading")

  private static let most = 20

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let (text, scan) = item.guide else { return }
    let headings = scan.headings
    // A guide that consists only of headings is a plan, not twenty mistakes.
    var found = 0
    for (index, heading) in headings.enumerated() where found < Self.most {
      if heading.text.isEmpty {
        found += 1
        report.finding("a heading of level \(heading.level) has no text", at: text.node, in: heading.range)
        continue
      }
      let isLast = index + 1 == headings.count
      guard !heading.hasContent, isLast || headings[index + 1].level <= heading.level else { continue }
      found += 1
      report.finding(
        "no content under the heading \(Quotation.of(text.bytes.span, heading.text))", at: text.node,
        in: heading.range,
        label: isLast ? "the guide ends here" : "the next heading follows immediately")
    }
  }
}
