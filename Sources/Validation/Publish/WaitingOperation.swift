import JSONText

/// A row of the queue that the next run would send.
struct WaitingOperation {
  /// What the row asks for.
  enum Kind {
    /// Publish an item, or replace what was published.
    case publication
    /// Withdraw it.
    case withdrawal
  }

  let kind: Kind
  /// Its payload; nil or null when it has none.
  let payload: JSONNode?

  /// How often the app tries before it gives up.
  private static let tries = 3

  /// Reads a row; nil when it was sent, was given up, or when nobody knows what it asks for.
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
  /// Where such a name is, what is missing under the right one is no second finding.
  static let oldNames: [(old: StaticString, new: StaticString)] = [
    ("contentType", "content_type"), ("contentData", "content_data"), ("publicID", "public_id"),
    ("publicId", "public_id"), ("forkedFromID", "forked_from_id"), ("forkedFromId", "forked_from_id"),
  ]

  /// The payload of a publication, which rules about items look at as well.
  var publishedItem: JSONNode? {
    guard kind == .publication, let payload, payload.kind == .object else { return nil }
    return payload
  }
}
