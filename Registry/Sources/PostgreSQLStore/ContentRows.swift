import Content
import Foundation
import Publishing
import RegistryModel
import RegistryStore

/// Reads rows of `shared_content`; a row in a form that the store does not write is an error, never a trap.
extension ContentRow {
  /// The columns of `source`, in order. The parameter `process` is the id of this process's flushes.
  static let columns = """
    c.number, c.id, c.user_id, c.author_username, c.title, c.description, c.content_type, c.tags, c.language, \
    c.public_id, c.can_fork, c.forked_from_id, c.view_count, c.fork_count, c.created_at, c.updated_at, c.deleted_at, \
    c.digest, f.flush, c.root_id, c.chain_depth, coalesce(c.original_author_username, r.original_author_username), \
    r.author_username, r.user_id, CASE WHEN r.deleted_at IS NULL THEN r.public_id END, \
    CASE WHEN c.original_author_username IS NULL THEN r.original_is_claimed ELSE c.original_is_claimed END
    """
  /// The number of columns.
  static let columnCount = 26
  /// The joins that add the first item of the lineage, `r`, and this process's flushes, `f`, to a query that has `c`.
  static func joins(process: String) -> String {
    "LEFT JOIN shared_content r ON r.id = c.root_id LEFT JOIN view_flushes f ON f.process = \(process)"
  }

  /// Reads the columns of `columns`.
  init(_ rows: PostgreSQLRows, _ row: Int) throws {
    guard let number = rows.integer(row, 0), let id = rows.id(row, 1), let title = rows.text(row, 4),
      let type = rows.text(row, 6).flatMap(ContentType.init(rawValue:)), let tags = rows.texts(row, 7),
      let language = rows.text(row, 8), let publicID = rows.text(row, 9), let canFork = rows.truth(row, 10),
      let views = rows.integer(row, 12), let forks = rows.integer(row, 13), let created = rows.time(row, 14),
      let updated = rows.time(row, 15), let digest = rows.bytes(row, 17), let depth = rows.integer(row, 20)
    else { throw StoreProblem.damaged }
    // A name that was kept where a link was dropped, in this item or at the root, belongs to an earlier author.
    let keptName = rows.text(row, 21)
    let head = PublicationHead(
      id: id, userID: rows.id(row, 2), authorUsername: rows.text(row, 3), title: title,
      description: rows.text(row, 5), contentType: type, tags: tags, language: language, publicID: publicID,
      canFork: canFork, forkedFromID: rows.id(row, 11), originalAuthorUsername: keptName ?? rows.text(row, 22),
      originalAuthorUserID: keptName == nil ? rows.id(row, 23) : nil,
      originalPublicID: keptName == nil ? rows.text(row, 24) : nil, chainDepth: depth, viewCount: views,
      forkCount: forks, createdAt: created, updatedAt: updated, deletedAt: rows.time(row, 16), digest: digest)
    self.init(
      number: number, head: head, seen: rows.integer(row, 18) ?? 0, rootID: rows.id(row, 19),
      creditIsClaimed: rows.truth(row, 25) ?? false)
  }
}

/// The rows of an owner's operations, inside a transaction.
final class TransactionRows: OperationRows {
  let connection: PostgreSQLConnection
  /// The time of the owner's last change, in milliseconds; `Int64.min` before the first one.
  private(set) var lastChange = Int64.min
  /// Whether the slugs that were looked up are taken, by their lower-case form.
  private var taken: [String: Bool] = [:]
  private let views: ViewCounter

  init(_ connection: PostgreSQLConnection, _ views: ViewCounter) {
    self.connection = connection
    self.views = views
  }

  /// Locks an owner, so that the owner's changes follow each other in all processes, reads the time of the last change,
  /// and returns the name.
  /// - Throws: `StoreFailure.unknownUser`.
  func lockOwner(_ id: RegistryID) throws -> String {
    let user = try connection.query("SELECT username FROM users WHERE id = $1 FOR UPDATE", [.id(id)])
    guard let username = user.text(0, 0) else { throw StoreFailure.unknownUser }
    let last = try connection.query("SELECT max(updated_at) FROM shared_content WHERE user_id = $1", [.id(id)])
    lastChange = last.time(0, 0)?.milliseconds ?? .min
    return username
  }

