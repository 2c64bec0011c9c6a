import Content
import JSONText
import SQLiteIO

extension JSONNode {
  /// Whether a canonical item is marked as public but has no public id.
  package var isPublicWithoutID: Bool {
    guard member("visibility")?.equals("public") ?? false else { return false }
    return member("public_id").map { $0.isNull || $0.equals("") } ?? true
  }
}

/// Gives public items the queue row that the app needs to withdraw them.
///
/// If an item has no synced `publish` row, the app skips its `unpublish` and reports success, and the item stays
/// public. An added row records only that the item is public: its payload is `{"public_id":"…"}`, because the content
/// that was sent is unknown here. An instance is used from one thread.
/// - Source: formats/sqlite-library.md, `sync_queue`
package final class PublishedRows {
  /// A public item that lacks its queue row or its public id.
  package struct Item {
    package let id: String
    package let title: String
    /// The item's public id; nil if it has none.
    package let publicID: String?
  }

  private let connection: SQLiteConnection
  private let one: SQLiteStatement
  private let sent: SQLiteStatement
  private let time: SQLiteStatement
  private let insertion: SQLiteStatement
  private let now: Timestamp

  /// The public id in a payload, whichever build wrote it.
  private static let publicID = """
    iif(json_valid(payload), coalesce(json_extract(payload, '$.public_id'), json_extract(payload, '$.publicID')), NULL)
    """
  /// Selects public items without the row. An item whose publication is waiting or was refused needs no row: a waiting
  /// publication is sent first, and a refused one leaves nothing to withdraw.
  private static let all = """
    SELECT id, title, publicID, publishedAt FROM library_content AS item
    WHERE visibility IN ('public', 'unlisted') AND publicID <> '' AND NOT EXISTS (
      SELECT 1 FROM sync_queue WHERE contentID = item.id AND operation = 'publish'
      AND (syncedAt IS NULL OR \(publicID) = item.publicID))
    """

  /// Prepares a library whose schema has a queue; returns nil for one without a queue.
  /// - Parameters:
  ///   - tables: the columns of each table in the library.
  ///   - now: the publication time of items that do not record one.
  package init?(
    _ connection: SQLiteConnection, _ tables: [String: [String]], now: Timestamp
  ) throws(SQLiteError) {
    guard tables["sync_queue"]?.contains("contentID") ?? false, Self.hasPublicIDs(tables) else { return nil }
    self.connection = connection
    self.now = now
    one = try connection.prepare(Self.all + " AND id = ?", as: "read the queue")
    sent = try connection.prepare(
      """
      SELECT 1 FROM sync_queue WHERE contentID = ?1 AND operation = 'publish' AND syncedAt IS NOT NULL
      AND \(Self.publicID) = ?2
      """, as: "read the queue")
    time = try connection.prepare("SELECT publishedAt FROM library_content WHERE id = ?", as: "read the library")
    insertion = try connection.prepare(
      """
      INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, retryCount, syncedAt)
      VALUES (?1, 'publish', 'public', ?2, ?3, 0, ?3)
      """, as: "write to the queue")
  }

  /// Whether a schema has public ids.
  static func hasPublicIDs(_ tables: [String: [String]]) -> Bool {
    tables["library_content"]?.contains("publicID") ?? false
  }

  /// Adds the queue row of a public item if it lacks one.
  package func complete(_ id: String) throws(SQLiteError) {
    one.bind(id, at: 1)
    let isMissing = try one.step()
    let (publicID, time) = (isMissing ? one.text(at: 2) : nil, isMissing ? one.text(at: 3) : nil)
    one.reset()
    if let publicID { try add(id, publicID, time) }
  }

  /// Adds the queue row of an item that a registry has, or may have, under a public id, regardless of what the item
  /// itself records.
  package func mark(_ id: String, as publicID: String) throws(SQLiteError) {
    sent.bind(id, at: 1)
    sent.bind(publicID, at: 2)
    let isThere = try sent.step()
    sent.reset()
    if isThere { return }
    time.bind(id, at: 1)
    let published = try time.step() ? time.text(at: 0) : nil
    time.reset()
    try add(id, publicID, published)
  }

  /// Adds a queue row for every public item that lacks one.
  package func completeAll() throws(SQLiteError) {
    for row in try connection.rows(Self.all + " ORDER BY publishedAt, id") {
      try add(row[0] ?? "", row[2] ?? "", row[3])
    }
  }

  private func add(_ id: String, _ publicID: String, _ time: String?) throws(SQLiteError) {
    let time = time.flatMap { Timestamp.parse($0)?.0 } ?? now
    insertion.bind(id, at: 1)
    insertion.bind(PublicIDPayload.text(of: publicID), at: 2)
    insertion.bind(time.columnText, at: 3)
    try insertion.run()
  }

  /// Makes an item private if it is marked as public and has no publication in the queue.
  /// - Returns: the item, or nil if the item was left unchanged.
  package func makePrivate(_ id: String) throws(SQLiteError) -> Item? {
    let rows = try connection.rows(Self.all + " AND id = ?", [id])
    guard let row = rows.first else { return nil }
    _ = try connection.rows(
      """
      UPDATE library_content SET visibility = 'private', publicID = NULL, publishedAt = NULL, publicMetadata = NULL,
        syncStatus = 'pending' WHERE id = ?
      """, [id])
    return Item(id: id, title: row[1] ?? "", publicID: row[2])
  }

  /// Returns the public items that lack their queue row or their public id.
  package func incomplete() throws(SQLiteError) -> [Item] {
    let noID = """
      SELECT id, title, NULL, NULL FROM library_content WHERE visibility = 'public' AND ifnull(publicID, '') = ''
      """
    return try connection.rows("\(Self.all) UNION ALL \(noID) ORDER BY 1").map {
      Item(id: $0[0] ?? "", title: $0[1] ?? "", publicID: $0[2])
    }
  }

  /// The name of these queue rows in proofs.
  package static let rule = "queue rows that let the app withdraw public items"

  /// Whether a canonical sync operation is one of these queue rows.
  package static func isOne(_ operation: JSONNode) -> Bool {
    operation.member("operation")?.equals("publish") ?? false
      && operation.member("synced_at")?.kind == .string && PublicIDPayload.isWhole(operation.member("payload"))
  }
}
