import Content
import SQLiteIO

/// One of the two queues: a table `sync_queue` with the app's columns, and its statements.
///
/// Statements are prepared on first use and then kept. Not thread-safe.
final class QueueTable {
  let place: QueuePlace
  let connection: SQLiteConnection
  private var statements: [String: SQLiteStatement] = [:]

  init(_ place: QueuePlace, _ connection: SQLiteConnection) {
    self.place = place
    self.connection = connection
  }

  /// The position at which a page of rows ends.
  struct Position: Equatable, Comparable {
    var createdAt = ""
    var number: Int64 = 0

    static func < (left: Position, right: Position) -> Bool {
      left.createdAt == right.createdAt ? left.number < right.number : left.createdAt < right.createdAt
    }
  }

  /// A row that may be sent, without its payload.
  struct Candidate {
    let id: OperationID
    let contentID: String
    let position: Position
  }

  static let live = "syncedAt IS NULL AND retryCount < \(QueueEntry.tries)"
  static let columns = """
    id, contentID, operation, payload, createdAt, retryCount, lastError, syncedAt, nextRetryAt
    """

  /// Returns a prepared statement, ready to be bound.
  func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    let statement = try connection.prepare(sql, as: "use the queue")
    statements[sql] = statement
    return statement
  }
}

/// Functions that read rows.
extension QueueTable {
  /// Returns one row; nil if it does not exist.
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

/// Functions that change rows. Each applies to a row as it was read and leaves a row that has changed since then as it
/// is.
extension QueueTable {
  /// Marks a row as sent; returns false if the row no longer exists or has changed.
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

  /// Updates the error and the retry of an unsent row; returns false if the row no longer exists or has changed.
  func update(
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

  /// Deletes an unsent row; returns false if the row no longer exists or has changed.
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
