import Content
import RegistryModel
import RegistryStore

extension PostgreSQLStore {
  private static let userColumns = "u.id, u.apple_id, u.email, u.username, u.created_at, u.updated_at"

  /// Returns the user with an Apple id; creates one for an unknown id. An address that another account has is not
  /// stored.
  public func signIn(appleID: String, email: String?, usernameHint: String, at now: Timestamp) async throws -> User {
    try requireOpen()
    guard !appleID.holdsNUL, !(email?.holdsNUL ?? false), !usernameHint.holdsNUL else {
      throw StoreFailure.textWithNUL
    }
    // Usually the person is known and nothing changes.
    if let known = try await read({ try Self.user(appleID: appleID, $0) }), email == nil || known.hasEmail(email) {
      return known
    }
    return try await write { connection in
      try Self.lockNames(connection)
      let free = try email.flatMap { email -> String? in
        try connection.has("SELECT 1 FROM users WHERE email = $1 AND apple_id <> $2", [.text(email), .text(appleID)])
          ? nil : email
      }
      if let known = try Self.user(appleID: appleID, connection) {
        guard let free, !known.hasEmail(free) else { return known }
        try connection.query(
          "UPDATE users SET email = $1, updated_at = $2 WHERE id = $3", [.text(free), .time(now), .id(known.id)])
        return known.changed(email: free, username: known.username, at: now)
      }
      let user = User(
        id: RegistryID(), appleID: appleID, email: free,
        username: try FreeUsername.choose(usernameHint) { try Self.isFree($0, for: nil, connection) },
        createdAt: now, updatedAt: now)
      try connection.query(
        "INSERT INTO users (id, apple_id, email, username, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5)",
        [.id(user.id), .text(appleID), .text(free), .text(user.username), .time(now)])
      return user
    }
  }

  /// Locks names: two processes must not give one name to two accounts. Few transactions need the lock, and each for a
  /// few milliseconds.
  static func lockNames(_ connection: PostgreSQLConnection) throws {
    try connection.query("SELECT pg_advisory_xact_lock(\(0x464B_5247_0002))")
  }

  /// Whether a name is unused, or used only by `owner`, and not credited in a copy whose link was dropped. Names are
  /// compared without regard to ASCII case. A credit that comes only from a request does not reserve a name: otherwise
  /// anybody could reserve any name.
  static func isFree(_ name: String, for owner: RegistryID?, _ connection: PostgreSQLConnection) throws -> Bool {
    try !connection.has(
      """
      SELECT 1 FROM users WHERE lower(username) = lower($1 COLLATE "C") AND id IS DISTINCT FROM $2
      UNION ALL SELECT 1 FROM shared_content
        WHERE lower(author_username) = lower($1 COLLATE "C") AND author_username IS NOT NULL AND user_id IS NULL
      UNION ALL SELECT 1 FROM shared_content
        WHERE lower(original_author_username) = lower($1 COLLATE "C") AND original_author_username IS NOT NULL
          AND NOT original_is_claimed
          AND NOT EXISTS (SELECT 1 FROM users WHERE id = $2 AND lower(username) = lower($1 COLLATE "C"))
      """, [.text(name), .id(owner)])
  }

  /// Returns a user by id.
  public func user(_ id: RegistryID) async throws -> User? {
    try await read { connection in
      let rows = try connection.query("SELECT \(Self.userColumns) FROM users u WHERE u.id = $1", [.id(id)])
      return rows.count == 0 ? nil : try Self.user(rows, 0)
    }
  }

  private static func user(appleID: String, _ connection: PostgreSQLConnection) throws -> User? {
    let rows = try connection.query("SELECT \(userColumns) FROM users u WHERE u.apple_id = $1", [.text(appleID)])
    return rows.count == 0 ? nil : try user(rows, 0)
  }

  private static func user(_ rows: PostgreSQLRows, _ row: Int) throws -> User {
    guard let id = rows.id(row, 0), let appleID = rows.text(row, 1), let username = rows.text(row, 3),
      let created = rows.time(row, 4), let updated = rows.time(row, 5)
    else { throw StoreProblem.damaged }
    return User(
      id: id, appleID: appleID, email: rows.text(row, 2), username: username, createdAt: created, updatedAt: updated)
  }
}

