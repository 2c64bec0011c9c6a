import Content
import Diagnostics

/// A published item is a checklist, a practice guide or a flashcard deck.
///
/// The registry refuses every other type, and the app of a person who forks such an item could not show it.
///
/// ```json bad /payload/content_type
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": {"title": "Night orders", "content_type": "logbook",
///    "content_data": {"id": "3F2A0001-0000-4000-8000-000000000001"}, "public_id": "night-orders-3F2A0001"}}]
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Night orders", "content_data": {"markdown": "Call me in doubt."}}
/// ```
struct RequireKnownContentType: Rule {
  static let code = DiagnosticCode(
    "PUB0101", "unpublishable-type", .error, "The content type cannot be published.",
    why: "the registry refuses the item", fix: "use checklist, practice_guide or flashcard_deck")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard item.type == nil, let root = item.root else { return }
    guard let node = item.contentType else {
      if root.member("contentType") == nil { report.finding("the content type is missing", at: root) }
      return
    }
    report.finding("unknown content type \(Quotation.of(node))", at: node, label: "not a content type")
  }
}
