import Content
import RegistryModel
import RegistryStore

extension PostgreSQLStore {
  /// The number of readings, each overtaken by a flush, after which a slightly outdated count is accepted.
  private static let attempts = 4

  /// Returns an item with its document.
  public func content(publicID: String, countingView: Bool) async throws -> SharedContent? {
    try requireOpen()
    guard !publicID.holdsNUL else { return nil }
    for attempt in 1... {
      let found = try await readPublic { [process = views.process] connection -> (ContentRow, [UInt8])? in
        let rows = try connection.query(
          """
          SELECT \(ContentRow.columns), d.document
          FROM shared_content c \(ContentRow.joins(process: "$2")) JOIN content_documents d ON d.number = c.number
          WHERE c.public_id = $1 AND c.deleted_at IS NULL
          """, [.text(publicID), .id(process)])
        guard rows.count > 0 else { return nil }
        guard let document = rows.bytes(0, ContentRow.columnCount) else { throw StoreProblem.damaged }
        return (try ContentRow(rows, 0), document)
      }
      guard let (row, document) = found else { return nil }
      var item = SharedContent(head: row.head, contentData: document)
      if countingView {
        guard let (missing, flush) = views.count(row) else { continue }
        item.head.viewCount &+= missing
        if flush { flushSoon() }
        return item
      }
      if let missing = views.missing(from: [row]) {
        item.head.viewCount &+= missing.first ?? 0
        return item
      }
      if attempt >= Self.attempts { return item }
    }
    return nil
  }

  /// Returns the head of an item, with the waiting views.
  public func head(_ name: ContentName) async throws -> PublicationHead? {
    try requireOpen()
    for attempt in 1... {
      let found = try await read { [process = views.process] connection in
        try TransactionRows.row(name, in: connection, process: process)
      }
      guard let row = found, row.head.deletedAt == nil else { return nil }
      var head = row.head
      if let missing = views.missing(from: [row]) {
        head.viewCount &+= missing.first ?? 0
        return head
      }
      if attempt >= Self.attempts { return head }
    }
    return nil
  }

  /// Counts a fork; the count is committed when the call returns.
  public func countFork(publicID: String) async throws -> ForkOutcome {
    try requireOpen()
    return try await write { [views] connection -> ForkOutcome in
      let rows = TransactionRows(connection, views)
      guard let content = try rows.row(.publicID(publicID)), content.head.deletedAt == nil else { return .notFound }
      guard content.head.canFork else { return .forbidden }
      try connection.query(
        "UPDATE shared_content SET fork_count = fork_count + 1 WHERE number = $1", [.integer(content.number)])
      var head = rows.counted(content)
      head.forkCount &+= 1
      return .counted(head)
    }
  }

  /// Returns the steps from the original to the item.
  public func lineage(_ name: ContentName, depth: Int) async throws -> [ForkStep]? {
    try requireOpen()
    guard let (condition, value) = TransactionRows.condition(name) else { return nil }
    return try await readPublic { connection in
      let rows = try connection.query(
        """
        WITH RECURSIVE chain AS (
          SELECT c.id, c.forked_from_id, 1::bigint AS step, ARRAY[c.id] AS path
          FROM shared_content c WHERE \(condition) AND c.deleted_at IS NULL
          UNION ALL
          SELECT c.id, c.forked_from_id, chain.step + 1, chain.path || c.id
          FROM chain JOIN shared_content c ON c.id = chain.forked_from_id
          WHERE chain.step < $2 AND c.id <> ALL (chain.path))
        SELECT CASE WHEN c.deleted_at IS NULL THEN c.title ELSE '' END, c.author_username, c.created_at, chain.step
        FROM chain JOIN shared_content c ON c.id = chain.id ORDER BY chain.step DESC
        """, [value, .integer(Int64(max(1, depth)))])
      guard rows.count > 0 else { return nil }
      return try (0..<rows.count).map { row in
        guard let title = rows.text(row, 0), let created = rows.time(row, 2) else { throw StoreProblem.damaged }
        return ForkStep(
          title: title, creator: rows.text(row, 1), createdAt: created, isCurrent: rows.integer(row, 3) == 1)
      }
    }
  }

  // MARK: Changes

  /// Returns the stored answer to a claim's request.
  public func answer(to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp) async throws -> ApplyOutcome?
  {
    try requireOpen()
    guard !claim.key.holdsNUL else { return nil }
    return try await read { try Self.answer(to: claim, of: owner, at: now, $0) }
  }

  static func answer(
    to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp, _ connection: PostgreSQLConnection
  ) throws -> ApplyOutcome? {
    let rows = try connection.query(
      """
      SELECT fingerprint, status, headers, body FROM idempotency_keys
      WHERE user_id = $1 AND key = $2 AND created_at > $3
      """,
      [.id(owner), .text(claim.key), .time(Timestamp(milliseconds: now.milliseconds &- IdempotencyClaim.kept))])
    guard rows.count > 0 else { return nil }
    guard let fingerprint = rows.bytes(0, 0), let status = rows.integer(0, 1),
      let headers = rows.texts(0, 2).flatMap(StringList.headers), let body = rows.bytes(0, 3)
    else { throw StoreProblem.damaged }
    guard fingerprint == claim.fingerprint else { return .keyReused }
    return .replayed(StoredAnswer(status: Int(status), headers: headers, body: body))
  }

  static func store(
    _ answer: StoredAnswer, for claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp,
    _ connection: PostgreSQLConnection
  ) throws {
    try connection.query(
      """
      INSERT INTO idempotency_keys (user_id, key, fingerprint, status, headers, body, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (user_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
        headers = excluded.headers, body = excluded.body, created_at = excluded.created_at
      """,
      [
        .id(owner), .text(claim.key), .bytes(claim.fingerprint), .integer(Int64(answer.status)),
        .texts(StringList.write(answer.headers)), .bytes(answer.body), .time(now),
      ])
  }
}