/// Stores sessions. A session is a row, and its refresh tokens are rows in another table; they are deleted when the
/// session ends.
extension PostgreSQLStore {
  /// Begins a session with its first token.
  public func beginSession(_ session: Session, tokenHash: [UInt8]) async throws {
    try requireOpen()
    try await write { connection in
      guard try connection.has("SELECT 1 FROM users WHERE id = $1 FOR KEY SHARE", [.id(session.userID)]) else {
        throw StoreFailure.unknownUser
      }
      try connection.query(
        "INSERT INTO sessions (id, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
        [.id(session.id), .id(session.userID), .time(session.createdAt), .time(session.expiresAt)])
      try Self.addToken(tokenHash, to: session.id, at: session.createdAt, until: session.expiresAt, connection)
    }
  }

  private static func addToken(
    _ hash: [UInt8], to session: RegistryID, at now: Timestamp, until end: Timestamp,
    _ connection: PostgreSQLConnection
  ) throws {
    try connection.query(
      "INSERT INTO refresh_tokens (token_hash, session_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
      [.bytes(hash), .id(session), .time(now), .time(end)])
  }

  /// Exchanges a token. The session is locked, so that two processes cannot exchange one token for two successors.
  public func rotate(
    tokenHash: [UInt8], next: [UInt8], at now: Timestamp, expiresAt: Timestamp
  ) async throws -> RotationOutcome {
    try requireOpen()
    return try await write { connection in
      guard
        try connection.has(
          """
          SELECT 1 FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE t.token_hash = $1 FOR UPDATE OF s
          """, [.bytes(tokenHash)])
      else { return .unknown }
      let rows = try connection.query(
        """
        SELECT \(Self.userColumns), s.id, s.created_at, s.expires_at, t.expires_at, t.used_at
        FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
        WHERE t.token_hash = $1
        """, [.bytes(tokenHash)])
      guard rows.count > 0 else { return .unknown }
      guard let id = rows.id(0, 6), let began = rows.time(0, 7), let sessionEnd = rows.time(0, 8),
        let end = rows.time(0, 9)
      else { throw StoreProblem.damaged }
      let token = StoredToken(
        user: try Self.user(rows, 0), session: id, sessionBegan: began, sessionEnd: sessionEnd, end: end,
        used: rows.time(0, 10))
      let step = try token.step(at: now) {
        try connection.has(
          "SELECT 1 FROM refresh_tokens WHERE token_hash = $1 AND session_id = $2 AND used_at IS NULL",
          [.bytes(next), .id(id)])
      }
      switch step {
      case .refuse: return .unknown
      case .repeatAnswer: return .rotated(token.session(until: sessionEnd), token.user)
      case .exchange:
        try connection.query(
          "UPDATE refresh_tokens SET used_at = $1 WHERE token_hash = $2", [.time(now), .bytes(tokenHash)])
        try Self.addToken(next, to: id, at: now, until: expiresAt, connection)
        try connection.query("UPDATE sessions SET expires_at = $1 WHERE id = $2", [.time(expiresAt), .id(id)])
        return .rotated(token.session(until: expiresAt), token.user)
      case .endSession:
        try connection.query("DELETE FROM sessions WHERE id = $1", [.id(id)])
        return .reused
      }
    }
  }

  /// Ends a session and its tokens.
  public func endSession(_ id: RegistryID) async throws {
    try requireOpen()
    try await write { _ = try $0.query("DELETE FROM sessions WHERE id = $1", [.id(id)]) }
  }

  /// Whether a session of an existing user was begun and has not ended. A session is deleted together with its user.
  public func isLive(session: RegistryID, of user: RegistryID) async throws -> Bool {
    try await read { try $0.has("SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2", [.id(session), .id(user)]) }
  }
}

/// Reads and changes profiles. A profile is a row in its own table, created with the first change.
extension PostgreSQLStore {
  /// Returns an account with its profile.
  public func account(_ name: AccountName) async throws -> Account? {
    try await read { try Self.account(name, $0) }
  }

