import Diagnostics

/// An emergency checklist has no optional steps.
///
/// When a person is in the water, the crew has no time to decide which steps to skip. Steps that can wait belong in a
/// separate checklist.
///
/// ```json bad /content_data/sections/0/items/1/isOptional
/// {"content_type": "checklist", "title": "Man overboard", "content_data": {"checklistType": "emergency", "sections": [
///   {"title": "First seconds", "items": [{"title": "Shout and point", "isRequired": true},
///     {"title": "Throw the horseshoe", "isOptional": true}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Provisions", "content_data": {"checklistType": "provisioning", "sections": [
///   {"title": "Drinks", "items": [{"title": "Water, 60 l", "isRequired": true}, {"title": "Tea", "isOptional": true}]}]}}
/// ```
struct NoOptionalStepInEmergency: Rule {
  static let code = DiagnosticCode(
    "LNT0203", "optional-in-emergency", .warning, "A step in an emergency checklist is optional.",
    why: "in an emergency, the crew has no time to decide which steps to skip",
    fix: "make the step required, or move it into a separate checklist")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let type = item.checklistType, type.equals("emergency") else { return }
    for step in item.steps {
      guard let node = step.isOptional, ItemOutline.isTrue(node) else { continue }
      report.finding("the step \(step.title.quoted) in an emergency checklist is optional", at: node)
    }
  }
}