  /// Returns a row by name, even if the item is unpublished. The row stays as it is until the transaction ends, except
  /// for its counts.
  func row(_ name: ContentName) throws -> ContentRow? {
    guard let (condition, value) = Self.condition(name) else { return nil }
    // The lock comes first: the credits are then read as they are after it. An item that is named by its id is only the
    // original of a copy, which any number of transactions may read at the same time.
    let lock = if case .id = name { "SHARE" } else { "NO KEY UPDATE" }
    let locked = try connection.query("SELECT 1 FROM shared_content c WHERE \(condition) FOR \(lock)", [value])
    guard locked.count == 1 else { return nil }
    return try Self.row(condition, value, connection, views.process)
  }

  /// Reads a row without a lock.
  static func row(_ name: ContentName, in connection: PostgreSQLConnection, process: RegistryID) throws -> ContentRow? {
    guard let (condition, value) = condition(name) else { return nil }
    return try row(condition, value, connection, process)
  }

  private static func row(
    _ condition: String, _ value: PostgreSQLValue, _ connection: PostgreSQLConnection, _ process: RegistryID
  ) throws -> ContentRow? {
    let rows = try connection.query(
      "SELECT \(ContentRow.columns) FROM shared_content c \(ContentRow.joins(process: "$2")) WHERE \(condition)",
      [value, .id(process)])
    return rows.count == 0 ? nil : try ContentRow(rows, 0)
  }

  /// Returns the condition for a name; nil if no item can have it.
  static func condition(_ name: ContentName) -> (String, PostgreSQLValue)? {
    switch name {
    case .publicID(let text): text.holdsNUL ? nil : ("c.public_id = $1", .text(text))
    case .id(let id): ("c.id = $1", .id(id))
    }
  }

  func counted(_ content: ContentRow) -> PublicationHead {
    var head = content.head
    head.viewCount &+= views.missing(from: [content])?.first ?? 0
    return head
  }

  func isTaken(_ publicID: String) throws -> Bool {
    let slug = publicID.asciiLowercased
    if taken[slug] == nil { try lockSlugs([publicID]) }
    return taken[slug] ?? true
  }

  /// Finds out which slugs are taken, and locks them until the transaction ends: two processes may publish two spellings
  /// of one slug at the same moment.
  func lockSlugs(_ slugs: [String]) throws {
    let slugs = slugs.filter { taken[$0.asciiLowercased] == nil }
    if slugs.isEmpty { return }
    for slug in slugs { taken[slug.asciiLowercased] = false }
    let texts = PostgreSQLValue.texts(slugs.map(\.asciiLowercased))
    // All transactions take locks in the same order.
    try connection.query(
      """
      SELECT count(pg_advisory_xact_lock(hashtextextended(slug, 1)))
      FROM (SELECT s AS slug FROM unnest($1::text[]) s ORDER BY 1) t
      """, [texts])
    let found = try connection.query(
      """
      SELECT s.slug FROM unnest($1::text[], $2::text[]) s (slug, erased)
      JOIN shared_content c ON lower(c.public_id) = s.slug COLLATE "C" OR c.public_id = s.erased COLLATE "C"
      """, [texts, .texts(slugs.map(ErasedSlug.hash))])
    for row in 0..<found.count { if let slug = found.text(row, 0) { taken[slug] = true } }
  }

  func record(lastChange: Int64, of owner: RegistryID) { self.lastChange = lastChange }

