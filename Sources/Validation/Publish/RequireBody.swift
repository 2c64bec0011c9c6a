import Content
import Diagnostics

/// A published item has a body.
///
/// An item without `content_data` is only a title. In early versions of the app, the body was a string that contained
/// JSON. People who fork such an item get no content, so the body must be an object.
///
/// ```json bad /content_data
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": null}
/// ```
///
/// ```json bad /payload/content_data
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": {"title": "Night orders", "content_type": "practice_guide",
///    "content_data": "{\"markdown\":\"Call me in doubt.\"}", "public_id": "night-orders-3F2A0001"}}]
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Night orders", "content_data": {"markdown": "Call me in doubt."}}
/// ```
struct RequireBody: Rule {
  static let code = DiagnosticCode(
    "PUB0102", "no-body", .error, "An item has no body.",
    why: "people would find a title without content",
    fix: "write the body, or restore it from a backup if it was lost")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let root = item.root, item.document?.kind != .object else { return }
    guard let document = item.document, !document.isNull else {
      if root.member("contentData") == nil { report.finding("the body is missing", at: item.document ?? root) }
      return
    }
    report.finding(
      document.kind == .string ? "the body is a string, not an object" : "the body is not an object", at: document,
      fix: "make content_data an object, not a string that contains one")
  }
}
