import SQLiteIO

/// The queue of items that live beside the library.
extension StateStore {
  /// Makes the operations count that a run has staged, inside the caller's transaction.
  ///
  /// A row that was sent meanwhile stays as it is: what was sent is history.
  func finishOperations(_ run: Int64) throws(SQLiteError) {
    try connection.execute(
      """
      DELETE FROM sync_queue WHERE syncedAt IS NULL AND id IN
        (SELECT row FROM staged_operations WHERE run = \(run) AND operation IS NULL);
      UPDATE sync_queue SET operation = new.operation, payload = new.payload, retryCount = new.retryCount,
        lastError = CASE WHEN new.retryCount = 0 THEN NULL ELSE lastError END, nextRetryAt = NULL
      FROM staged_operations AS new
      WHERE new.run = \(run) AND new.row = sync_queue.id AND new.operation IS NOT NULL AND syncedAt IS NULL;
      INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, retryCount)
      SELECT contentID, operation, visibilityState, payload, createdAt, retryCount FROM staged_operations
      WHERE run = \(run) AND row IS NULL ORDER BY id;
      DELETE FROM staged_operations WHERE run = \(run)
      """, as: "settle a run")
  }

  /// Makes the library belong to whom a run has staged, inside the caller's transaction; what was sent is gone from this
  /// queue then, and nothing is known of what is public.
  func finishRebinding(_ run: Int64) throws(SQLiteError) {
    guard try connection.number("SELECT count(*) FROM staged_bindings WHERE run = \(run)") > 0 else { return }
    try connection.execute(
      """
      DELETE FROM sync_queue WHERE syncedAt IS NOT NULL;
      DELETE FROM publications;
      DELETE FROM tried_versions;
      DELETE FROM earlier_states;
      INSERT INTO sync_epoch (one, number) VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET number = number + 1;
      INSERT OR REPLACE INTO registry_binding (one, registry, user_id, username, bound_at)
      SELECT 1, registry, user_id, username, strftime('%Y-%m-%d %H:%M:%f', 'now') FROM staged_bindings
      WHERE run = \(run);
      DELETE FROM staged_bindings WHERE run = \(run)
      """, as: "settle a run")
  }

  /// Whose a library is by a run that was killed when the library had its part, for whoever only reads: registry, id and
  /// name of the account; nil when there is no such run.
  package static func unsettledBinding(
    _ state: SQLiteConnection, _ library: SQLiteConnection
  ) throws(SQLiteError) -> [String?]? {
    let isThere = "SELECT count(*) FROM sqlite_schema WHERE name = 'staged_bindings'"
    guard try state.number(isThere) > 0,
      let row = try state.rows(
        """
        SELECT registry, user_id, username, run FROM staged_bindings JOIN runs ON runs.id = run
        WHERE state = '\(RunState.intended.rawValue)'
        """
      ).first
    else { return nil }
    let witnesses = try state.rows("SELECT kind, id, before, after FROM witnesses WHERE run = \(row[3] ?? "0")")
    return try QueueWitness.isCommitted(witnesses, library) == true ? row : nil
  }
}
