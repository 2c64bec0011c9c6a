import Content
import Diagnostics
import JSONText

/// Times in a payload are written in whole seconds: `2026-01-05T10:11:12Z`.
///
/// Apple's decoder rejects a fraction in these times, so the published item could not be opened. Versions of the app up
/// to January 2026 wrote a time as a number of seconds since 2001.
///
/// ```json bad /payload/content_data/createdAt /payload/content_data/updatedAt
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": {"title": "Night orders", "content_type": "practice_guide",
///    "content_data": {"id": "3F2A0001-0000-4000-8000-000000000001", "markdown": "Call me in doubt.",
///     "createdAt": "2026-01-05T10:11:12.345Z", "updatedAt": 797072400.136},
///    "public_id": "night-orders-3F2A0001"}}]
/// ```
///
/// ```json good
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": {"title": "Night orders", "content_type": "practice_guide",
///    "content_data": {"id": "3F2A0001-0000-4000-8000-000000000001", "markdown": "Call me in doubt.",
///     "createdAt": "2026-01-05T10:11:12Z", "updatedAt": "2026-01-05T10:11:12Z"},
///    "public_id": "night-orders-3F2A0001"}}]
/// ```
struct PayloadDatesAreWholeSeconds: Rule {
  static let code = DiagnosticCode(
    "PUB0118", "payload-date", .error, "A time in a payload is not written in whole seconds.",
    why: "the app of a person who forks the item cannot decode the time and shows nothing",
    fix: "write the time as 2026-01-05T10:11:12Z")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    guard kind == .syncOperation, let document = PendingOperation(record)?.publishedItem?.member("content_data")
    else { return }
    checkDate(of: document, "createdAt", report)
    checkDate(of: document, "updatedAt", report)
    document.member("cards")?.forEachElement { card in
      guard let review = card.member("review") else { return }
      checkDate(of: review, "lastReviewed", report)
      checkDate(of: review, "due", report)
    }
  }

  private func checkDate(of object: JSONNode, _ name: StaticString, _ report: RuleReport) {
    guard let value = object.member(name), !value.isNull,
      !(value.kind == .string && Timestamp.isWholeSeconds(value.inner.span))
    else { return }
    report.finding(
      "“\(name)” is \(Quotation.of(value)), not a time in whole seconds", at: value,
      edit: value.string.flatMap { Timestamp.parse($0) }.map { .text($0.0.wholeSeconds) })
  }
}
