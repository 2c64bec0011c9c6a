import Content
import Diagnostics

/// A published checklist has at least one section.
///
/// ```json bad /content_data/sections
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "Below", "items": [{"title": "Seacocks open"}]}]}}
/// ```
struct RequireSections: Rule {
  static let code = DiagnosticCode(
    "PUB0108", "no-sections", .error, "A checklist has no sections.",
    why: "the crew finds no steps to tick", fix: "add a section with the steps, or do not publish the checklist")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard item.type == .checklist, item.sections.isEmpty, let document = item.document, document.kind == .object
    else { return }
    report.finding("the checklist has no sections", at: item.sectionsNode ?? document)
  }
}
