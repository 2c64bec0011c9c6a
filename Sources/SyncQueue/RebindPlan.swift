import Content
import Interchange
import SQLiteIO
import SQLiteLibrary

/// The consequences of binding a library to another registry or account.
package struct RebindPlan: Sendable, Equatable {
  /// The current binding; nil while there is none.
  package var old: RegistryBinding?
  /// The new binding.
  package var new: RegistryBinding
  /// Whether the new registry is the same service under a new address, with the same items.
  package var keepsPublished: Bool
  /// The number of items that are public at the old registry and become private here.
  package var published = 0
  /// The number of waiting publications that may have reached the old registry.
  package var uncertain = 0
  /// The number of waiting operations that move to the new registry.
  package var waiting = 0
  /// The number of withdrawals that only the old registry can carry out and has not carried out.
  package var withdrawals = 0
  /// The number of changes that only the old registry can carry out and has not carried out.
  package var updates = 0
  /// The number of operations that leave the queue, including sent ones.
  package var leaving = 0

  init(_ old: RegistryBinding?, _ new: RegistryBinding, keepsPublished: Bool) {
    self.old = old
    self.new = new
    self.keepsPublished = keepsPublished
  }

  /// Whether the registry or the account really changes.
  package var isChange: Bool { old.map { !$0.isSame(as: new) } ?? false }
  /// Whether the publication records become invalid.
  package var forgets: Bool { isChange && !keepsPublished }
  /// The number of operations that would be left undone.
  package var undone: Int { withdrawals + updates }

  /// Refuses a plan that would lose operations.
  /// - Parameter force: whether operations that only the old registry can carry out may be left undone.
  package func refuse(_ path: String, force: Bool) throws(RunFailure) {
    guard isChange, let old else { return }
    if keepsPublished, old.userID.lowercased() != new.userID.lowercased() {
      throw RunFailure(
        .refused,
        "rebind '\(path)' and keep its publications: '\(new.username)' at \(new.registry) is a different account from "
          + "'\(old.username)' at \(old.registry), so the items are not its own; nothing was changed",
        advice: "Leave out --keep-published; the items then become private here and can be published again.")
    }
    guard undone > 0, !force, !keepsPublished else { return }
    let what = [
      withdrawals == 0 ? nil : withdrawals == 1 ? "1 withdrawal" : "\(withdrawals) withdrawals",
      updates == 0 ? nil : updates == 1 ? "1 change" : "\(updates) changes",
    ].compactMap { $0 }
    throw RunFailure(
      .refused,
      "rebind '\(path)': \(what.joined(separator: " and ")) for \(old.registry) \(undone == 1 ? "was" : "were") not "
        + "sent, and no other registry can do this; nothing was changed",
      advice: "Send them first, signed in as '\(old.username)': fleetkit sync '\(path)' --retry-failed; or leave them "
        + "undone with --force.")
  }
}

extension RegistryBinding {
  /// Whether both bindings name the same registry and the same account, regardless of the account's name.
  package func isSame(as other: RegistryBinding) -> Bool {
    registry == other.registry && userID.lowercased() == other.userID.lowercased()
  }
}

extension QueueStore {
  /// Returns the consequences of binding the library to another registry or account.
  /// - Parameter keepsPublished: whether the new registry has the old registry's publications.
  package func rebindPlan(to new: RegistryBinding, keepsPublished: Bool) throws -> RebindPlan {
    var plan = RebindPlan(try binding(), new, keepsPublished: keepsPublished)
    try read {
      for table in tables { try PreviousRegistryRows(table, envelopes(table.place)).count(into: &plan) }
    }
    return plan
  }

  /// Binds the library to another registry or account.
  ///
  /// If the registry or the account really changes, items that are public at the old registry become private and
  /// pending. Operations that were sent, or that were only for the old registry, move from the queue to
  /// `former_operations` in the sidecar.
  ///
  /// Rebinding is a run, like enqueuing: changes in the sidecar take effect when the library's transaction has
  /// committed, and the next command that changes the library completes a run that was killed between these two
  /// moments.
  /// - Parameter force: whether operations that only the old registry can carry out may be left undone.
  /// - Returns: the plan that was carried out.
  /// - Throws: `RunFailure` 4 if operations would be left undone without `force`.
  package func rebind(to new: RegistryBinding, keepsPublished: Bool, force: Bool) throws -> RebindPlan {
    let plan = try rebindPlan(to: new, keepsPublished: keepsPublished)
    try plan.refuse(path, force: force)
    guard plan.isChange, let old = plan.old else {
      try bind(to: new)
      return plan
    }
    guard plan.forgets else {
      // The items are the same under a new address: the registry's answers about them stay valid.
      try change([.beside]) { try write(new) }
      return plan
    }
    return try Self.locked(path, patience: patience) { sidecar in
      let store = try StateStore(sidecar)
      do {
        try resolveKilledRuns(sidecar)
        return try rebind(from: old, to: new, force: force, store)
      } catch let error as SQLiteError {
        throw Self.failure(error, path)
      }
    }
  }

  private func rebind(
    from old: RegistryBinding, to new: RegistryBinding, force: Bool, _ store: StateStore
  ) throws -> RebindPlan {
    let run = try store.begin(StateStore.rebinding).id
    var done = RebindPlan(old, new, keepsPublished: false)
    do {
      try library.connection.execute("BEGIN IMMEDIATE", as: "change the queue")
      try store.connection.execute("BEGIN IMMEDIATE", as: "change the queue")
      let beside = QueueTable(.beside, store.connection)
      let rows = try PreviousRegistryRows(library, libraryEnvelopes)
      let decks = try PreviousRegistryRows(beside, DeckEnvelopes(beside, stagedFor: run))
      try rows.count(into: &done)
      try decks.count(into: &done)
      try done.refuse(path, force: force)
      let changesLibrary = try !rows.isEmpty
      let gone = try rows.goes(atMost: 64)
      try rows.copy(to: beside, of: old)
      try rows.leave()
      try decks.copy(to: beside, of: old)
      try decks.stage(run)
      _ = try store.connection.rows(
        "INSERT INTO staged_bindings (run, registry, user_id, username) VALUES (?, ?, ?, ?)",
        [String(run), new.registry, new.userID, new.username])
      for row in gone.rows { try CommitProbe(of: row, library.connection).write(run, store) }
      for id in gone.items { try CommitProbe.writeWithdrawn(id, run, store) }
      try store.intend(run)
      if !changesLibrary { try store.finish(run) }
      try store.connection.execute("COMMIT", as: "commit")
      guard changesLibrary else {
        try? library.connection.execute("ROLLBACK")
        return done
      }
      try library.connection.execute("COMMIT", as: "commit")
    } catch {
      try? library.connection.execute("ROLLBACK")
      try? store.connection.execute("ROLLBACK")
      try? store.void(run)
      throw error
    }
    guard store.finishPatiently(run) else {
      throw RunFailure(
        .failed, "rebind '\(path)': the library was changed; its sidecar could not be written yet",
        advice: "The next command that changes the library writes it. Free some space if the disk is full.")
    }
    return done
  }
}

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
    for row in kept { _ = try table.update(row, retryCount: 0, error: nil, nextRetryAt: nil) }
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
      guard var envelope = try envelopes.envelope(of: id) else { continue }
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
