import Content
import Foundation
import GRDB
import RegistryModel
import RegistryStore
import Synchronization

extension SQLiteStore {
  private static let userColumns = "id, apple_id, email, username, created_at, updated_at"

  /// Returns the user with an Apple id, and creates one if there is none. An address that another account has is not
  /// stored.
  public func signIn(appleID: String, email: String?, usernameHint: String, at now: Timestamp) async throws -> User {
    guard !appleID.holdsNUL, !(email?.holdsNUL ?? false), !usernameHint.holdsNUL else {
      throw StoreFailure.textWithNUL
    }
    // Usually the person is known and nothing changes, so there is no need to wait for the disk.
    if let known = try read({ try Self.user(appleID: appleID, in: $0) }), email == nil || known.hasEmail(email) {
      return known
    }
    return try await write { context in
      let free = try email.flatMap { email -> String? in
        try context.exists("SELECT 1 FROM users WHERE email = ? AND apple_id <> ?", [email, appleID]) ? nil : email
      }
      if let known = try Self.user(appleID: appleID, in: context.db) {
        guard let free, !known.hasEmail(free) else { return known }
        try context.execute(
          "UPDATE users SET email = ?, updated_at = ? WHERE id = ?", [free, now.milliseconds, known.id.text])
        context.changePeople()
        return known.changed(email: free, username: known.username, at: now)
      }
      let user = User(
        id: RegistryID(), appleID: appleID, email: free,
        username: try FreeUsername.choose(usernameHint) { try Self.isFree($0, for: nil, context) },
        createdAt: now, updatedAt: now)
      try context.execute(
        "INSERT INTO users (\(Self.userColumns)) VALUES (?, ?, ?, ?, ?, ?)",
        [user.id.text, appleID, free, user.username, now.milliseconds, now.milliseconds])
      return user
    }
  }

  /// Whether a name is unused, or used only by `owner`, and not credited in a copy whose link was dropped. Names are
  /// compared without regard to ASCII case. A credit that comes only from a request does not reserve a name: otherwise
  /// anybody could reserve any name.
  static func isFree(_ name: String, for owner: RegistryID?, _ context: WriteContext) throws -> Bool {
    try !context.exists(
      """
      SELECT 1 FROM users WHERE username = ?1 COLLATE NOCASE AND id IS NOT ?2
      UNION ALL SELECT 1 FROM shared_content WHERE author_username = ?1 COLLATE NOCASE AND user_id IS NULL
      UNION ALL SELECT 1 FROM shared_content WHERE original_author_username = ?1 COLLATE NOCASE
        AND original_is_claimed = 0
        AND NOT EXISTS (SELECT 1 FROM users WHERE id = ?2 AND username = ?1 COLLATE NOCASE)
      """, [name, owner?.text])
  }

  /// Returns a user by id.
  public func user(_ id: RegistryID) async throws -> User? {
    try requireOpen()
    if let known = people.user(id) { return known }
    let epoch = people.epoch
    let found = try read { db in
      let statement = try db.cachedStatement(sql: "SELECT \(Self.userColumns) FROM users WHERE id = ?")
      return try Row.fetchOne(statement, arguments: [id.text]).map(Self.user)
    }
    if let found { people.insert(found, epoch: epoch) }
    return found
  }

  private static func user(appleID: String, in db: Database) throws -> User? {
    let statement = try db.cachedStatement(sql: "SELECT \(userColumns) FROM users WHERE apple_id = ?")
    return try Row.fetchOne(statement, arguments: [appleID]).map(user)
  }

