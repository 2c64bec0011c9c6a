import Content
import Foundation
import GRDB
import JSONText
import RegistryModel
import RegistryStore

extension SQLiteStore {
  /// How long the answer to an idempotency key is kept, in milliseconds.
  static let answersKept: Int64 = 24 * 3600 * 1000

  /// Carries out operations in one savepoint of a shared commit; `render` runs on the writer's queue.
  public func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, claim: IdempotencyClaim?
  ) async throws -> ApplyOutcome {
    // Digests and words are computed here, on the caller's thread, because all callers share one writer.
    let prepared = try operations.map(PreparedOperation.init)
    if let claim, claim.key.holdsNUL { throw StoreProblem.textWithNUL }
    return try await write(weight: prepared.reduce(0) { $0 + $1.weight }) { context -> ApplyOutcome in
      var writer = try OperationWriter(context, owner: owner, now: now)
      if let claim, let answered = try Self.answer(to: claim, of: owner, at: now, context.db) { return answered }
      var results: [OperationResult] = []
      results.reserveCapacity(prepared.count)
      for operation in prepared { results.append(try writer.apply(operation)) }
      if let claim { try Self.keep(claim.render(results), for: claim, of: owner, at: now, context) }
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
    let row = try Row.fetchOne(query, arguments: [owner.text, claim.key, now.milliseconds - answersKept])
    guard let row else { return nil }
    guard let fingerprint = row.bytes(0), let status = row.integer(1), let headers = row.text(2),
      let body = row.bytes(3)
    else { throw StoreProblem.damaged }
    guard fingerprint == claim.fingerprint else { return .keyReused }
    return .replayed(StoredAnswer(status: Int(status), headers: try HeaderColumn.read(headers), body: body))
  }

  private static func keep(
    _ answer: StoredAnswer, for claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp,
    _ context: WriteContext
  ) throws {
    try context.execute(
      """
      INSERT OR REPLACE INTO idempotency_keys (user_id, key, fingerprint, status, headers, body, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        owner.text, claim.key, Data(claim.fingerprint), answer.status, HeaderColumn.write(answer.headers),
        Data(answer.body), now.milliseconds,
      ])
  }
}

/// Stores the headers of a stored answer in one column: a JSON array of alternating names and values.
enum HeaderColumn {
  static func write(_ headers: [StoredAnswer.Header]) -> String {
    TagColumn.write(headers.flatMap { [$0.name, $0.value] })
  }

  static func read(_ text: String) throws -> [StoredAnswer.Header] {
    let parts = try TagColumn.read(text)
    return stride(from: 0, to: parts.count - parts.count % 2, by: 2).map {
      StoredAnswer.Header(name: parts[$0], value: parts[$0 + 1])
    }
  }
}
