import Content
import Foundation
import GRDB
import RegistryModel
import RegistryStore

extension SQLiteStore {
  /// The number of pages that one step of merging the search index may write; other writers get their turn between
  /// steps.
  private static let mergePages = 256
  private static let mergeSteps = 100_000

  /// Deletes a user. When the call returns, the file and its write-ahead log contain no byte of the address or the
  /// documents. There are two exceptions, in which `sweep` completes the erasure: readers kept the log in use for a
  /// second, or the file is large.
  public func deleteUser(_ id: RegistryID, at now: Timestamp) async throws {
    let erased = try await write { context -> Bool in
      guard try context.exists("SELECT 1 FROM users WHERE id = ?", [id.text]) else { return false }
      try Self.eraseContent(of: id, at: now, context)
      // Sessions, tokens and stored answers are deleted with the user.
      try context.execute("DELETE FROM users WHERE id = ?", [id.text])
      context.changePeople()
      try context.execute("UPDATE store_state SET erasure_pending = erasure_pending + 1")
      return true
    }
    if erased { try await finishErasure() }
  }

  /// Reduces each item to its position among forks and a hash of its slug; names are kept only if another account has a
  /// public fork.
  private static func eraseContent(of owner: RegistryID, at now: Timestamp, _ context: WriteContext) throws {
    let statement = try context.db.cachedStatement(
      sql: "SELECT \(ContentRow.columns) FROM \(ContentRow.source) WHERE c.user_id = ?")
    let all = try Row.fetchAll(statement, arguments: [owner.text]).map(ContentRow.init)
    for content in all {
      let named = try hasLiveFork(of: content.head.id, notBy: owner, context)
      let time = max(now.milliseconds, content.head.updatedAt.milliseconds &+ 1)
      try context.execute(
        """
        UPDATE shared_content SET title = '', author_username = iif(?1, author_username, NULL),
          original_author_username = iif(?1, original_author_username, NULL), description = NULL, tags = '[]',
          digest = zeroblob(32), updated_at = ?2, deleted_at = coalesce(deleted_at, ?2) WHERE number = ?3
        """, [named, time, content.number])
      try ErasedSlug.write(over: content.head.publicID, number: content.number, context.db)
      try context.execute("DELETE FROM content_documents WHERE number = ?", [content.number])
      if content.head.deletedAt == nil { try context.hide(content.number) }
      try context.recreditCopies(of: content.head.id)
    }
    try context.execute("UPDATE shared_content SET user_id = NULL WHERE user_id = ?", [owner.text])
  }

  /// Whether a public item of another account descends from this one, over any number of steps. A cycle ends, because
  /// the set of descendants grows only by new items.
  private static func hasLiveFork(
    of id: RegistryID, notBy owner: RegistryID?, _ context: WriteContext
  ) throws -> Bool {
    try context.exists(
      """
      SELECT 1 FROM (
        WITH RECURSIVE below(id) AS (
          SELECT id FROM shared_content WHERE forked_from_id = ?1
          UNION SELECT c.id FROM below JOIN shared_content c ON c.forked_from_id = below.id)
        SELECT 1 FROM below JOIN shared_content c ON c.id = below.id
        WHERE c.deleted_at IS NULL AND c.user_id IS NOT ?2 LIMIT 1)
      """, [id.text, owner?.text])
  }

