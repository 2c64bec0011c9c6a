import SQLiteIO

/// What becomes of rows. Each change is for a row as it was read: one that is no longer the same stays.
extension QueueTable {
  /// Marks a row as sent; false when it is no longer there, or no longer the same.
  func markSent(_ row: QueueEntry, at now: String) throws(SQLiteError) -> Bool {
    let update = try statement(
      """
      UPDATE sync_queue SET syncedAt = ?4, lastError = NULL, nextRetryAt = NULL
      WHERE id = ?1 AND contentID = ?2 AND operation = ?3 AND syncedAt IS NULL
      """)
    bind(row, update)
    update.bind(now, at: 4)
    try update.run()
    return connection.changes > 0
  }

  /// Notes what went wrong; false when the row is no longer there, or no longer the same.
  func note(
    _ row: QueueEntry, retryCount: Int, error: String?, nextRetryAt: String?
  ) throws(SQLiteError) -> Bool {
    let update = try statement(
      """
      UPDATE sync_queue SET retryCount = ?4, lastError = ?5, nextRetryAt = ?6
      WHERE id = ?1 AND contentID = ?2 AND operation = ?3 AND syncedAt IS NULL
      """)
    bind(row, update)
    update.bind(Int64(retryCount), at: 4)
    if let error { update.bind(error, at: 5) } else { update.bindNull(at: 5) }
    if let nextRetryAt { update.bind(nextRetryAt, at: 6) } else { update.bindNull(at: 6) }
    try update.run()
    return connection.changes > 0
  }

  /// Deletes an unsent row; false when it is no longer there, or no longer the same.
  @discardableResult
  func remove(_ row: QueueEntry) throws(SQLiteError) -> Bool {
    let delete = try statement(
      "DELETE FROM sync_queue WHERE id = ?1 AND contentID = ?2 AND operation = ?3 AND syncedAt IS NULL")
    bind(row, delete)
    try delete.run()
    return connection.changes > 0
  }

  /// Makes a publication a change of what is public.
  func makeUpdate(_ row: QueueEntry) throws(SQLiteError) {
    let update = try statement(
      """
      UPDATE sync_queue SET operation = 'publish_update'
      WHERE id = ?1 AND contentID = ?2 AND operation = ?3 AND syncedAt IS NULL
      """)
    bind(row, update)
    try update.run()
  }

  private func bind(_ row: QueueEntry, _ statement: SQLiteStatement) {
    statement.bind(row.id.number, at: 1)
    statement.bind(row.contentID, at: 2)
    statement.bind(row.operation, at: 3)
  }
}
