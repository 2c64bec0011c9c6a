import Content
import RegistryModel
import RegistryStore

extension PostgreSQLStore {
  /// Deletes a user. When the call returns, no query finds the address or the documents. Their bytes leave the tables'
  /// files when the server reuses the space (autovacuum), and leave its write-ahead log and its backups when these
  /// expire.
  public func deleteUser(_ id: RegistryID, at now: Timestamp) async throws {
    try requireOpen()
    try await write { [views] connection in
      try Self.lockNames(connection)
      let rows = TransactionRows(connection, views)
      do { _ = try rows.lockOwner(id) } catch StoreFailure.unknownUser { return }
      try Self.eraseContent(of: id, at: now, rows)
      // Sessions, tokens and stored answers are deleted with the user.
      try connection.query("DELETE FROM users WHERE id = $1", [.id(id)])
    }
  }

  /// Reduces each item to its position among forks and a hash of its slug; names are kept only if another account has a
  /// public fork.
  private static func eraseContent(of owner: RegistryID, at now: Timestamp, _ rows: TransactionRows) throws {
    let connection = rows.connection
    let all = try connection.query(
      "SELECT number, id, public_id FROM shared_content WHERE user_id = $1 ORDER BY number FOR NO KEY UPDATE",
      [.id(owner)])
    for row in 0..<all.count {
      guard let number = all.integer(row, 0), let id = all.id(row, 1), let slug = all.text(row, 2) else {
        throw StoreProblem.damaged
      }
      let isNamed = try hasLiveFork(of: id, notBy: owner, connection)
      try connection.query(
        """
        UPDATE shared_content SET title = '', author_username = CASE WHEN $1 THEN author_username END,
          original_author_username = CASE WHEN $1 THEN original_author_username END, description = NULL, tags = '{}',
          folded_tags = '{}', content_data = NULL, words = NULL, public_id = $2,
          digest = decode(repeat('00', 32), 'hex'), updated_at = greatest($3, updated_at + interval '1 millisecond'),
          deleted_at = coalesce(deleted_at, greatest($3, updated_at + interval '1 millisecond'))
        WHERE number = $4
        """, [.truth(isNamed), .text(ErasedSlug.hash(of: slug)), .time(now), .integer(number)])
      try connection.query("DELETE FROM content_documents WHERE number = $1", [.integer(number)])
      try connection.query("DELETE FROM content_tags WHERE number = $1", [.integer(number)])
      try rows.recreditCopies(of: id)
    }
    try connection.query("UPDATE shared_content SET user_id = NULL WHERE user_id = $1", [.id(owner)])
  }

  /// Whether a public item of another account descends from this one, over any number of steps. A cycle ends, because
  /// the set of descendants grows only by new items.
  private static func hasLiveFork(
    of id: RegistryID, notBy owner: RegistryID?, _ connection: PostgreSQLConnection
  ) throws -> Bool {
    try connection.has(
      """
      WITH RECURSIVE below AS (
        SELECT id FROM shared_content WHERE forked_from_id = $1
        UNION SELECT c.id FROM below JOIN shared_content c ON c.forked_from_id = below.id)
      SELECT 1 FROM below JOIN shared_content c ON c.id = below.id
      WHERE c.deleted_at IS NULL AND c.user_id IS DISTINCT FROM $2
      """, [.id(id), .id(owner)])
  }

  /// Drops expired data, and removes names that are no longer needed from erased items.
  public func sweep(at now: Timestamp) async throws {
    try requireOpen()
    try await write { [process = views.process] connection in
      try connection.query(
        "DELETE FROM idempotency_keys WHERE created_at <= $1",
        [.time(Timestamp(milliseconds: now.milliseconds &- IdempotencyClaim.kept))])
      try connection.query("DELETE FROM sessions WHERE expires_at <= $1", [.time(now)])
      try connection.query("DELETE FROM refresh_tokens WHERE used_at IS NOT NULL AND expires_at <= $1", [.time(now)])
      try connection.query(
        """
        DELETE FROM shared_numbers WHERE changed_at < now() - interval '1 hour'
          AND (NOT starts_with(key, 'day ') OR changed_at < now() - interval '1 day')
        """)
      // The rows of processes that ended, a day ago or earlier.
      try connection.query("UPDATE view_flushes SET flushed_at = now() WHERE process = $1", [.id(process)])
      try connection.query("DELETE FROM view_flushes WHERE flushed_at < now() - interval '1 day'")
      try Self.forgetNames(connection)
    }
  }

  /// Removes the names from erased items without public descendants.
  private static func forgetNames(_ connection: PostgreSQLConnection) throws {
    let rows = try connection.query(
      """
      SELECT number, id FROM shared_content
      WHERE user_id IS NULL AND (author_username IS NOT NULL OR original_author_username IS NOT NULL)
      ORDER BY number FOR NO KEY UPDATE
      """)
    for row in 0..<rows.count {
      guard let number = rows.integer(row, 0), let id = rows.id(row, 1) else { throw StoreProblem.damaged }
      if try hasLiveFork(of: id, notBy: nil, connection) { continue }
      try connection.query(
        "UPDATE shared_content SET author_username = NULL, original_author_username = NULL WHERE number = $1",
        [.integer(number)])
    }
  }
}
