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
  private let views: ViewCounter

  init(_ connection: PostgreSQLConnection, _ views: ViewCounter) {
    self.connection = connection
    self.views = views
  }

  /// Locks an owner, so that the owner's changes follow each other in all processes, and returns the name and the time
  /// of the last change, in milliseconds.
  /// - Throws: `StoreFailure.unknownUser`.
  func lockOwner(_ id: RegistryID) throws -> (username: String, lastChange: Int64) {
    let user = try connection.query("SELECT username FROM users WHERE id = $1 FOR UPDATE", [.id(id)])
    guard let username = user.text(0, 0) else { throw StoreFailure.unknownUser }
    let last = try connection.query("SELECT max(updated_at) FROM shared_content WHERE user_id = $1", [.id(id)])
    return (username, last.time(0, 0)?.milliseconds ?? .min)
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
    // Two processes may publish two spellings of one slug at the same moment.
    try connection.query(
      "SELECT pg_advisory_xact_lock(hashtextextended(lower($1 COLLATE \"C\"), 1))", [.text(publicID)])
    return try connection.has(
      "SELECT 1 FROM shared_content WHERE lower(public_id) = lower($1 COLLATE \"C\") OR public_id = $2",
      [.text(publicID), .text(ErasedSlug.hash(of: publicID))])
  }

  func record(lastChange: Int64, of owner: RegistryID) {}

  func insert(_ head: PublicationHead, _ origin: Origin, _ prepared: PreparedOperation) throws {
    guard case .publish(let request) = prepared.operation else { return }
    let words = SearchWords(head, prepared.words)
    let rows = try connection.query(
      """
      INSERT INTO shared_content (id, user_id, author_username, title, description, content_type, tags, folded_tags,
        language, language_base, content_data, public_id, can_fork, forked_from_id, root_id, chain_depth,
        original_author_username, original_is_claimed, created_at, updated_at, digest, words)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $19, $20,
        \(SearchWords.vector("$21")))
      RETURNING number
      """,
      [
        .id(head.id), .id(head.userID), .text(head.authorUsername), .text(head.title), .text(head.description),
        .text(head.contentType.rawValue), .texts(head.tags), .texts(SearchWords.folded(head.tags)),
        .text(head.language), .text(head.language.firstSubtag), JSONBDocument.value(request.contentData),
        .text(head.publicID), .truth(head.canFork), .id(origin.parentID), .id(origin.rootID), .integer(origin.depth),
        .text(origin.keptName), .truth(origin.isClaimed), .time(head.createdAt), .bytes(head.digest),
        .texts(words.all),
      ])
    guard let number = rows.integer(0, 0) else { throw StoreProblem.damaged }
    try connection.query(
      "INSERT INTO content_documents (number, document) VALUES ($1, $2)",
      [.integer(number), .bytes(request.contentData)])
    try writeTags(head, number: number)
    if let parent = origin.parentID {
      try connection.query(
        "INSERT INTO content_forks (parent_shared_content_id, child_shared_content_id, created_at) VALUES ($1, $2, $3)",
        [.id(parent), .id(head.id), .time(head.createdAt)])
    }
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
