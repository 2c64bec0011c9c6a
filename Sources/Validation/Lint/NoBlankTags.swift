import Diagnostics

/// A tag is not blank.
///
/// `--fix` removes blank tags.
///
/// ```json bad /tags/1
/// {"content_type": "checklist", "title": "Fire", "tags": ["fire", " "], "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Пожар", "tags": ["пожар"], "content_data": {"sections": []}}
/// ```
struct NoBlankTags: Rule {
  static let code = DiagnosticCode(
    "LNT0403", "blank-tag", .warning, "A tag is blank.",
    why: "the app shows an empty label, and no search finds the tag", fix: "remove the tag")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for text in item.tagTexts where text.isBlank {
      report.finding(
        text.bytes.isEmpty ? "a tag is empty" : "a tag contains only blanks", at: text.node, edit: .remove)
    }
  }
}
