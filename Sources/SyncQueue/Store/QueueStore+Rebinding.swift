import Content
import SQLiteIO

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
  /// The library changes first and whose it is last, so that a run that was killed in between is done to its end by
  /// doing it again.
  /// - Parameter force: whether operations that only the old one can do may be left undone.
  /// - Returns: what it came to.
  /// - Throws: `RunFailure` 4 when something would be left undone without `force`.
  package func rebind(to new: RegistryBinding, keepsPublished: Bool, force: Bool) throws -> RebindPlan {
    let plan = try rebindPlan(to: new, keepsPublished: keepsPublished)
    try plan.refuse(path, force: force)
    guard plan.isChange, let old = plan.old, let beside else {
      try bind(to: new)
      return plan
    }
    guard plan.forgets else {
      // The same items under a new address: what the registry said of them stays.
      try change([.beside]) { try write(new) }
      return plan
    }
    let done = try change(
      libraryFirst: {
        var done = RebindPlan(old, new, keepsPublished: false)
        for table in tables { try FormerRows(table, envelopes(table.place)).count(into: &done) }
        try done.refuse(path, force: force)
        try FormerRows(library, libraryEnvelopes).copy(to: beside, of: old)
        return done
      },
      then: {
        try FormerRows(library, libraryEnvelopes).leave()
      },
      last: {
        let decks = try FormerRows(beside, deckEnvelopes)
        try decks.copy(to: beside, of: old)
        try decks.leave()
        try beside.connection.execute("DELETE FROM publications; DELETE FROM tried_versions")
        // Requests that an earlier registry answered are others than those that go out from now on.
        try beginEpoch()
        try write(new)
      })
    return done
  }

  /// Changes both files so that either all is done, or doing it again does the rest.
  /// - Parameters:
  ///   - prepare: writes beside the library what the library is about to lose.
  ///   - change: changes the library.
  ///   - end: writes beside the library that it is done.
  private func change<Result>(
    libraryFirst prepare: () throws -> Result, then change: () throws -> Void, last end: () throws -> Void
  ) throws -> Result {
    guard let beside else { return try self.change([.library], prepare) }
    return try Self.locked(path, patience: patience) { _ in
      do {
        try library.connection.execute("BEGIN IMMEDIATE", as: "change the queue")
        try beside.connection.execute("BEGIN IMMEDIATE", as: "change the queue")
        let result = try prepare()
        try beside.connection.execute("COMMIT", as: "commit")
        try change()
        try library.connection.execute("COMMIT", as: "commit")
        try beside.connection.execute("BEGIN IMMEDIATE", as: "change the queue")
        try end()
        try beside.connection.execute("COMMIT", as: "commit")
        return result
      } catch {
        for table in tables { try? table.connection.execute("ROLLBACK") }
        if let error = error as? SQLiteError { throw Self.failure(error, path) }
        throw error
      }
    }
  }
}
