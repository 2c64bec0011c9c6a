import Content
import SQLiteIO

/// The publication states of items (visibility, public id, metadata) before an operation changed them, kept until the
/// operation is sent.
///
/// An entry belongs to one queue row: it has the item's id and the row's `createdAt`. If a run was killed before it
/// wrote the row, its entry is therefore never used. All functions run inside the caller's transaction on the state
/// store.
struct PriorStates {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Records an item's current publication state.
  /// - Parameter now: `createdAt` of the row that changes the item.
  func keep(_ item: EnqueuedItem, _ now: Timestamp) throws(SQLiteError) {
    let insert = try connection.prepare(
      """
      INSERT OR REPLACE INTO earlier_states
      (content_id, queued_at, visibility, public_id, published_at, public_metadata) VALUES (?, ?, ?, ?, ?, ?)
      """, as: "keep the state of an item")
    let values: [String?] = [
      item.id, now.columnText, item.visibility, item.publicID, item.publishedAt?.columnText, item.publicMetadata,
    ]
    for (index, value) in values.enumerated() {
      if let value { insert.bind(value, at: index + 1) } else { insert.bindNull(at: index + 1) }
    }
    try insert.run()
  }

  /// Restores the publication state that an item had before a row changed it.
  /// - Returns: whether that state is known.
  func restore(_ envelope: inout ItemEnvelope, before row: QueueEntry) throws(SQLiteError) -> Bool {
    let found = try connection.rows(
      """
      SELECT visibility, public_id, published_at, public_metadata FROM earlier_states
      WHERE content_id = ? AND queued_at = ?
      """, [row.contentID, row.createdAt])
    guard let state = found.first, let visibility = state[0] else { return false }
    envelope.visibility = visibility
    envelope.publicID = state[1]
    envelope.publishedAt = state[2].flatMap { Timestamp.parse($0)?.0 }
    envelope.publicMetadata = state[3].flatMap(LibraryEnvelopes.metadata)
    return true
  }

  /// Deletes a row's entry.
  func forget(_ row: QueueEntry) throws(SQLiteError) {
    _ = try connection.rows(
      "DELETE FROM earlier_states WHERE content_id = ? AND queued_at = ?", [row.contentID, row.createdAt])
  }
}
