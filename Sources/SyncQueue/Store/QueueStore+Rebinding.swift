import Interchange
import SQLiteIO
import SQLiteLibrary

extension QueueStore {
  /// What it would mean for the library to belong to another registry or account.
  /// - Parameter keepsPublished: whether the new one has what the old one has.
  package func rebindPlan(to new: RegistryBinding, keepsPublished: Bool) throws -> RebindPlan {
    var plan = RebindPlan(try binding(), new, keepsPublished: keepsPublished)
    try read {
      for table in tables { try FormerRows(table, envelopes(table.place)).count(into: &plan) }
    }
    return plan
  }

  /// Makes the library belong to another registry or account.
  ///
  /// Where the registry or the account really changes, items that are public at the old one become private and pending,
  /// and what was sent, or was for the old one only, leaves the queue for `former_operations` beside the library.
  ///
  /// It is a run like those that enqueue: what lies beside the library counts from the moment when the library has the
  /// rest, and one that was killed in between is settled by whoever changes the library next.
  /// - Parameter force: whether operations that only the old one can do may be left undone.
  /// - Returns: what it came to.
  /// - Throws: `RunFailure` 4 when something would be left undone without `force`.
  package func rebind(to new: RegistryBinding, keepsPublished: Bool, force: Bool) throws -> RebindPlan {
    let plan = try rebindPlan(to: new, keepsPublished: keepsPublished)
    try plan.refuse(path, force: force)
    guard plan.isChange, let old = plan.old else {
      try bind(to: new)
      return plan
    }
    guard plan.forgets else {
      // The same items under a new address: what the registry said of them stays.
      try change([.beside]) { try write(new) }
      return plan
    }
    return try Self.locked(path, patience: patience) { sidecar in
      let store = try StateStore(sidecar)
      do {
        try settleKilledRuns(sidecar)
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
      let rows = try FormerRows(library, libraryEnvelopes)
      let decks = try FormerRows(beside, DeckEnvelopes(beside, stagedFor: run))
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
      for row in gone.rows { try QueueWitness(of: row, library.connection).write(run, store) }
      for id in gone.items { try QueueWitness.writeWithdrawn(id, run, store) }
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
        .failed, "rebind '\(path)': the library is changed; what lies beside it could not be written yet",
        advice: "The next command that changes the library does that. Free some space if the disk is full.")
    }
    return done
  }
}
