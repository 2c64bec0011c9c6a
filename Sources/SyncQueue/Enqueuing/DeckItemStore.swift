import Content
import JSONText
import SQLiteIO
import SQLiteLibrary

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
    try keep(item) { deck in
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
    try keep(item) { $0.syncStatus = status }
  }

  func rename(_ item: EnqueuedItem, from old: String, now: Timestamp) throws {
    // The line already has the new title and is written when the deck is marked.
  }

  private func keep(_ item: EnqueuedItem, _ change: (inout LibraryItem) -> Void) throws {
    let document = try item.line.withUnsafeBufferPointer { try JSONDocument(parsing: $0) }
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
