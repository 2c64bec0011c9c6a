import SQLiteIO

/// Functions that read rows.
extension QueueTable {
  /// Returns one row; nil when it does not exist.
  func row(_ number: Int64) throws(SQLiteError) -> QueueEntry? {
    let query = try statement("SELECT \(Self.columns) FROM sync_queue WHERE id = ?1")
    query.bind(number, at: 1)
    defer { query.reset() }
    return try query.step() ? operation(query) : nil
  }

  /// Returns unsent rows in their order, without payloads.
  /// - Parameter isLive: whether to return only rows that are still to be sent.
  func unsent(isLive: Bool, after: Position, limit: Int) throws(SQLiteError) -> [QueueEntry] {
    try page(after, limit) { (condition, limit) throws(SQLiteError) in
      let query = try statement(
        """
        SELECT \(Self.columns.replacing("payload", with: "NULL")) FROM sync_queue
        WHERE syncedAt IS NULL AND \(condition) \(isLive ? "AND retryCount < \(QueueEntry.tries)" : "")
        ORDER BY createdAt, id LIMIT ?3
        """)
      bind(after, limit, query)
      defer { query.reset() }
      var found: [QueueEntry] = []
      while try query.step() { found.append(operation(query)) }
      return found
    }
  }

  /// Returns all rows in the order of their numbers, without payloads.
  func rows(after number: Int64, limit: Int) throws(SQLiteError) -> [QueueEntry] {
    let query = try statement(
      """
      SELECT \(Self.columns.replacing("payload", with: "NULL")) FROM sync_queue WHERE id > ?1 ORDER BY id LIMIT ?2
      """)
    query.bind(number, at: 1)
    query.bind(Int64(limit), at: 2)
    defer { query.reset() }
    var found: [QueueEntry] = []
    while try query.step() { found.append(operation(query)) }
    return found
  }

  /// Returns the unsent rows of the same item after a given row, in their order.
  func unsent(after row: QueueEntry) throws(SQLiteError) -> [QueueEntry] {
    let query = try statement(
      """
      SELECT \(Self.columns) FROM sync_queue
      WHERE contentID = ?1 AND syncedAt IS NULL AND (createdAt, id) > (?2, ?3) ORDER BY createdAt, id LIMIT 64
      """)
    query.bind(row.contentID, at: 1)
    query.bind(row.createdAt, at: 2)
    query.bind(row.id.number, at: 3)
    defer { query.reset() }
    var found: [QueueEntry] = []
    while try query.step() { found.append(operation(query)) }
    return found
  }

  /// Whether an item has a live row with a given operation.
  func hasLive(_ contentID: String, _ kind: QueueOperation) throws(SQLiteError) -> Bool {
    let query = try statement(
      "SELECT 1 FROM sync_queue WHERE contentID = ?1 AND operation = ?2 AND syncedAt IS NULL LIMIT 1")
    query.bind(contentID, at: 1)
    query.bind(kind.rawValue, at: 2)
    defer { query.reset() }
    return try query.step()
  }

  private func operation(_ query: SQLiteStatement) -> QueueEntry {
    QueueEntry(
      id: OperationID(place, query.integer(at: 0)), contentID: query.text(at: 1) ?? "",
      operation: query.text(at: 2) ?? "", payload: query.storage(at: 3) == .null ? nil : Array(query.bytes(at: 3)),
      createdAt: query.text(at: 4) ?? "", retryCount: Int(clamping: query.integer(at: 5)),
      lastError: query.text(at: 6), syncedAt: query.text(at: 7), nextRetryAt: query.text(at: 8))
  }
}