  /// Removes deleted words from the search index, and changed pages from the write-ahead log.
  ///
  /// FTS5 only marks an entry as deleted; its words leave the file when the index's segments are merged into one. The
  /// merge is done in steps, so that others can write in between; `sweep` completes steps that are missing.
  /// - Parameter rewrites: whether to rewrite a file of any size.
  /// - Returns: Whether the file was rewritten; otherwise a later sweep rewrites it.
  @discardableResult
  func finishErasure(rewrites: Bool = false) async throws -> Bool {
    let noted = try await write { context in
      try Int64.fetchOne(context.db, sql: "SELECT erasure_pending FROM store_state") ?? 0
    }
    var started = false
    for _ in 0..<Self.mergeSteps {
      // A negative number of pages starts merging all segments into one.
      let pages = started ? Self.mergePages : -Self.mergePages
      started = true
      let done = try await write { context -> Bool in
        let before = context.db.totalChangesCount
        try context.execute("INSERT INTO content_search (content_search, rank) VALUES ('merge', ?)", [pages])
        // According to SQLite's documentation, fewer than two changes mean that there was nothing left to merge.
        return context.db.totalChangesCount - before < 2
      }
      if done { break }
    }
    let isRewritten = await rewriter.rewrite(ofAnySize: rewrites)
    for _ in 0..<20 {
      if emptyLog() {
        guard isRewritten else { return false }
        // If another account was deleted in the meantime, its erasure is still pending.
        try await write {
          try $0.execute("UPDATE store_state SET erasure_pending = 0 WHERE erasure_pending = ?", [noted])
        }
        return true
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    return isRewritten
  }

  /// Moves the write-ahead log into the file and truncates the log. Returns false when readers were active the whole
  /// time: they still need the log.
  func emptyLog() -> Bool {
    let busy = try? pool.writeWithoutTransaction { db in
      // Other writers wait for this one, so it tries again later instead of waiting long.
      try db.execute(sql: "PRAGMA busy_timeout = 100")
      defer { try? db.execute(sql: "PRAGMA busy_timeout = 5000") }
      return try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    return busy == 0
  }

  /// Drops expired data, removes names that are no longer needed from erased items, and completes interrupted erasures.
  public func sweep(at now: Timestamp) async throws {
    let pending = try await write { context -> Bool in
      let limit = now.milliseconds
      try context.execute("DELETE FROM idempotency_keys WHERE created_at <= ?", [limit - IdempotencyClaim.kept])
      try context.execute("DELETE FROM sessions WHERE expires_at <= ?", [limit])
      try context.execute("DELETE FROM refresh_tokens WHERE used_at IS NOT NULL AND expires_at <= ?", [limit])
      context.changePeople()
      try Self.forgetNames(context)
      return try context.exists("SELECT 1 FROM store_state WHERE erasure_pending > 0", [])
    }
    guard pending else { return }
    // A large file may be rewritten at most once a day, because other writers wait during the rewrite.
    let day: Int64 = 24 * 3600 * 1000
    let isTime = lastRewrite.withLock { $0.map { now.milliseconds < $0 || now.milliseconds - $0 >= day } ?? true }
    if try await finishErasure(rewrites: isTime), isTime { lastRewrite.withLock { $0 = now.milliseconds } }
  }

  /// Removes the names from erased items without public descendants.
  private static func forgetNames(_ context: WriteContext) throws {
    let statement = try context.db.cachedStatement(
      sql: """
        SELECT number, id FROM shared_content
        WHERE user_id IS NULL AND (author_username IS NOT NULL OR original_author_username IS NOT NULL)
        """)
    var hasForgotten = false
    for row in try Row.fetchAll(statement) {
      guard let number = row.integer(0), let id = row.text(1) else { throw StoreProblem.damaged }
      if try hasLiveFork(of: RegistryID(stored: id), notBy: nil, context) { continue }
      try context.execute(
        "UPDATE shared_content SET author_username = NULL, original_author_username = NULL WHERE number = ?", [number])
      hasForgotten = true
    }
    if hasForgotten { try context.execute("UPDATE store_state SET erasure_pending = erasure_pending + 1") }
  }
}

extension ErasedSlug {
  /// Replaces an item's slug. In files from before slugs had to differ by more than case, two slugs may have the same
  /// hash: the second hash then gets the item's number as a suffix.
  static func write(over slug: String, number: Int64, _ db: Database) throws {
    let hash = hash(of: slug)
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM shared_content WHERE public_id = ?")
    let isThere = try Int64.fetchOne(statement, arguments: [hash]) != nil
    try db.cachedStatement(sql: "UPDATE shared_content SET public_id = ? WHERE number = ?")
      .execute(arguments: [isThere ? "\(hash):\(number)" : hash, number])
  }

  /// Replaces the slugs of all accounts that were deleted before slugs were hashed.
  static func hashAll(_ db: Database) throws {
    let rows = try Row.fetchAll(
      db, sql: "SELECT number, public_id FROM shared_content WHERE user_id IS NULL ORDER BY number")
    for row in rows {
      guard let number = row.integer(0), let slug = row.text(1) else { throw StoreProblem.damaged }
      try write(over: slug, number: number, db)
    }
    if !rows.isEmpty { try db.execute(sql: "UPDATE store_state SET erasure_pending = erasure_pending + 1") }
  }
}