  func insert(_ head: PublicationHead, _ origin: Origin, _ prepared: PreparedOperation) throws {
    guard case .publish(let request) = prepared.operation else { return }
    let words = SearchWords(head, prepared.words)
    taken[head.publicID.asciiLowercased] = true
    // One statement for all tables: each statement waits for the server once.
    try connection.query(
      """
      WITH content AS (
        INSERT INTO shared_content (id, user_id, author_username, title, description, content_type, tags, folded_tags,
          language, language_base, content_data, public_id, can_fork, forked_from_id, root_id, chain_depth,
          original_author_username, original_is_claimed, created_at, updated_at, digest, words)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $19, $20,
          \(SearchWords.vector("$21")))
        RETURNING number, id, created_at
      ), document AS (
        INSERT INTO content_documents (number, document) SELECT number, $22 FROM content
      ), tags AS (
        INSERT INTO content_tags (tag, created_at, id, number)
        SELECT tag, created_at, id, number FROM content, unnest($8) tag ON CONFLICT DO NOTHING
      )
      INSERT INTO content_forks (parent_shared_content_id, child_shared_content_id, created_at)
      SELECT $14, id, created_at FROM content WHERE $14 IS NOT NULL
      """,
      [
        .id(head.id), .id(head.userID), .text(head.authorUsername), .text(head.title), .text(head.description),
        .text(head.contentType.rawValue), .texts(head.tags), .texts(SearchWords.folded(head.tags)),
        .text(head.language), .text(head.language.firstSubtag), JSONBDocument.value(request.contentData),
        .text(head.publicID), .truth(head.canFork), .id(origin.parentID), .id(origin.rootID), .integer(origin.depth),
        .text(origin.keptName), .truth(origin.isClaimed), .time(head.createdAt), .bytes(head.digest),
        .texts(words.all), .bytes(request.contentData),
      ])
  }

  private func writeTags(_ head: PublicationHead, number: Int64) throws {
    if head.tags.isEmpty { return }
    try connection.query(
      """
      INSERT INTO content_tags (tag, created_at, id, number) SELECT tag, $2, $3, $4 FROM unnest($1) tag
      ON CONFLICT DO NOTHING
      """,
      [.texts(SearchWords.folded(head.tags)), .time(head.createdAt), .id(head.id), .integer(number)])
  }

  func document(of content: ContentRow) throws -> [UInt8] {
    let rows = try connection.query(
      "SELECT document FROM content_documents WHERE number = $1", [.integer(content.number)])
    guard let document = rows.bytes(0, 0) else { throw StoreProblem.damaged }
    return document
  }

  func replace(
    _ content: ContentRow, with head: PublicationHead, _ change: PublishChange, document: [UInt8]?, words: String?
  ) throws {
    let number = PostgreSQLValue.integer(content.number)
    try connection.query(
      """
      UPDATE shared_content SET author_username = $2, title = $3, description = $4, content_type = $5, tags = $6,
        folded_tags = $7, language = $8, language_base = $9, updated_at = $10, digest = $11 WHERE number = $1
      """,
      [
        number, .text(head.authorUsername), .text(head.title), .text(head.description),
        .text(head.contentType.rawValue), .texts(head.tags), .texts(SearchWords.folded(head.tags)),
        .text(head.language), .text(head.language.firstSubtag), .time(head.updatedAt), .bytes(head.digest),
      ])
    if change.tags != nil {
      try connection.query("DELETE FROM content_tags WHERE number = $1", [number])
      try writeTags(head, number: content.number)
    }
    if let document {
      try connection.query("UPDATE content_documents SET document = $2 WHERE number = $1", [number, .bytes(document)])
      try connection.query(
        "UPDATE shared_content SET content_data = $2 WHERE number = $1", [number, JSONBDocument.value(document)])
    }
    guard words != nil || change.title != nil || change.description != nil || change.tags != nil else { return }
    let found = SearchWords(head, try words ?? SearchText.words(of: self.document(of: content)))
    try connection.query(
      "UPDATE shared_content SET words = \(SearchWords.vector("$2")) WHERE number = $1",
      [number, .texts(found.all)])
  }

  func unpublish(_ content: ContentRow, at time: Timestamp) throws {
    try connection.query(
      "UPDATE shared_content SET deleted_at = $2, updated_at = $2 WHERE number = $1",
      [.integer(content.number), .time(time)])
    try connection.query("DELETE FROM content_tags WHERE number = $1", [.integer(content.number)])
  }

  func recreditCopies(of id: RegistryID) throws {
    try connection.query(
      """
      INSERT INTO content_recredited (number)
      SELECT number FROM shared_content WHERE root_id = $1 AND deleted_at IS NULL ORDER BY number
      ON CONFLICT DO NOTHING
      """, [.id(id)])
  }
}
