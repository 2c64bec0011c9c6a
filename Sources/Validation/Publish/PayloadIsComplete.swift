import Content
import Diagnostics
import JSONText

/// A pending publish operation has a complete payload with the member names that the registry reads.
///
/// Early versions of the app queued payloads in camelCase, payloads without a public id, or operations without a
/// payload. A document that lacks a member that the app decodes cannot be forked.
///
/// ```json bad /payload
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": null}]
/// ```
///
/// ```json bad /payload/contentType /payload/contentData /payload/publicID
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": {"title": "Night orders", "contentType": "practice_guide",
///    "contentData": "{}", "publicID": "night-orders-3F2A0001"}}]
/// ```
///
/// ```json bad /payload /payload/content_data
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish_update", "payload": {"title": "Night orders", "content_type": "practice_guide",
///    "content_data": {"title": "Night orders", "markdown": "Call me in doubt."}}}]
/// ```
///
/// ```json good
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": {"title": "Night orders", "content_type": "practice_guide",
///    "content_data": {"id": "3F2A0001-0000-4000-8000-000000000001", "title": "Night orders",
///     "markdown": "Call me in doubt.", "tags": [], "createdAt": "2026-01-05T10:11:12Z",
///     "updatedAt": "2026-01-05T10:11:12Z", "syncStatus": "pending"},
///    "public_id": "night-orders-3F2A0001"}},
///  {"kind": "sync_operation", "id": 2, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": null, "synced_at": "2026-01-05T10:11:12.000Z"}]
/// ```
struct PayloadIsComplete: Rule {
  static let code = DiagnosticCode(
    "PUB0117", "payload-incomplete", .error, "A pending operation is incomplete.",
    why: "the registry refuses the operation, or others cannot fork the published item",
    fix: "run 'fleetkit doctor --repair', or publish the item again from the app")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    guard kind == .syncOperation, let operation = PendingOperation(record), operation.kind == .publication else {
      return
    }
    guard let payload = operation.payload, payload.kind == .object else {
      let what = operation.payload.map { $0.isNull ? "the payload is missing" : "the payload is not an object" }
      return report.finding(what ?? "the payload is missing", at: operation.payload ?? record)
    }
    if Self.reportOldNames(payload, report) { return }
    let publicID = payload.member("public_id")
    if publicID?.isNull ?? true || publicID?.kind == .string && publicID?.inner.isEmpty ?? true {
      report.finding("the payload has no public_id", at: publicID ?? payload)
    }
    checkDocument(payload, report)
  }

  private static func reportOldNames(_ payload: JSONNode, _ report: RuleReport) -> Bool {
    var isOld = false
    payload.forEachMember { name, _ in
      guard let pair = PendingOperation.oldNames.first(where: { name.equals($0.old) }) else { return }
      isOld = true
      report.finding("“\(pair.old)” must be called “\(pair.new)”", at: name)
    }
    return isOld
  }

  private func checkDocument(_ payload: JSONNode, _ report: RuleReport) {
    guard let document = payload.member("content_data"), document.kind == .object else { return }
    let type = payload.member("content_type")?.string ?? ""
    let body: StaticString? =
      switch ContentType(rawValue: type) {
      case .checklist: "sections"
      case .practiceGuide: "markdown"
      case .flashcardDeck: "cards"
      case nil: nil
      }
    let wanted: [StaticString] = ["id", "title"] + (body.map { [$0] } ?? []) + Self.tail
    let missing = wanted.filter { document.member($0)?.isNull ?? true }
    guard !missing.isEmpty else { return }
    report.finding("the document has no \(missing.map { "\($0)" }.joined(separator: ", no "))", at: document)
  }

  private static let tail: [StaticString] = ["tags", "createdAt", "updatedAt", "syncStatus"]
}

/// A queue row that the next run would send.
struct PendingOperation {
  /// The effect of the operation.
  enum Kind {
    /// Publishes an item, or replaces its publication.
    case publication
    /// Withdraws a publication.
    case withdrawal
  }

  let kind: Kind
  /// The payload; nil or null if it is missing.
  let payload: JSONNode?

  /// The maximum number of attempts that the app makes.
  private static let tries = 3

  /// Reads a row. Fails if the row was sent or has no attempts left, or if its operation is unknown.
  init?(_ record: JSONNode) {
    guard record.member("synced_at")?.isNull ?? true,
      (record.member("retry_count")?.plainInteger ?? 0) < Self.tries, let operation = record.member("operation")
    else { return nil }
    if operation.equals("publish") || operation.equals("publish_update") {
      kind = .publication
    } else if operation.equals("unpublish") {
      kind = .withdrawal
    } else {
      return nil
    }
    payload = record.member("payload")
  }

  /// Names that an early version of the app used, with the names that a registry reads.
  ///
  /// If a payload has such a name, the missing correct name is not reported in addition.
  static let oldNames: [(old: StaticString, new: StaticString)] = [
    ("contentType", "content_type"), ("contentData", "content_data"), ("publicID", "public_id"),
    ("publicId", "public_id"), ("forkedFromID", "forked_from_id"), ("forkedFromId", "forked_from_id"),
  ]

  /// The payload of a publication. Rules about items also check it.
  var publishedItem: JSONNode? {
    guard kind == .publication, let payload, payload.kind == .object else { return nil }
    return payload
  }
}
