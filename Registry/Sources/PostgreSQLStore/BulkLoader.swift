import Content
import Publishing
import RegistryModel
import RegistryStore

/// Publishes many items of one account with COPY, in transactions that record how far the source has been loaded.
///
/// The account's changes follow each other as with single requests: every item has a later time than the one before.
package final class BulkLoader {
  /// A checked request of a source.
  package struct Entry: Sendable {
    /// The line in the source, from 1.
    package let line: Int64
    package let request: PublishRequest
    fileprivate let prepared: PreparedOperation
    fileprivate let texts: BulkWriter.Texts
    /// The digest and the hash of the slug of a deleted account, for the search for taken slugs.
    fileprivate let digest: String
    fileprivate let erasedSlug: String

    /// - Throws: `StoreFailure` for strings that a store does not accept.
    package init(line: Int64, request: PublishRequest) throws {
      self.line = line
      self.request = request
      prepared = try PreparedOperation(.publish(request))
      texts = BulkWriter.Texts(
        tags: request.tags,
        words:
          SearchWords(title: request.title, description: request.description, tags: request.tags, prepared.words).all,
        document: request.contentData)
      digest = Digest.hex(prepared.digest)
      erasedSlug = ErasedSlug.hash(of: request.publicID)
    }

    /// Whether the item's origin must be looked up.
    fileprivate var hasOrigin: Bool { request.forkedFromID != nil || request.originalAuthorUsername != nil }
  }

  /// The result for an entry.
  package enum Outcome: Sendable, Equatable {
    case published
    /// The account has published exactly this item under its slug before.
    case unchanged
    case refused(OperationResult.Refusal)
  }

  private let connection: PostgreSQLConnection
  private let source: [UInt8]
  private let owner: RegistryID
  private let writer: BulkWriter

  /// - Parameters:
  ///   - owner: the account's name.
  ///   - source: the SHA-256 of the source.
  ///   - createsOwner: whether the account is made if it does not exist. No person can sign in to it.
  /// - Throws: `StoreFailure`; `.unknownUser` if there is no such account.
  package init(
    _ address: String, owner: String, source: [UInt8], createsOwner: Bool, at now: Timestamp
  ) throws(StoreFailure) {
    self.source = source
    do {
      connection = try PostgreSQLConnection(address, session: ["lock_timeout = '10s'", "jit = off"], isWritable: true)
      try StoreSchema.prepare(connection)
      if owner.holdsNUL { throw StoreFailure.unknownUser }
      let find = "SELECT id FROM users WHERE lower(username) = lower($1 COLLATE \"C\") ORDER BY username = $1 DESC"
      if createsOwner {
        try connection.query(
          """
          INSERT INTO users (id, apple_id, username, created_at, updated_at)
          SELECT $2, 'loaded:' || $1, $1, $3, $3
          WHERE NOT EXISTS (SELECT 1 FROM users WHERE lower(username) = lower($1 COLLATE "C"))
          """, [.text(owner), .id(RegistryID()), .time(now)])
      }
      guard let id = try connection.query(find, [.text(owner)]).id(0, 0) else { throw StoreFailure.unknownUser }
      self.owner = id
      writer = try BulkWriter(connection)
    } catch { throw StoreProblem.failure(error) as? StoreFailure ?? .unavailable("load: it failed.") }
  }

  /// Returns the first line that is not loaded; 1 if nothing is.
  package func firstLine() throws -> Int64 {
    let rows = try connection.query(
      "SELECT next_line FROM loads WHERE source = $1 AND owner_id = $2", [.bytes(source), .id(owner)])
    return rows.integer(0, 0) ?? 1
  }

  /// Publishes entries in one transaction.
  /// - Parameters:
  ///   - nextLine: the line after the last one that the entries were read from.
  ///   - record: called with an outcome for each entry before they count as loaded; it may be called several times.
  /// - Returns: An outcome for each entry.
  /// - Throws: `StoreFailure` and the errors of `record`; then none of the entries is published.
  package func load(
    _ entries: [Entry], nextLine: Int64, at now: Timestamp, record: ([Outcome]) throws -> Void
  ) throws -> [Outcome] {
    do {
      for attempt in 1... {
        do {
          try connection.run("BEGIN")
          let outcomes = try publish(entries, at: now)
          try connection.query(
            """
            INSERT INTO loads (source, owner_id, next_line) VALUES ($1, $2, $3)
            ON CONFLICT (source, owner_id) DO UPDATE SET next_line = excluded.next_line, changed_at = now()
            """, [.bytes(source), .id(owner), .integer(nextLine)])
          try record(outcomes)
          try connection.run("COMMIT")
          return outcomes
        } catch let error as PostgreSQLError where error.isOfConcurrency && attempt < 5 {
          try connection.run("ROLLBACK")
        }
      }
      return []
    } catch {
      if connection.isAlive, connection.isInTransaction { try? connection.run("ROLLBACK") }
      throw error is PostgreSQLError ? StoreProblem.failure(error) : error
    }
  }

  private func publish(_ entries: [Entry], at now: Timestamp) throws -> [Outcome] {
    let rows = TransactionRows(connection, ViewCounter())
    let username = try rows.lockOwner(owner)
    var outcomes = try outcomesOfSlugs(entries)
    let free = entries.indices.filter { outcomes[$0] == .published && !entries[$0].hasOrigin }
    var last = rows.lastChange
    let numbers = try connection.query(
      "SELECT nextval(pg_get_serial_sequence('shared_content', 'number')) FROM generate_series(1, $1)",
      [.integer(Int64(free.count))])
    let items = try free.enumerated().map { place, index in
      guard let number = numbers.integer(place, 0) else { throw StoreProblem.damaged }
      last = max(now.milliseconds, last == .min ? last : last + 1)
      return entries[index].item(number: number, of: owner, username, at: Timestamp(milliseconds: last))
    }
    try writer.insert(items)
    // The few copies take the way of single requests, which finds their originals.
    var rules = OperationRules(rows, owner: owner, username: username, lastChange: last, now: now)
    for index in entries.indices where outcomes[index] == .published && entries[index].hasOrigin {
      if case .refused(let why) = try rules.apply(entries[index].prepared) { outcomes[index] = .refused(why) }
    }
    return outcomes
  }

  /// Finds the slugs that are taken, and locks the others.
  private func outcomesOfSlugs(_ entries: [Entry]) throws -> [Outcome] {
    var outcomes: [Outcome] = []
    var seen: Set<String> = []
    for entry in entries {
      let slug = entry.request.publicID
      let isFree = !ErasedSlug.isReserved(slug) && seen.insert(slug.asciiLowercased).inserted
      outcomes.append(isFree ? .published : .refused(.publicIDTaken))
    }
    let slugs = PostgreSQLValue.texts(entries.map(\.request.publicID))
    try connection.query(
      """
      SELECT count(pg_advisory_xact_lock(hashtextextended(slug, 1)))
      FROM (SELECT DISTINCT lower(s COLLATE "C") AS slug FROM unnest($1::text[]) s ORDER BY 1) t
      """, [slugs])
    let found = try connection.query(
      """
      SELECT s.place, c.public_id = s.slug AND c.user_id = $4 AND c.deleted_at IS NULL
        AND encode(c.digest, 'hex') = s.digest
      FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY s (slug, erased, digest, place)
      JOIN shared_content c ON lower(c.public_id) = lower(s.slug COLLATE "C") OR c.public_id = s.erased COLLATE "C"
      """,
      [
        slugs, .texts(entries.map(\.erasedSlug)), .texts(entries.map(\.digest)), .id(owner),
      ])
    for row in 0..<found.count {
      guard let place = found.integer(row, 0).map({ Int($0) - 1 }), outcomes.indices.contains(place) else { continue }
      outcomes[place] = found.truth(row, 1) == true ? .unchanged : .refused(.publicIDTaken)
    }
    return outcomes
  }
}

extension BulkLoader.Entry {
  /// Returns the item for a new publication without an original.
  fileprivate func item(
    number: Int64, of owner: RegistryID, _ username: String, at time: Timestamp
  ) -> BulkWriter.Item {
    let id = RegistryID(at: time)
    let row: [StoredValue] = [
      .integer(number), .id(id), .id(owner), .text(username), .text(request.title),
      request.description.map(StoredValue.text) ?? .null, .text(request.contentType.rawValue), .texts(request.tags),
      .text(request.language), .text(request.language.firstSubtag), .text(request.publicID),
      .truth(request.canFork), .null, .null, .integer(1), .null, .truth(false), .integer(0), .integer(0),
      .time(time), .time(time), .null, .bytes(prepared.digest),
    ]
    return BulkWriter.Item(row: row, number: number, id: id, createdAt: time, isPublic: true, texts: texts)
  }
}
