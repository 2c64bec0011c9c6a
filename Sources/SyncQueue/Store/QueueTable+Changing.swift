import SQLiteIO

/// Functions that change rows. Each applies to a row as it was read and leaves a row that has changed since then as it
/// is.
extension QueueTable {
  /// Marks a row as sent; returns false when the row no longer exists or has changed.
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

  /// Records an error; returns false when the row no longer exists or has changed.
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

  /// Deletes an unsent row; returns false when the row no longer exists or has changed.
  @discardableResult
  func remove(_ row: QueueEntry) throws(SQLiteError) -> Bool {
    let delete = try statement(
      "DELETE FROM sync_queue WHERE id = ?1 AND contentID = ?2 AND operation = ?3 AND syncedAt IS NULL")
    bind(row, delete)
    try delete.run()
    return connection.changes > 0
  }

  /// Turns a publication into an update.
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
