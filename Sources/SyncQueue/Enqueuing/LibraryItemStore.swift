import Content
import SQLiteIO
import SQLiteLibrary

/// Stores items and operations in the app's own tables.
final class LibraryItemStore: ItemStore {
  private let connection: SQLiteConnection
  private let history: SQLiteStatement
  private let insertion: SQLiteStatement
  private let publishedRows: PublishedRows?
  /// The first rows that were written or removed. A later run determines from them whether the whole run was committed.
  private(set) var changed: [Int64] = []

  init(_ library: WritableLibrary, now: Timestamp) throws(SQLiteError) {
    connection = library.connection
    publishedRows = try PublishedRows(connection, library.schema.tables, now: now)
    history = try connection.prepare(
      """
      SELECT id, operation, payload, retryCount, lastError, syncedAt IS NOT NULL FROM sync_queue WHERE contentID = ?
      ORDER BY createdAt, id
      """, as: "read the queue")
    insertion = try connection.prepare(
      """
      INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, retryCount)
      VALUES (?, ?, ?, ?, ?, 0)
      """, as: "write to the queue")
  }

  func operations(of id: String) throws -> [QueuedOperation] {
    try Self.operations(of: id, history)
  }

  static func operations(of id: String, _ statement: SQLiteStatement) throws(SQLiteError) -> [QueuedOperation] {
    statement.bind(id, at: 1)
    defer { statement.reset() }
    var rows: [QueuedOperation] = []
    while try statement.step() {
      rows.append(
        QueuedOperation(
          row: statement.integer(at: 0), operation: statement.text(at: 1) ?? "", payload: statement.text(at: 2),
          retryCount: Int(clamping: statement.integer(at: 3)), lastError: statement.text(at: 4),
          isSent: statement.integer(at: 5) != 0))
    }
    return rows
  }

  func add(_ operation: QueueOperation, of id: String, payload: String, now: Timestamp) throws {
    insertion.bind(id, at: 1)
    insertion.bind(operation.rawValue, at: 2)
    insertion.bind(operation.visibilityState, at: 3)
    insertion.bind(payload, at: 4)
    insertion.bind(now.columnText, at: 5)
    try insertion.run()
    remember(connection.lastRowID)
  }

  func markSent(_ id: String, as publicID: String) throws { try publishedRows?.mark(id, as: publicID) }

  private func remember(_ row: Int64) {
    if changed.count < 64 { changed.append(row) }
  }

  func replace(_ row: QueuedOperation, with operation: QueueOperation, payload: String) throws {
    try run(
      """
      UPDATE sync_queue SET operation = ?, payload = ?, retryCount = 0, lastError = NULL, nextRetryAt = NULL
      WHERE id = ? AND syncedAt IS NULL
      """, [operation.rawValue, payload, String(row.row)])
    remember(row.row)
  }

  func cancel(_ row: QueuedOperation) throws {
    try run("DELETE FROM sync_queue WHERE id = ? AND syncedAt IS NULL", [String(row.row)])
    remember(row.row)
  }

  func giveUp(_ row: QueuedOperation) throws {
    try run(
      "UPDATE sync_queue SET retryCount = \(QueueOperation.tries), nextRetryAt = NULL WHERE id = ?", [String(row.row)])
  }

  func mark(_ item: EnqueuedItem, _ publication: Publication?, status: String) throws {
    try run(
      """
      UPDATE library_content SET visibility = ?, publicID = ?, publishedAt = ?, publicMetadata = ?, syncStatus = ?
      WHERE id = ?
      """,
      [
        item.visibility(with: publication), publication?.publicID, publication?.publishedAt.columnText,
        publication?.metadata, status, item.id,
      ])
  }

  func mark(_ item: EnqueuedItem, status: String) throws {
    try run("UPDATE library_content SET syncStatus = ? WHERE id = ?", [status, item.id])
  }

  func rename(_ item: EnqueuedItem, from old: String, now: Timestamp) throws {
    try run(
      "UPDATE library_content SET title = ?, updatedAt = ? WHERE id = ?", [item.title, now.columnText, item.id])
    for table in ["checklists", "practice_guides"] {
      // An item's body is in one of these tables.
      try run(
        "UPDATE \(table) SET title = ?, updatedAt = ? WHERE id = ? AND title = ?",
        [item.title, now.columnText, item.id, old])
    }
  }

  private func run(_ sql: String, _ values: [String?]) throws(SQLiteError) {
    let statement = try connection.prepare(sql, as: "write to the library")
    for (index, value) in values.enumerated() {
      if let value { statement.bind(value, at: index + 1) } else { statement.bindNull(at: index + 1) }
    }
    try statement.run()
  }
}

extension QueueOperation {
  /// The value of `visibilityState` that the app writes with an operation.
  var visibilityState: String {
    self == .unpublish ? LibraryItem.Visibility.private : LibraryItem.Visibility.public
  }
}
