import JSONText

/// A row of the queue that the next run would send.
struct PendingOperation {
  /// What the operation does.
  enum Kind {
    /// Publish an item, or replace what was published.
    case publication
    /// Withdraw it.
    case withdrawal
  }

  let kind: Kind
  /// Its payload; nil or null if it is missing.
  let payload: JSONNode?

  /// The number of times that the app tries before it gives up.
  private static let tries = 3

  /// Reads a row; nil if it was sent or given up, or if its operation is unknown.
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

  /// Names that an early version of the app used, with the ones that a registry reads.
  ///
  /// Where a payload has such a name, the missing right name is not reported as well.
  static let oldNames: [(old: StaticString, new: StaticString)] = [
    ("contentType", "content_type"), ("contentData", "content_data"), ("publicID", "public_id"),
    ("publicId", "public_id"), ("forkedFromID", "forked_from_id"), ("forkedFromId", "forked_from_id"),
  ]

  /// The payload of a publication, which rules about items check as well.
  var publishedItem: JSONNode? {
    guard kind == .publication, let payload, payload.kind == .object else { return nil }
    return payload
  }
}
