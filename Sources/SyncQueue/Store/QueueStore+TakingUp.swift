import Content
import SQLiteIO

extension QueueStore {
  /// Recovers the rows that a killed run left behind: items that are marked as being sent wait again, and their rows
  /// record that the request may have arrived. The caller must hold the sync lock.
  package func takeUp() throws {
    var found: [(ItemEnvelopesAt, [String])] = []
    try read {
      for table in tables {
        guard let envelopes = envelopes(table.place) else { continue }
        let ids = try envelopes.syncing()
        if !ids.isEmpty { found.append((ItemEnvelopesAt(table: table, envelopes: envelopes), ids)) }
      }
    }
    guard !found.isEmpty else { return }
    try change(Set(found.map(\.0.table.place))) {
      for (place, ids) in found {
        for id in ids {
          guard let row = try place.table.firstLive(of: id) else {
            // No operation waits, so the item is treated as changed since it was last sent.
            try place.envelopes.write(status: LibraryItem.SyncStatus.pending, to: id)
            continue
          }
          if row.lastError.map(SendingError.isOffline) ?? true {
            _ = try place.table.note(
              row, retryCount: row.retryCount, error: Self.interrupted, nextRetryAt: row.nextRetryAt)
          }
          try place.envelopes.write(status: LibraryItem.SyncStatus.queued, to: id)
        }
      }
    }
  }

  private struct ItemEnvelopesAt {
    let table: QueueTable
    let envelopes: any ItemEnvelopes
  }

  static let interrupted = "it was being sent, and no answer has come yet"

  /// Resets failed rows for another try, except rows that a later row has superseded. A publication under another slug
  /// does not supersede a withdrawal.
  /// - Parameter id: the row to reset; nil for all failed rows.
  /// - Returns: the number of rows that were reset.
  package func retryFailed(_ id: OperationID? = nil) throws -> Int {
    try change([.library, .beside]) {
      var count = 0
      for table in tables where id == nil || id?.place == table.place {
        let reset = """
          syncedAt IS NULL AND retryCount >= \(QueueEntry.tries)
          \(id.map { "AND id = \($0.number)" } ?? "")
          AND NOT EXISTS (SELECT 1 FROM sync_queue AS l WHERE \(Self.isOvertaken("sync_queue", by: "l")))
          """
        if table.place == .library {
          try table.connection.execute(
            """
            UPDATE library_content SET syncStatus = 'queued' WHERE id IN (SELECT contentID FROM sync_queue WHERE \(reset))
            """)
        } else {
          for item in try table.connection.rows("SELECT DISTINCT contentID FROM sync_queue WHERE \(reset)") {
            try deckEnvelopes?.write(status: LibraryItem.SyncStatus.queued, to: item[0] ?? "")
          }
        }
        try table.connection.execute(
          "UPDATE sync_queue SET retryCount = 0, lastError = NULL, nextRetryAt = NULL WHERE \(reset)")
        count += table.connection.changes
      }
      if count > 0 { try beginEpoch() }
      return count
    }
  }
}

extension QueueStore {
  /// Returns the failed rows of a queue that a later row has superseded; they are not sent again.
  package func overtaken(_ place: QueuePlace) throws -> Set<Int64> {
    guard let table = table(place) else { return [] }
    return try read(table) {
      // A join: SQLite makes an index for it if there is none.
      let query = try table.connection.prepare(
        """
        SELECT f.id FROM sync_queue AS f JOIN sync_queue AS l ON \(Self.isOvertaken("f", by: "l"))
        WHERE f.syncedAt IS NULL AND f.retryCount >= \(QueueEntry.tries)
        """)
      var found = Set<Int64>()
      while try query.step() { found.insert(query.integer(at: 0)) }
      return found
    }
  }

  /// Returns an SQL condition: whether a later row of the same item makes a failed row obsolete.
  private static func isOvertaken(_ row: String, by later: String) -> String {
    """
    \(later).contentID = \(row).contentID
    AND (\(later).createdAt, \(later).id) > (\(row).createdAt, \(row).id)
    AND (\(later).syncedAt IS NOT NULL OR \(later).operation = 'unpublish')
    AND (\(row).operation <> 'unpublish' OR ifnull(\(slug(later)) = \(slug(row)), TRUE))
    """
  }

  /// Returns an SQL expression for the slug in a row's payload; NULL where there is none.
  private static func slug(_ table: String) -> String {
    "CASE WHEN json_valid(\(table).payload) THEN json_extract(\(table).payload, '$.public_id') END"
  }
}

extension QueueTable {
  /// Returns the first live row of an item, whether its wait is over or not.
  func firstLive(of contentID: String) throws(SQLiteError) -> QueueEntry? {
    let query = try statement(
      "SELECT id FROM sync_queue WHERE contentID = ?1 AND \(Self.live) ORDER BY createdAt, id LIMIT 1")
    query.bind(contentID, at: 1)
    guard try query.step() else {
      query.reset()
      return nil
    }
    let number = query.integer(at: 0)
    query.reset()
    return try row(number)
  }
}
