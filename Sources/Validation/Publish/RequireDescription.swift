import Diagnostics

/// What is published has a description.
///
/// The description is what people read in the library of shared content before they open or fork anything.
///
/// ```json bad /description
/// {"content_type": "checklist", "title": "Leaving the berth", "description": "  ", "content_data": {"sections": []}}
/// ```
///
/// ```json bad /description
/// {"content_type": "checklist", "title": "Leaving the berth", "description": null, "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "description": "For two, stern-to, offshore wind.",
///  "content_data": {"sections": []}}
/// ```
struct RequireDescription: Rule {
  static let code = DiagnosticCode(
    "PUB0104", "no-description", .error, "An item has no description.",
    why: "the app does not publish it: others could not tell what it is for",
    fix: "say in a sentence for whom and for what it is")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let root = item.root, item.description?.saysNothing ?? true else { return }
    report.finding(
      item.description == nil ? "there is no description" : "the description is blank",
      at: item.description?.node ?? root.member("description") ?? root)
  }
}
