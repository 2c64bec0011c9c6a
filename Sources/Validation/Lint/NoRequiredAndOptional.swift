import Diagnostics

/// A step is required or optional, never both.
///
/// The app stores two switches for each step. If both are set, the crew cannot tell whether the checklist is complete
/// without the step.
///
/// ```json bad /content_data/sections/0/items/0/isOptional
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "Below", "items": [{"title": "Seacocks open", "isRequired": true, "isOptional": true}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "Below", "items": [{"title": "Seacocks open", "isRequired": true}]}]}}
/// ```
struct NoRequiredAndOptional: Rule {
  static let code = DiagnosticCode(
    "LNT0201", "required-and-optional", .warning, "A step is both required and optional.",
    why: "it is unclear whether the checklist is complete without the step",
    fix: "set isOptional or isRequired to false")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for step in item.steps where ItemOutline.isTrue(step.isOptional) && ItemOutline.isTrue(step.isRequired) {
      guard let node = step.isOptional else { continue }
      report.finding(
        "the step \(step.title.quoted) is both required and optional", at: node,
        label: "isRequired is also true")
    }
  }
}
