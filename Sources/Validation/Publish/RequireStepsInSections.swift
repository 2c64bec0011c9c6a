import Diagnostics

/// Every section of a published checklist has a step.
///
/// An empty section does not help others. An item that the app queued with an empty section is sent anyway.
///
/// ```json bad /content_data/sections/1/items
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "Below", "items": [{"title": "Seacocks open"}]}, {"title": "On deck", "items": []}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "Below", "items": [{"title": "Seacocks open"}]}]}}
/// ```
struct RequireStepsInSections: Rule {
  static let code = DiagnosticCode(
    "PUB0109", "section-without-steps", .error, "A section has no steps.",
    why: "others would see a heading without steps", fix: "add its steps, or delete the section")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for section in item.sections where section.steps.isEmpty {
      report.finding("the section \(section.title.quoted) is empty", at: section.items ?? section.node)
    }
  }
}
