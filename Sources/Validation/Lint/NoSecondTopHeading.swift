import Diagnostics

/// A guide has only one top-level heading.
///
/// The level-1 heading is the guide's title. A second one usually begins another guide, or should be one level lower.
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Anchoring", "content_data": {
///   "markdown": "# Anchoring\n\nLower it.\n\n# Mooring\n\nAnother subject.\n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Постановка на якорь", "content_data": {
///   "markdown": "# Постановка на якорь\n\n## Выбор места\n\nПесок.\n\n## Цепь\n\nПять глубин.\n"}}
/// ```
struct NoSecondTopHeading: Rule {
  static let code = DiagnosticCode(
    "LNT0302", "second-top-heading", .note, "A guide has more than one level-1 heading.",
    why: "the guide looks like two guides, and neither is found by its title",
    fix: "make the heading one level lower, or split the guide in two")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let (text, scan) = item.guide else { return }
    var tops = 0
    var second: MarkdownHeading?
    for heading in scan.headings where heading.level == 1 {
      tops += 1
      if tops == 2 { second = heading }
    }
    guard let second else { return }
    report.finding(
      "\(Quotation.of(text.bytes.span, second.text)) is the second of \(tops) level-1 headings", at: text.node,
      in: second.range, label: "level 1 again")
  }
}
