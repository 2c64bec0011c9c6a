import Content
import Foundation
import GRDB
import RegistryModel
import RegistryStore

/// Stores sessions. A session is a row, and its refresh tokens are rows in another table; they are deleted when the
/// session ends.
extension SQLiteStore {
  /// Begins a session with its first token.
  public func beginSession(_ session: Session, tokenHash: [UInt8]) async throws {
    try await write { context in
      guard try context.exists("SELECT 1 FROM users WHERE id = ?", [session.userID.text]) else {
        throw StoreFailure.unknownUser
      }
      try context.execute(
        "INSERT INTO sessions (id, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
        [session.id.text, session.userID.text, session.createdAt.milliseconds, session.expiresAt.milliseconds])
      try Self.addToken(tokenHash, to: session.id, at: session.createdAt, until: session.expiresAt, context)
    }
  }

  private static func addToken(
    _ hash: [UInt8], to session: RegistryID, at now: Timestamp, until end: Timestamp, _ context: WriteContext
  ) throws {
    try context.execute(
      "INSERT INTO refresh_tokens (token_hash, session_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
      [Data(hash), session.text, now.milliseconds, end.milliseconds])
  }

  /// Exchanges a token. A token that was used before ends the session, however old it is, unless its answer was lost.
  public func rotate(
    tokenHash: [UInt8], next: [UInt8], at now: Timestamp, expiresAt: Timestamp
  ) async throws -> RotationOutcome {
    try await write { context in
      let row = try context.row(
        """
        SELECT u.id, u.apple_id, u.email, u.username, u.created_at, u.updated_at,
          s.id, s.created_at, t.expires_at, t.used_at, s.expires_at
        FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
        WHERE t.token_hash = ?
        """, [Data(tokenHash)])
      guard let row else { return .unknown }
      guard let id = row.text(6).map(RegistryID.init(stored:)), let began = row.integer(7),
        let end = row.integer(8)
      else { throw StoreProblem.damaged }
      if let used = row.integer(9) {
        if abs(now.milliseconds - Timestamp(milliseconds: used).milliseconds) <= Session.grace * 1000,
          let end = row.integer(10),
          try context.exists(
            "SELECT 1 FROM refresh_tokens WHERE token_hash = ? AND session_id = ? AND used_at IS NULL",
            [Data(next), id.text])
        {
          let session = Session(
            id: id, userID: try Self.user(row).id, createdAt: Timestamp(milliseconds: began),
            expiresAt: Timestamp(milliseconds: end))
          return .rotated(session, try Self.user(row))
        }
        try context.execute("DELETE FROM sessions WHERE id = ?", [id.text])
        context.changePeople()
        return .reused
      }
      guard now.milliseconds < end else { return .unknown }
      let user = try Self.user(row)
      try context.execute(
        "UPDATE refresh_tokens SET used_at = ? WHERE token_hash = ?", [now.milliseconds, Data(tokenHash)])
      try Self.addToken(next, to: id, at: now, until: expiresAt, context)
      try context.execute("UPDATE sessions SET expires_at = ? WHERE id = ?", [expiresAt.milliseconds, id.text])
      let session = Session(
        id: id, userID: user.id, createdAt: Timestamp(milliseconds: began), expiresAt: expiresAt)
      return .rotated(session, user)
    }
  }

  /// Ends a session and its tokens.
  public func endSession(_ id: RegistryID) async throws {
    try await write { context in
      try context.execute("DELETE FROM sessions WHERE id = ?", [id.text])
      context.changePeople()
    }
  }

  /// Whether a session was begun and has not ended.
  public func isLive(session: RegistryID) async throws -> Bool {
    try requireOpen()
    if people.isLive(session) { return true }
    let epoch = people.epoch
    let live = try read { db in
      let statement = try db.cachedStatement(sql: "SELECT 1 FROM sessions WHERE id = ?")
      return try Int64.fetchOne(statement, arguments: [session.text]) != nil
    }
    if live { people.keep(session: session, epoch: epoch) }
    return live
  }
}