  static func user(_ row: Row) throws -> User {
    guard let id = row.text(0), let appleID = row.text(1), let username = row.text(3),
      let created = row.integer(4), let updated = row.integer(5)
    else { throw StoreProblem.damaged }
    return User(
      id: RegistryID(stored: id), appleID: appleID, email: row.text(2), username: username,
      createdAt: Timestamp(milliseconds: created), updatedAt: Timestamp(milliseconds: updated))
  }
}

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

  /// Exchanges a token.
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
        let end = row.integer(8), let sessionEnd = row.integer(10)
      else { throw StoreProblem.damaged }
      let token = StoredToken(
        user: try Self.user(row), session: id, sessionBegan: Timestamp(milliseconds: began),
        sessionEnd: Timestamp(milliseconds: sessionEnd), end: Timestamp(milliseconds: end),
        used: row.integer(9).map(Timestamp.init(milliseconds:)))
      let step = try token.step(at: now) {
        try context.exists(
          "SELECT 1 FROM refresh_tokens WHERE token_hash = ? AND session_id = ? AND used_at IS NULL",
          [Data(next), id.text])
      }
      switch step {
      case .refuse: return .unknown
      case .repeatAnswer: return .rotated(token.session(until: token.sessionEnd), token.user)
      case .exchange:
        try context.execute(
          "UPDATE refresh_tokens SET used_at = ? WHERE token_hash = ?", [now.milliseconds, Data(tokenHash)])
        try Self.addToken(next, to: id, at: now, until: expiresAt, context)
        try context.execute("UPDATE sessions SET expires_at = ? WHERE id = ?", [expiresAt.milliseconds, id.text])
        return .rotated(token.session(until: expiresAt), token.user)
      case .endSession:
        try context.execute("DELETE FROM sessions WHERE id = ?", [id.text])
        context.changePeople()
        return .reused
      }
    }
  }

  /// Ends a session and its tokens.
  public func endSession(_ id: RegistryID) async throws {
    try await write { context in
      try context.execute("DELETE FROM sessions WHERE id = ?", [id.text])
      context.changePeople()
    }
  }

  /// Whether a session of an existing user was begun and has not ended. A session is deleted together with its user.
  public func isLive(session: RegistryID, of user: RegistryID) async throws -> Bool {
    try requireOpen()
    if people.owner(of: session) == user { return true }
    let epoch = people.epoch
    let live = try read { db in
      let statement = try db.cachedStatement(sql: "SELECT 1 FROM sessions WHERE id = ? AND user_id = ?")
      return try Int64.fetchOne(statement, arguments: [session.text, user.text]) != nil
    }
    if live { people.insert(session: session, of: user, epoch: epoch) }
    return live
  }
}

/// Caches live sessions and users that were looked up, because every request with a token needs both.
///
/// Only existing records are cached, never their absence. A write that ends a session or changes a user clears the
/// whole cache before its commit, and nothing that was read before the commit is cached after it.
final class SessionCache: Sendable {
  private struct State {
    /// The sessions with their users.
    var sessions: [RegistryID: RegistryID] = [:]
    var users: [RegistryID: User] = [:]
    var changing = false
    var epoch: UInt64 = 0
  }

  /// The maximum number of sessions and of users; one more clears the cache.
  private static let limit = 20_000
  private let state = Mutex(State())

  /// The current epoch, which a reader needs before it reads the file.
  var epoch: UInt64 { state.withLock { $0.epoch } }

  func owner(of session: RegistryID) -> RegistryID? { state.withLock { $0.sessions[session] } }
  func user(_ id: RegistryID) -> User? { state.withLock { $0.users[id] } }

  func insert(session: RegistryID, of user: RegistryID, epoch: UInt64) {
    state.withLock { state in
      guard state.epoch == epoch, !state.changing else { return }
      if state.sessions.count >= Self.limit { state.sessions = [:] }
      state.sessions[session] = user
    }
  }

  func insert(_ user: User, epoch: UInt64) {
    state.withLock { state in
      guard state.epoch == epoch, !state.changing else { return }
      if state.users.count >= Self.limit { state.users = [:] }
      state.users[user.id] = user
    }
  }

  /// Clears the cache; called before a change to sessions or users is committed.
  func beginChange() {
    state.withLock { state in
      state.sessions = [:]
      state.users = [:]
      state.changing = true
      state.epoch &+= 1
    }
  }

  /// Allows caching again; called after the commit or its failure.
  func endChange() {
    state.withLock { state in
      guard state.changing else { return }
      state.changing = false
      state.epoch &+= 1
    }
  }
}
