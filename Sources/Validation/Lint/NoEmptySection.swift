import Diagnostics

/// A section has at least one step.
///
/// An empty section is usually a heading whose steps were forgotten, or was left behind when its steps were moved.
///
/// ```json bad /content_data/sections/0/items
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "On deck", "items": []}, {"title": "Below", "items": [{"title": "Seacocks open"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Blank draft", "content_data": {"sections": []}}
/// ```
struct NoEmptySection: Rule {
  static let code = DiagnosticCode(
    "LNT0202", "empty-section", .warning, "A section has no steps.",
    why: "the crew reads a heading and finds no steps under it", fix: "add its steps, or delete the section")
  static let yieldsTo = [RequireStepsInSections.code]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for section in item.sections where section.steps.isEmpty {
      report.finding("the section \(section.title.quoted) has no steps", at: section.items ?? section.node)
    }
  }
}
