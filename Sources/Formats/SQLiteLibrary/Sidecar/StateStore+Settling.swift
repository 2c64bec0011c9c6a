import CSQLite
import Content
import Foundation
import JSONText
import SQLiteIO

/// How runs end in the ledger, also those that were killed.
extension StateStore {
  /// Makes a run's records count, inside the caller's transaction.
  package func finish(_ run: Int64) throws(SQLiteError) {
    try connection.execute(
      """
      INSERT OR REPLACE INTO records SELECT kind, id, line FROM staged_records WHERE run = \(run);
      DELETE FROM staged_records WHERE run = \(run);
      INSERT OR REPLACE INTO packs SELECT name, version, sha256, key FROM staged_packs WHERE run = \(run);
      DELETE FROM staged_packs WHERE run = \(run);
      DELETE FROM witnesses WHERE run = \(run)
      """, as: "settle a run")
    // The registry has answered: what is public is known again.
    try connection.execute(
      """
      DELETE FROM tried_versions WHERE content_id IN
        (SELECT content_id FROM staged_publications WHERE run = \(run));
      INSERT OR REPLACE INTO publications SELECT content_id, public_id, registry_id, digest, synced_at
        FROM staged_publications WHERE run = \(run) AND public_id IS NOT NULL;
      DELETE FROM publications WHERE content_id IN
        (SELECT content_id FROM staged_publications WHERE run = \(run) AND public_id IS NULL);
      DELETE FROM staged_publications WHERE run = \(run)
      """, as: "settle a run")
    try finishOperations(run)
    try finishRebinding(run)
    try settle(run, .done)
  }

  package func finishInTransaction(_ run: Int64) throws(SQLiteError) {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      try finish(run)
      try connection.execute("COMMIT", as: "settle a run")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  /// Makes a run's records count whose changes the library has; for a minute where others read what lies beside it.
  ///
  /// What cannot be noted now the next run finds out from the library, which is why it does not throw.
  /// - Returns: whether it is noted.
  @discardableResult
  package func finishPatiently(_ run: Int64) -> Bool {
    for _ in 0..<12 {
      do throws(SQLiteError) {
        try finishInTransaction(run)
        return true
      } catch {
        guard error.code & 0xFF == SQLITE_BUSY else { return false }
      }
    }
    return false
  }

  /// Takes back what a run remembered; it changed nothing.
  /// - Parameter state: what it is from now on: `void` when it ended, `running` when it was interrupted.
  package func void(_ run: Int64, as state: RunState = .void) throws(SQLiteError) {
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      UPDATE ledger SET hash = old_hash, run = old_run, base = old_base, target = old_target, old_hash = NULL,
        old_run = NULL, old_base = NULL, old_target = NULL WHERE run = \(run) AND old_run IS NOT NULL;
      DELETE FROM ledger WHERE run = \(run);
      DELETE FROM bases WHERE run = \(run);
      DELETE FROM staged_records WHERE run = \(run);
      DELETE FROM staged_packs WHERE run = \(run);
      DELETE FROM staged_operations WHERE run = \(run);
      DELETE FROM staged_publications WHERE run = \(run);
      DELETE FROM staged_bindings WHERE run = \(run);
      DELETE FROM witnesses WHERE run = \(run)
      """, as: "take back a run")
    try settle(run, state)
    try connection.execute("COMMIT", as: "take back a run")
  }

  /// Settles runs of every kind that were killed, before anything else is done to a library.
  package func settleKilledRuns(_ library: WritableLibrary) throws {
    // Looking needs tables, which a library that is to be repaired may lack.
    if try !runs(state: .intended).isEmpty { try settleKilledRuns(library.isNew ? nil : LibraryLookup(library)) }
    for run in try runs(state: .intended) where run.command == "undo" || run.command == "doctor" {
      // One that exchanged the whole file has no journal; it says for itself what became of it.
      guard let reader = try UndoJournalReader(of: run.id, in: sidecar) else { continue }
      if try !library.isNew && LibraryRowsUndo.isCommitted(reader, library.connection) {
        UndoMedia(library.sidecar, self).putAsideAfterKill(run)
        try settle(run.id, .done)
      } else {
        try takeBack(run, reader)
      }
    }
    for run in try runs(state: .running) { UndoJournal.remove(run.id, from: sidecar) }
  }

  /// Takes back what a run did beside a library that does not have the rest of it.
  package func takeBack(_ run: Run, _ reader: UndoJournalReader) throws {
    try connection.execute("BEGIN IMMEDIATE")
    do {
      try StoreUndo(self, reader, journal: nil).run()
      if let undone = run.undoes { try mark(undone, isUndone: false) }
      try settle(run.id, .void)
      try connection.execute("COMMIT", as: "take back a run")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
    UndoJournal.remove(run.id, from: sidecar)
  }

  /// Settles runs that were killed between writing the ledger and noting that the library has it: the library itself
  /// says, by hash, whether it does. One that did not get as far is interrupted, and can be resumed.
  /// - Parameter lookup: looks into the library; nil when there is none, so that no run can have committed to it.
  package func settleKilledRuns(_ lookup: LibraryLookup?) throws(SQLiteError) {
    for run in try runs(state: .intended) where Self.importing.contains(run.command) {
      if let lookup, try Self.isCommitted(run.id, connection, lookup) {
        try finishInTransaction(run.id)
      } else {
        try void(run.id, as: .running)
      }
    }
  }

  /// Whether a run waits to be settled.
  package static func hasUnsettled(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    try connection.number("SELECT count(*) FROM runs WHERE state = '\(RunState.intended.rawValue)'") > 0
  }

  /// Commands that enqueue operations.
  package static let enqueuing = ["publish", "update", "unpublish"]

  /// The command that makes a library belong to another registry or account.
  package static let rebinding = "queue rebind"

  /// Commands that bring or change records and leave witnesses of it.
  static let importing = ["import", "restore", "apply", "fork", "pull", rebinding] + enqueuing

  /// Whether the library has what a run was about to write.
  static func isCommitted(
    _ run: Int64, _ connection: SQLiteConnection, _ lookup: LibraryLookup
  ) throws(SQLiteError) -> Bool {
    let witnesses = try connection.rows("SELECT kind, id, before, after FROM witnesses WHERE run = \(run)")
    if let isQueued = try QueueWitness.isCommitted(witnesses, lookup.connection) { return isQueued }
    for row in witnesses {
      guard let kind = row[0], let id = row[1], let after = row[3] else { continue }
      var bytes = Array(id.utf8)
      let hash = try hash(kind, &bytes, lookup)
      // What the run brought may have been edited since; it is there because the run brought it.
      if hash == after || row[2] == nil && hash != nil { return true }
    }
    return false
  }

  private static func hash(
    _ kind: String, _ id: inout [UInt8], _ lookup: LibraryLookup
  ) throws(SQLiteError) -> String? {
    let line = try id.withUnsafeBufferPointer { id throws(SQLiteError) in
      try lookup.record(RecordKind(kind), id: id).map { Digest.hex(Digest.sha256($0)) }
    }
    return line
  }
}
