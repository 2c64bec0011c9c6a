import Content
import Foundation
import GRDB
import JSONText
import RegistryModel
import RegistryStore

/// Reads and changes profiles. A profile is a row in its own table, created with the first change.
extension SQLiteStore {
  /// The weight of a rename in a group, in operations: it may affect many items.
  private static let renameWeight = 64

  /// Returns an account with its profile.
  public func account(_ name: AccountName) async throws -> Account? { try read { try Self.account(name, in: $0) } }

  private static func account(_ name: AccountName, in db: Database) throws -> Account? {
    let (condition, value) =
      switch name {
      case .id(let id): ("u.id = ?", id.text)
      case .username(let text):
        // Accounts of early registries may have names that differ only by case; in that case the exact spelling wins.
        ("u.username = ?1 COLLATE NOCASE ORDER BY u.username = ?1 COLLATE BINARY DESC LIMIT 1", text)
      }
    guard !value.holdsNUL else { return nil }
    let statement = try db.cachedStatement(
      sql: """
        SELECT u.id, u.apple_id, u.email, u.username, u.created_at, u.updated_at,
          p.bio, p.location, p.nationality, p.visibility, p.social_links, p.community_memberships
        FROM users u LEFT JOIN profiles p ON p.user_id = u.id WHERE \(condition)
        """)
    guard let row = try Row.fetchOne(statement, arguments: [value]) else { return nil }
    var profile = Profile()
    profile.bio = row.text(6)
    profile.location = row.text(7)
    profile.nationality = row.text(8)
    profile.visibility = row.text(9)
    profile.socialLinks = try row.list(10, StringList.links)
    profile.communityMemberships = try row.list(11, StringList.memberships)
    return Account(user: try user(row), profile: profile)
  }

  /// Returns the counts of a user's publications, using only an index.
  public func stats(of id: RegistryID) async throws -> AuthorStats {
    try await readPage { db in
      let statement = try db.cachedStatement(
        sql: """
          SELECT count(*), coalesce(sum(fork_count), 0) FROM shared_content
          WHERE user_id = ? AND deleted_at IS NULL
          """)
      guard let row = try Row.fetchOne(statement, arguments: [id.text]), let count = row.integer(0),
        let forks = row.integer(1)
      else { throw StoreProblem.damaged }
      return AuthorStats(contributions: count, forks: forks)
    }
  }

  /// Changes an account, and its name in all its publications.
  public func change(_ id: RegistryID, _ change: ProfileChange, at now: Timestamp) async throws -> ProfileOutcome {
    if change.holdsNUL { throw StoreFailure.textWithNUL }
    return try await write(weight: change.username == nil ? 1 : Self.renameWeight) { context -> ProfileOutcome in
      guard let account = try Self.account(.id(id), in: context.db) else { throw StoreFailure.unknownUser }
      if change == ProfileChange() { return .changed(account) }
      let name = change.username ?? account.user.username
      let isRenamed = !name.utf8.elementsEqual(account.user.username.utf8)
      if isRenamed, try !Self.isFree(name, for: id, context) { return .usernameTaken }
      let profile = change.applied(to: account.profile)
      try context.execute(
        "UPDATE users SET username = ?, updated_at = ? WHERE id = ?", [name, now.milliseconds, id.text])
      context.changePeople()
      try Self.write(profile, of: id, context)
      if isRenamed { try Self.renameContent(of: id, to: name, context) }
      let user = account.user.changed(email: account.user.email, username: name, at: now)
      return .changed(Account(user: user, profile: profile))
    }
  }

  private static func write(_ profile: Profile, of id: RegistryID, _ context: WriteContext) throws {
    try context.execute(
      """
      INSERT OR REPLACE INTO profiles
        (user_id, bio, location, nationality, visibility, social_links, community_memberships)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        id.text, profile.bio, profile.location, profile.nationality, profile.visibility,
        profile.socialLinks.map { TagColumn.write(StringList.write($0)) },
        profile.communityMemberships.map { TagColumn.write(StringList.write($0)) },
      ])
  }

  /// Writes an author's new name to all publications of a user, and records that these publications, and the copies
  /// that credit the user as the original's author, have other credits.
  private static func renameContent(of id: RegistryID, to name: String, _ context: WriteContext) throws {
    try context.execute("UPDATE shared_content SET author_username = ? WHERE user_id = ?", [name, id.text])
    try context.execute(
      """
      INSERT OR IGNORE INTO content_recredited (number)
      SELECT number FROM shared_content WHERE user_id = ?1 AND deleted_at IS NULL
      UNION ALL
      SELECT c.number FROM shared_content r JOIN shared_content c ON c.root_id = r.id
      WHERE r.user_id = ?1 AND c.deleted_at IS NULL
      """, [id.text])
  }

  /// Whether an item credits other authors than when it was published, or credits them under other names.
  public func isRecredited(_ id: RegistryID) async throws -> Bool {
    try read { db in
      let statement = try db.cachedStatement(
        sql: "SELECT 1 FROM content_recredited r JOIN shared_content c ON c.number = r.number WHERE c.id = ?")
      return try Int64.fetchOne(statement, arguments: [id.text]) != nil
    }
  }
}
