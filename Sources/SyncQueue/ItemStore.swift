import Content
import JSONText
import SQLiteIO
import SQLiteLibrary

/// The store of an item and its operations: the library or the sidecar.
///
/// Nothing that is written takes effect before the run commits.
protocol ItemStore: AnyObject {
  /// Returns the operations of an item in queue order.
  func operations(of id: String) throws -> [QueuedOperation]
  /// Appends an operation to the queue.
  func add(_ operation: QueueOperation, of id: String, payload: String, now: Timestamp) throws
  /// Writes a synced publication, if there is none yet. The app looks for one before it withdraws an item.
  func markSent(_ id: String, as publicID: String) throws
  /// Replaces an operation; the new one has not used up any tries.
  func replace(_ row: QueuedOperation, with operation: QueueOperation, payload: String) throws
  /// Removes an operation that was never sent from the queue.
  func cancel(_ row: QueuedOperation) throws
  /// Keeps an operation in the queue only as a record; it is no longer sent.
  func giveUp(_ row: QueuedOperation) throws
  /// Writes an item's publication state; nil makes it private.
  func mark(_ item: EnqueuedItem, _ publication: Publication?, status: String) throws
  /// Writes only an item's sync state.
  func mark(_ item: EnqueuedItem, status: String) throws
  /// Writes an item's new title.
  func rename(_ item: EnqueuedItem, from old: String, now: Timestamp) throws
}

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

/// Stores decks and their operations in the sidecar. Changes are staged for a run and take effect when the run ends.
final class DeckItemStore: ItemStore {
  private let connection: SQLiteConnection
  private let run: Int64
  private let history: SQLiteStatement
  private let staging: SQLiteStatement
  private let records: SQLiteStatement

  init(_ store: StateStore, run: Int64) throws(SQLiteError) {
    connection = store.connection
    self.run = run
    history = try connection.prepare(
      """
      SELECT id, operation, payload, retryCount, lastError, syncedAt IS NOT NULL FROM sync_queue WHERE contentID = ?
      ORDER BY createdAt, id
      """, as: "read the queue")
    staging = try connection.prepare(
      """
      INSERT INTO staged_operations
      (run, row, contentID, operation, visibilityState, payload, createdAt, retryCount) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, as: "write to the queue")
    records = try connection.prepare(
      "INSERT OR REPLACE INTO staged_records (run, kind, id, line) VALUES (?, 'item', ?, ?)", as: "write a deck")
  }

  func operations(of id: String) throws -> [QueuedOperation] { try LibraryItemStore.operations(of: id, history) }

  func add(_ operation: QueueOperation, of id: String, payload: String, now: Timestamp) throws {
    try stage(nil, [id, operation.rawValue, operation.visibilityState, payload, now.columnText], tries: 0)
  }

  func markSent(_ id: String, as publicID: String) throws {
    // The app has no decks, so it withdraws none.
  }

  func replace(_ row: QueuedOperation, with operation: QueueOperation, payload: String) throws {
    try stage(row.row, [nil, operation.rawValue, nil, payload, nil], tries: 0)
  }

  func cancel(_ row: QueuedOperation) throws { try stage(row.row, [nil, nil, nil, nil, nil], tries: 0) }

  func giveUp(_ row: QueuedOperation) throws {
    try stage(row.row, [nil, row.operation, nil, row.payload, nil], tries: QueueOperation.tries)
  }

  func mark(_ item: EnqueuedItem, _ publication: Publication?, status: String) throws {
    try stage(item) { deck in
      deck.visibility = item.visibility(with: publication)
      deck.publicID = publication?.publicID
      deck.publishedAt = publication?.publishedAt
      if let now = publication?.publishedAt {
        // A deck may have been imported without times, but every update has to send the same ones.
        deck.createdAt = deck.createdAt ?? now
        deck.updatedAt = deck.updatedAt ?? now
      }
      deck.publicMetadata = publication.map {
        PublicMetadata(
          publishedAt: $0.publishedAt.secondsSince2001, publicID: $0.publicID, canFork: $0.canFork,
          authorUsername: $0.author?.username ?? "",
          authorUserID: $0.author.flatMap { CanonicalUUID.form(of: $0.id) == .none ? nil : $0.id.uppercased() })
      }
      deck.syncStatus = status
    }
  }

  func mark(_ item: EnqueuedItem, status: String) throws {
    try stage(item) { $0.syncStatus = status }
  }

  func rename(_ item: EnqueuedItem, from old: String, now: Timestamp) throws {
    // The line already has the new title and is written when the deck is marked.
  }

  private func stage(_ item: EnqueuedItem, _ change: (inout LibraryItem) -> Void) throws {
    let document = try JSONDocument(parsing: item.line.span)
    guard case .item(var deck) = try TypedRecord(json: document.root) else { return }
    change(&deck)
    records.bind(run, at: 1)
    records.bind(item.id, at: 2)
    records.bind(blob: Array(try TypedRecord.item(deck).canonicalLine().utf8), at: 3)
    try records.run()
  }

  private func stage(_ row: Int64?, _ values: [String?], tries: Int) throws(SQLiteError) {
    staging.bind(run, at: 1)
    if let row { staging.bind(row, at: 2) } else { staging.bindNull(at: 2) }
    for (index, value) in values.enumerated() {
      if let value { staging.bind(value, at: index + 3) } else { staging.bindNull(at: index + 3) }
    }
    staging.bind(Int64(tries), at: 8)
    try staging.run()
  }
}

/// A row of a queue, with the values that enqueuing needs.
struct QueuedOperation {
  let row: Int64
  /// The app's name for the operation; a later app version may have more operations.
  let operation: String
  let payload: String?
  let retryCount: Int
  let lastError: String?
  let isSent: Bool
  /// The public id in the payload, under either spelling of the member name.
  let publicID: String?
  /// Whether the payload contains only the public id and no content.
  let saysOnlyID: Bool

  init(row: Int64, operation: String, payload: String?, retryCount: Int, lastError: String?, isSent: Bool) {
    self.row = row
    self.operation = operation
    self.payload = payload
    self.retryCount = retryCount
    self.lastError = lastError
    self.isSent = isSent
    let root = payload.flatMap { try? JSONDocument(parsing: $0).root }
    let id = (root?["public_id"] ?? root?["publicID"])?.string
    publicID = id?.isEmpty ?? true ? nil : id
    saysOnlyID = PublicIDPayload.isWhole(payload)
  }

  var isPublication: Bool { isPublish || isUpdate }
  var isPublish: Bool { operation == QueueOperation.publish.rawValue }
  var isUpdate: Bool { operation == QueueOperation.publishUpdate.rawValue }
  var isWithdrawal: Bool { operation == QueueOperation.unpublish.rawValue }
  /// Whether the operation has failed: its tries are used up, or it was refused.
  var isGivenUp: Bool { !isSent && retryCount >= QueueOperation.tries }

  /// Whether the operation was never sent, so that it may be removed from the queue without a record.
  var wasNeverAttempted: Bool {
    !isSent && retryCount == 0 && lastError.map(SendingError.isOffline) ?? true
  }

  /// Whether the registry may have published the item although no answer arrived. If the slug is taken, this item may
  /// have taken it.
  var mayHaveArrived: Bool { !isSent && !wasNeverAttempted }
}