  private static func account(_ name: AccountName, _ connection: PostgreSQLConnection) throws -> Account? {
    let (condition, value): (String, PostgreSQLValue)
    switch name {
    case .id(let id): (condition, value) = ("u.id = $1", .id(id))
    case .username(let text):
      guard !text.holdsNUL else { return nil }
      (condition, value) = (
        "lower(u.username) = lower($1 COLLATE \"C\") ORDER BY u.username = $1 DESC LIMIT 1", .text(text)
      )
    }
    let rows = try connection.query(
      """
      SELECT \(userColumns), p.bio, p.location, p.nationality, p.visibility, p.social_links, p.community_memberships
      FROM users u LEFT JOIN profiles p ON p.user_id = u.id WHERE \(condition)
      """, [value])
    guard rows.count > 0 else { return nil }
    func list<Entry>(_ column: Int, _ read: ([String]) -> [Entry]?) throws -> [Entry]? {
      guard let parts = rows.texts(0, column) else { return nil }
      guard let entries = read(parts) else { throw StoreProblem.damaged }
      return entries
    }
    var profile = Profile()
    profile.bio = rows.text(0, 6)
    profile.location = rows.text(0, 7)
    profile.nationality = rows.text(0, 8)
    profile.visibility = rows.text(0, 9)
    profile.socialLinks = try list(10, StringList.links)
    profile.communityMemberships = try list(11, StringList.memberships)
    return Account(user: try user(rows, 0), profile: profile)
  }

  /// Returns the counts of a user's publications.
  public func stats(of id: RegistryID) async throws -> AuthorStats {
    try await read { connection in
      let rows = try connection.query(
        """
        SELECT count(*), coalesce(sum(fork_count), 0)::bigint FROM shared_content
        WHERE user_id = $1 AND deleted_at IS NULL
        """, [.id(id)])
      guard let count = rows.integer(0, 0), let forks = rows.integer(0, 1) else { throw StoreProblem.damaged }
      return AuthorStats(contributions: count, forks: forks)
    }
  }

  /// Changes an account, and its name in all its publications.
  public func change(_ id: RegistryID, _ change: ProfileChange, at now: Timestamp) async throws -> ProfileOutcome {
    try requireOpen()
    if change.holdsNUL { throw StoreFailure.textWithNUL }
    return try await write { [views] connection -> ProfileOutcome in
      if change.username != nil { try Self.lockNames(connection) }
      _ = try TransactionRows(connection, views).lockOwner(id)
      guard let account = try Self.account(.id(id), connection) else { throw StoreFailure.unknownUser }
      if change == ProfileChange() { return .changed(account) }
      let name = change.username ?? account.user.username
      let isRenamed = !name.utf8.elementsEqual(account.user.username.utf8)
      if isRenamed, try !Self.isFree(name, for: id, connection) { return .usernameTaken }
      let profile = change.applied(to: account.profile)
      try connection.query(
        "UPDATE users SET username = $1, updated_at = $2 WHERE id = $3", [.text(name), .time(now), .id(id)])
      try Self.write(profile, of: id, connection)
      if isRenamed { try Self.renameContent(of: id, to: name, connection) }
      let user = account.user.changed(email: account.user.email, username: name, at: now)
      return .changed(Account(user: user, profile: profile))
    }
  }

  private static func write(_ profile: Profile, of id: RegistryID, _ connection: PostgreSQLConnection) throws {
    try connection.query(
      """
      INSERT INTO profiles (user_id, bio, location, nationality, visibility, social_links, community_memberships)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (user_id) DO UPDATE SET bio = excluded.bio, location = excluded.location,
        nationality = excluded.nationality, visibility = excluded.visibility, social_links = excluded.social_links,
        community_memberships = excluded.community_memberships
      """,
      [
        .id(id), .text(profile.bio), .text(profile.location), .text(profile.nationality), .text(profile.visibility),
        .texts(profile.socialLinks.map(StringList.write)), .texts(profile.communityMemberships.map(StringList.write)),
      ])
  }

  /// Writes an author's new name to all publications of a user, and records that credits of the user have changed.
  private static func renameContent(of id: RegistryID, to name: String, _ connection: PostgreSQLConnection) throws {
    try connection.query("UPDATE shared_content SET author_username = $1 WHERE user_id = $2", [.text(name), .id(id)])
    try connection.query(
      """
      INSERT INTO content_recredited (number)
      SELECT number FROM shared_content WHERE user_id = $1 AND deleted_at IS NULL
      UNION
      SELECT c.number FROM shared_content r JOIN shared_content c ON c.root_id = r.id
      WHERE r.user_id = $1 AND c.deleted_at IS NULL
      ORDER BY 1 ON CONFLICT DO NOTHING
      """, [.id(id)])
  }

  /// Whether an item credits other authors than when it was published, or credits them under other names.
  public func isRecredited(_ id: RegistryID) async throws -> Bool {
    try await read { connection in
      try connection.has(
        "SELECT 1 FROM content_recredited r JOIN shared_content c ON c.number = r.number WHERE c.id = $1", [.id(id)])
    }
  }
}
