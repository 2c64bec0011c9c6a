import Content
import GRDB

/// Keeps a slug taken after its account is deleted. A hash replaces the slug, because slugs often repeat the title.
///
/// The slug is converted to lower case before hashing, so that its spellings in other case stay taken, too.
enum ErasedSlug {
  private static let mark = "erased:"

  /// Returns the hash that replaces a slug.
  static func hash(of slug: String) -> String {
    mark + Digest.hex(folded(slug).withUnsafeBufferPointer(Digest.sha256))
  }

  /// Whether a slug has the form of such a hash. New slugs must not have this form, because they could collide with a
  /// hash.
  static func isReserved(_ slug: String) -> Bool { folded(slug).starts(with: mark.utf8) }

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

  private static func folded(_ slug: String) -> [UInt8] {
    slug.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}
