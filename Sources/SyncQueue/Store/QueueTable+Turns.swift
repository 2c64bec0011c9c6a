import SQLiteIO

/// Functions that find the rows that may be sent now.
extension QueueTable {
  /// Returns the next rows that may be sent now, in their order: live rows whose wait is over and that are their item's
  /// first live row.
  func candidates(after: Position, now: String, limit: Int) throws(SQLiteError) -> [Candidate] {
    try page(after, limit) { (condition, limit) throws(SQLiteError) in
      let query = try statement(
        """
        SELECT q.id, q.contentID, q.createdAt FROM sync_queue AS q
        WHERE q.syncedAt IS NULL AND \(condition) AND q.retryCount < \(QueueEntry.tries)
        AND (q.nextRetryAt IS NULL OR q.nextRetryAt <= ?4)
        AND NOT EXISTS (
          SELECT 1 FROM sync_queue AS e WHERE e.contentID = q.contentID AND e.syncedAt IS NULL
          AND e.retryCount < \(QueueEntry.tries) AND (e.createdAt, e.id) < (q.createdAt, q.id))
        ORDER BY q.createdAt, q.id LIMIT ?3
        """)
      bind(after, limit, query)
      query.bind(now, at: 4)
      defer { query.reset() }
      var found: [Candidate] = []
      while try query.step() { found.append(candidate(query)) }
      return found
    }
  }

  /// Reads a page in two steps, each of which starts at a position in its index. Many rows may have been queued at the
  /// same time, and SQLite would otherwise scan all of them again for every page.
  func page<Row>(
    _ after: Position, _ limit: Int, _ read: (String, Int) throws(SQLiteError) -> [Row]
  ) throws(SQLiteError) -> [Row] {
    var found = after.createdAt.isEmpty ? [] : try read("createdAt = ?1 AND id > ?2", limit)
    if found.count < limit { found += try read("createdAt > ?1 AND ?2 IS NOT NULL", limit - found.count) }
    return found
  }

  func bind(_ after: Position, _ limit: Int, _ query: SQLiteStatement) {
    query.bind(after.createdAt, at: 1)
    query.bind(after.number, at: 2)
    query.bind(Int64(limit), at: 3)
  }

  /// Returns an item's first live row if it may be sent now.
  func first(of contentID: String, now: String) throws(SQLiteError) -> Candidate? {
    let query = try statement(
      """
      SELECT id, contentID, createdAt, nextRetryAt IS NULL OR nextRetryAt <= ?2 FROM sync_queue
      WHERE contentID = ?1 AND \(Self.live) ORDER BY createdAt, id LIMIT 1
      """)
    query.bind(contentID, at: 1)
    query.bind(now, at: 2)
    defer { query.reset() }
    guard try query.step(), query.integer(at: 3) != 0 else { return nil }
    return candidate(query)
  }

  private func candidate(_ query: SQLiteStatement) -> Candidate {
    let number = query.integer(at: 0)
    return Candidate(
      id: OperationID(place, number), contentID: query.text(at: 1) ?? "",
      position: Position(createdAt: query.text(at: 2) ?? "", number: number))
  }
}
