import Content
import Diagnostics
import JSONText

/// A pending withdrawal names its publication: `{"public_id": "…"}`.
///
/// When a withdrawal is sent, the item itself no longer has its public id. Early versions of the app queued withdrawals
/// without a payload and marked them as done, so the content stayed public.
///
/// ```json bad /payload
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "unpublish", "payload": null}]
/// ```
///
/// ```json bad /payload/public_id
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "unpublish", "payload": {"public_id": ""}}]
/// ```
///
/// ```json good
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "unpublish", "payload": {"public_id": "night-orders-3F2A0001"}}]
/// ```
struct WithdrawalNamesPublication: Rule {
  static let code = DiagnosticCode(
    "PUB0119", "withdrawal-of-nothing", .error, "A withdrawal does not name its publication.",
    why: "the app sends no request, and the content stays public",
    fix: "run 'fleetkit doctor --repair', which finds the public id in earlier operations")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    guard kind == .syncOperation, let operation = PendingOperation(record), operation.kind == .withdrawal else {
      return
    }
    guard let payload = operation.payload, payload.kind == .object else {
      return report.finding("the operation does not name the publication to withdraw", at: operation.payload ?? record)
    }
    guard let id = payload.member("public_id"), !id.isNull else {
      return report.finding("the payload has no public_id", at: payload.member("public_id") ?? payload)
    }
    if !PublicIDIsSlug.isSlug(id) { report.finding("the public id \(Quotation.of(id)) is not a slug", at: id) }
  }
}
