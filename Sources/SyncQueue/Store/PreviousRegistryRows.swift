import Content
import SQLiteIO

/// The rows of one queue, and their items, that concern the registry that a library has belonged to until now.
///
/// A publication that was not sent moves to the next registry, and so do the changes that follow it. Everything else
/// belongs to the old registry: operations that were sent, changes and withdrawals of its publications, and rows that
/// are only a record.
struct PreviousRegistryRows {
  private let table: QueueTable
  private let envelopes: any ItemEnvelopes
  /// Items that are public at the old registry.
  private var published: [String] = []
  /// Unsent rows that move to the next registry.
  private var kept: [QueueEntry] = []
  /// Unsent rows that are removed.
  private var left: [QueueEntry] = []

  /// Reads a queue. Call it inside a transaction if changes will follow.
  init(_ table: QueueTable, _ envelopes: (any ItemEnvelopes)?) throws {
    self.table = table
    self.envelopes = envelopes ?? DeckEnvelopes(table)
    let slugs = Dictionary(try self.envelopes.published().map { ($0.id, $0.slug) }) { first, _ in first }
    var position = QueueTable.Position()
    // Items whose publication moves to the next registry.
    var waiting = Set<String>()
    while true {
      let rows = try table.unsent(isLive: false, after: position, limit: 500)
      guard let last = rows.last else { break }
      position = QueueTable.Position(createdAt: last.createdAt, number: last.id.number)
      for row in rows {
        let slug = Payload.publicID(try table.row(row.id.number)?.payload)
        let isOwn = slug != nil && slug == slugs[row.contentID]
        var stays = isOwn && row.kind != .unpublish
        // A publication that may have arrived without an answer is superseded by a later change that was sent.
        if stays, row.kind == .publish, let slug, try !table.wasSent(slug, of: row.contentID) {
          waiting.insert(row.contentID)
        }
        stays = stays && waiting.contains(row.contentID)
        if stays { kept.append(row) } else { left.append(row) }
      }
    }
    published = slugs.keys.filter { !waiting.contains($0) }.sorted()
  }

  /// Adds the numbers of these rows and items to a plan.
  func count(into plan: inout RebindPlan) throws {
    plan.published += published.count
    plan.uncertain += Set(kept.filter { $0.kind == .publish && $0.mayHaveArrived }.map(\.contentID)).count
    plan.waiting += kept.count
    plan.withdrawals += left.count { $0.kind == .unpublish }
    // A failed publication that is removed is only a record; an unknown operation may be anything.
    plan.updates += left.count { $0.kind != .unpublish && ($0.kind != .publish || $0.isLive) }
    let sent = try table.connection.number("SELECT count(*) FROM sync_queue WHERE syncedAt IS NOT NULL")
    plan.leaving += left.count + Int(sent)
  }

  /// Whether no row or item has to change.
  var isEmpty: Bool {
    get throws {
      try published.isEmpty && kept.isEmpty && left.isEmpty
        && table.connection.number("SELECT count(*) FROM sync_queue WHERE syncedAt IS NOT NULL") == 0
    }
  }

  /// Returns the first rows that will be removed, whether sent or not, and the first items that will become private.
  func goes(atMost limit: Int) throws(SQLiteError) -> (rows: [Int64], items: [String]) {
    let sent = try table.connection.rows(
      "SELECT id FROM sync_queue WHERE syncedAt IS NOT NULL ORDER BY id LIMIT \(limit)")
    return (
      left.prefix(limit).map(\.id.number) + sent.compactMap { $0[0].flatMap(Int64.init) },
      Array(published.prefix(limit))
    )
  }

  /// Copies rows that concern the old registry to the sidecar. Also copies rows that move to the next registry if the
  /// old one may have received them.
  func copy(to beside: QueueTable, of old: RegistryBinding) throws {
    let insert = try beside.connection.prepare(
      """
      INSERT OR REPLACE INTO former_operations
      (registry, user_id, place, id, contentID, operation, payload, createdAt, retryCount, lastError, syncedAt)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, as: "keep what was sent")
    var number: Int64 = 0
    let unsent = Set((left + kept.filter(\.mayHaveArrived)).map(\.id.number))
    while true {
      let rows = try table.rows(after: number, limit: 500)
      guard let last = rows.last else { return }
      number = last.id.number
      for row in rows where row.syncedAt != nil || unsent.contains(row.id.number) {
        guard let row = try table.row(row.id.number) else { continue }
        let payload = row.payload.map { String(decoding: $0, as: UTF8.self) }
        let texts = [
          old.registry, old.userID, String(row.id.place.rawValue), String(row.id.number), row.contentID, row.operation,
          payload, row.createdAt, String(row.retryCount), row.lastError, row.syncedAt,
        ]
        for (index, text) in texts.enumerated() {
          if let text { insert.bind(text, at: index + 1) } else { insert.bindNull(at: index + 1) }
        }
        try insert.run()
      }
    }
  }

  /// Removes the old registry's rows from the queue immediately, and updates the items to their state without that
  /// registry.
  func leave() throws {
    for row in left { try table.remove(row) }
    try table.connection.execute("DELETE FROM sync_queue WHERE syncedAt IS NOT NULL", as: "change the queue")
    // The old registry's answers about a publication do not apply to the next registry.
    for row in kept { _ = try table.note(row, retryCount: 0, error: nil, nextRetryAt: nil) }
    try mark()
  }

  /// Stages the changes of `leave` for the sidecar's queue. They take effect when a run is done; sent rows are then
  /// removed too.
  func stage(_ run: Int64) throws {
    let insert = try table.connection.prepare(
      """
      INSERT INTO staged_operations (run, row, operation, payload, retryCount)
      SELECT ?1, id, iif(?3, operation, NULL), iif(?3, payload, NULL), 0 FROM sync_queue WHERE id = ?2
      """, as: "change the queue")
    for (rows, stays) in [(left, false), (kept, true)] {
      for row in rows {
        insert.bind(run, at: 1)
        insert.bind(row.id.number, at: 2)
        insert.bind(Int64(stays ? 1 : 0), at: 3)
        try insert.run()
      }
    }
    try mark()
  }

  /// Updates the items to their state without the old registry.
  private func mark() throws {
    for id in published {
      guard var envelope = try envelopes.look(id) else { continue }
      envelope.withdraw()
      envelope.syncStatus = LibraryItem.SyncStatus.pending
      try envelopes.write(envelope, to: id)
    }
    for row in kept { try envelopes.write(status: LibraryItem.SyncStatus.queued, to: row.contentID) }
    let waiting = Set(kept.map(\.contentID))
    for id in Set(left.map(\.contentID)) where !waiting.contains(id) {
      try envelopes.write(status: LibraryItem.SyncStatus.pending, to: id)
    }
  }
}
