import Interchange
import SQLiteIO
import SQLiteLibrary

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
  /// - Throws: `RunFailure` 4 when operations would be left undone without `force`.
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
