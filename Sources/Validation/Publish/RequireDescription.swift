import Diagnostics

/// A published item has a description.
///
/// People read the description in the library of shared content before they open or fork an item.
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
    why: "the app does not publish the item, because others could not tell its purpose",
    fix: "describe in a sentence what the item is for, and for whom")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let root = item.root, item.description?.saysNothing ?? true else { return }
    report.finding(
      item.description == nil ? "the description is missing" : "the description is blank",
      at: item.description?.node ?? root.member("description") ?? root)
  }
}
