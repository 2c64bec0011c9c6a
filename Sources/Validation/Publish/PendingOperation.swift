import JSONText

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
