import Content
import Foundation
import GRDB
import RegistryModel
import RegistryStore

extension SQLiteStore {
  static let userColumns = "id, apple_id, email, username, created_at, updated_at"

  /// Returns the user with an Apple id, and creates one if there is none. An address that another account has is not
  /// stored.
  public func signIn(appleID: String, email: String?, usernameHint: String, at now: Timestamp) async throws -> User {
    guard !appleID.holdsNUL, !(email?.holdsNUL ?? false), !usernameHint.holdsNUL else {
      throw StoreProblem.textWithNUL
    }
    // Usually the person is known and nothing changes, so there is no need to wait for the disk.
    if let known = try read({ try Self.user(appleID: appleID, in: $0) }), email == nil || Self.same(known.email, email)
    {
      return known
    }
    return try await write { context in
      let free = try email.flatMap { email -> String? in
        try context.exists("SELECT 1 FROM users WHERE email = ? AND apple_id <> ?", [email, appleID]) ? nil : email
      }
      if let known = try Self.user(appleID: appleID, in: context.db) {
        guard let free, !Self.same(known.email, free) else { return known }
        try context.execute(
          "UPDATE users SET email = ?, updated_at = ? WHERE id = ?", [free, now.milliseconds, known.id.text])
        context.changePeople()
        return User(
          id: known.id, appleID: appleID, email: free, username: known.username, createdAt: known.createdAt,
          updatedAt: now)
      }
      let user = User(
        id: RegistryID(), appleID: appleID, email: free, username: try Self.freeUsername(usernameHint, context),
        createdAt: now, updatedAt: now)
      try context.execute(
        "INSERT INTO users (\(Self.userColumns)) VALUES (?, ?, ?, ?, ?, ?)",
        [user.id.text, appleID, free, user.username, now.milliseconds, now.milliseconds])
      return user
    }
  }

  /// Returns a name that neither a user nor the credits of a deleted account have: its owner could be mistaken for that
  /// person.
  ///
  /// The name is the hint, otherwise the hint with the first free number up to 9, otherwise the hint with a random
  /// number.
  private static func freeUsername(_ hint: String, _ context: WriteContext) throws -> String {
    func isFree(_ name: String) throws -> Bool { try Self.isFree(name, for: nil, context) }
    let hint = hint.isEmpty ? "sailor" : hint
    if try isFree(hint) { return hint }
    for number in 2...9 where try isFree("\(hint)\(number)") { return "\(hint)\(number)" }
    for digits in [100, 10_000, 1_000_000, 100_000_000] {
      for _ in 0..<4 {
        let name = "\(hint)\(Int.random(in: digits / 10..<digits))"
        if try isFree(name) { return name }
      }
    }
    return "\(hint)-\(RegistryID().text)"
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
    if let found { people.keep(found, epoch: epoch) }
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

  private static func same(_ left: String?, _ right: String?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
    default: false
    }
  }
}
