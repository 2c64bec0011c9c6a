import Content
import Foundation
import GRDB
import Publishing
import RegistryModel
import RegistryStore

/// The rows of an owner's operations, inside the writer's transaction.
extension WriteContext: OperationRows {
  func row(_ name: ContentName) throws -> ContentRow? { try SQLiteStore.row(name, in: db) }

  func isTaken(_ publicID: String) throws -> Bool {
    // Files from before this rule contain pairs of slugs that differ only by case; reading compares slugs by bytes.
    try exists(
      """
      SELECT 1 FROM shared_content WHERE public_id COLLATE NOCASE = ?
      UNION ALL SELECT 1 FROM shared_content WHERE public_id = ?
      """, [publicID, ErasedSlug.hash(of: publicID)])
  }

  func insert(_ head: PublicationHead, _ origin: Origin, _ prepared: PreparedOperation) throws {
    guard case .publish(let request) = prepared.operation else { return }
    let arguments: StatementArguments = [
      head.id.text, head.userID?.text, head.authorUsername, head.title, head.description, head.contentType.rawValue,
      TagColumn.write(head.tags), head.language, head.language.firstSubtag, head.publicID, head.canFork,
      origin.parentID?.text, origin.rootID?.text, origin.depth, origin.keptName, origin.isClaimed,
      head.createdAt.milliseconds, head.updatedAt.milliseconds, Data(head.digest),
    ]
    try execute(
      """
      INSERT INTO shared_content (id, user_id, author_username, title, description, content_type, tags, language,
        language_base, public_id, can_fork, forked_from_id, root_id, chain_depth, original_author_username,
        original_is_claimed, created_at, updated_at, digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, arguments)
    let number = db.lastInsertedRowID
    try execute(
      "INSERT INTO content_documents (number, content_data) VALUES (?, ?)", [number, Data(request.contentData)])
    try writeTags(head, number: number)
    changeSearch(
      "INSERT INTO content_search (rowid, title, description, tags, body) VALUES (?, ?, ?, ?, ?)",
      [number, head.title, head.description, head.tags.joined(separator: "\n"), prepared.words])
    if let parent = origin.parentID {
      try execute(
        "INSERT INTO content_forks (parent_shared_content_id, child_shared_content_id, created_at) VALUES (?, ?, ?)",
        [parent.text, head.id.text, head.createdAt.milliseconds])
    }
  }

  private func writeTags(_ head: PublicationHead, number: Int64) throws {
    for tag in head.tags {
      try execute(
        "INSERT OR IGNORE INTO content_tags (tag, created_at, id, number) VALUES (?, ?, ?, ?)",
        [tag, head.createdAt.milliseconds, head.id.text, number])
    }
  }

  func document(of content: ContentRow) throws -> [UInt8] {
    guard let row = try row("SELECT content_data FROM content_documents WHERE number = ?", [content.number]) else {
      throw StoreProblem.damaged
    }
    return try ContentRow.document(row, at: 0)
  }

  func replace(
    _ content: ContentRow, with head: PublicationHead, _ change: PublishChange, document: [UInt8]?, words: String?
  ) throws {
    let number = content.number
    let arguments: StatementArguments = [
      head.authorUsername, head.title, head.description, head.contentType.rawValue, TagColumn.write(head.tags),
      head.language, head.language.firstSubtag, head.updatedAt.milliseconds, Data(head.digest), number,
    ]
    try execute(
      """
      UPDATE shared_content SET author_username = ?, title = ?, description = ?, content_type = ?, tags = ?,
        language = ?, language_base = ?, updated_at = ?, digest = ? WHERE number = ?
      """, arguments)
    if change.tags != nil {
      try execute("DELETE FROM content_tags WHERE number = ?", [number])
      try writeTags(head, number: number)
    }
    updateSearch(head, change, words: words, number: number)
    if let document {
      try execute("UPDATE content_documents SET content_data = ? WHERE number = ?", [Data(document), number])
    }
  }

  private func updateSearch(_ head: PublicationHead, _ change: PublishChange, words: String?, number: Int64) {
    let tags = head.tags.joined(separator: "\n")
    if let words {
      changeSearch(
        "UPDATE content_search SET title = ?, description = ?, tags = ?, body = ? WHERE rowid = ?",
        [head.title, head.description, tags, words, number])
    } else if change.title != nil || change.description != nil || change.tags != nil {
      changeSearch(
        "UPDATE content_search SET title = ?, description = ?, tags = ? WHERE rowid = ?",
        [head.title, head.description, tags, number])
    }
  }

  func unpublish(_ content: ContentRow, at time: Timestamp) throws {
    try execute(
      "UPDATE shared_content SET deleted_at = ?, updated_at = ? WHERE number = ?",
      [time.milliseconds, time.milliseconds, content.number])
    try hide(content.number)
  }

  /// Removes an item from the tables for lists and searches.
  func hide(_ number: Int64) throws {
    try execute("DELETE FROM content_tags WHERE number = ?", [number])
    changeSearch("DELETE FROM content_search WHERE rowid = ?", [number])
  }
}

extension SQLiteStore {
  /// Carries out operations in one savepoint of a shared commit; `render` runs on the writer's queue.
  public func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, claim: IdempotencyClaim?
  ) async throws -> ApplyOutcome {
    // Digests and words are computed here, on the caller's thread, because all callers share one writer.
    let prepared = try operations.map(PreparedOperation.init)
    if let claim, claim.key.holdsNUL { throw StoreFailure.textWithNUL }
    return try await write(weight: prepared.reduce(0) { $0 + $1.weight }) { context -> ApplyOutcome in
      let known = try context.owner(owner)
      var rules = OperationRules(
        context, owner: owner, username: known.username, lastChange: known.lastChange, now: now)
      if let claim, let answered = try Self.answer(to: claim, of: owner, at: now, context.db) { return answered }
      var results: [OperationResult] = []
      results.reserveCapacity(prepared.count)
      for operation in prepared { results.append(try rules.apply(operation)) }
      if let claim { try Self.store(claim.render(results), for: claim, of: owner, at: now, context) }
      return .done(results)
    }
  }

  /// Returns the stored answer to a claim's request.
  public func answer(to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp) async throws -> ApplyOutcome?
  {
    guard !claim.key.holdsNUL else { return nil }
    try requireOpen()
    return try read { try Self.answer(to: claim, of: owner, at: now, $0) }
  }

  private static func answer(
    to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp, _ db: Database
  ) throws -> ApplyOutcome? {
    let query = try db.cachedStatement(
      sql: """
        SELECT fingerprint, status, headers, body FROM idempotency_keys
        WHERE user_id = ? AND key = ? AND created_at > ?
        """)
    let row = try Row.fetchOne(query, arguments: [owner.text, claim.key, now.milliseconds - IdempotencyClaim.kept])
    guard let row else { return nil }
    guard let fingerprint = row.bytes(0), let status = row.integer(1),
      let headers = try row.list(2, StringList.headers),
      let body = row.bytes(3)
    else { throw StoreProblem.damaged }
    guard fingerprint == claim.fingerprint else { return .keyReused }
    return .replayed(StoredAnswer(status: Int(status), headers: headers, body: body))
  }

  private static func store(
    _ answer: StoredAnswer, for claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp,
    _ context: WriteContext
  ) throws {
    try context.execute(
      """
      INSERT OR REPLACE INTO idempotency_keys (user_id, key, fingerprint, status, headers, body, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        owner.text, claim.key, Data(claim.fingerprint), answer.status,
        TagColumn.write(StringList.write(answer.headers)),
        Data(answer.body), now.milliseconds,
      ])
  }
}
