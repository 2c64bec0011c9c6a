import Content
import Foundation
import GRDB
import JSONText
import RegistryModel
import RegistryStore

/// Reads rows of `shared_content`; a row in a form that the store does not write is an error, never a trap.
extension ContentRow {
  /// The columns of `source`, in order.
  static let columns = """
    c.number, c.id, c.user_id, c.author_username, c.title, c.description, c.content_type, c.tags, c.language, \
    c.public_id, c.can_fork, c.forked_from_id, c.view_count, c.fork_count, c.created_at, c.updated_at, c.deleted_at, \
    c.digest, (SELECT view_flush FROM store_state), c.root_id, c.chain_depth, c.original_author_username, \
    r.original_author_username, r.author_username, r.user_id, iif(r.deleted_at IS NULL, r.public_id, NULL), \
    iif(c.original_author_username IS NULL, r.original_is_claimed, c.original_is_claimed)
    """
  /// The number of columns.
  static let columnCount = 27
  /// The FROM clause with the item, `c`, and the first item of its lineage, `r`.
  static let source = "shared_content c \(rootJoin)"
  /// The join that adds `r` to a query that has `c`.
  static let rootJoin = "LEFT JOIN shared_content r ON r.id = c.root_id"

  /// Reads the columns of `columns`.
  init(_ row: Row) throws {
    guard let number = row.integer(0), let id = row.text(1), let title = row.text(4),
      let type = row.text(6).flatMap(ContentType.init(rawValue:)), let tags = row.text(7),
      let language = row.text(8), let publicID = row.text(9), let canFork = row.integer(10),
      let views = row.integer(12), let forks = row.integer(13), let created = row.integer(14),
      let updated = row.integer(15), let digest = row.bytes(17), let seen = row.integer(18),
      let depth = row.integer(20)
    else { throw StoreProblem.damaged }
    // A name that was kept where a link was dropped, in this item or at the root, belongs to an earlier author.
    let keptName = row.text(21) ?? row.text(22)
    let head = PublicationHead(
      id: RegistryID(stored: id), userID: row.text(2).map(RegistryID.init(stored:)),
      authorUsername: row.text(3), title: title, description: row.text(5), contentType: type,
      tags: try TagColumn.read(tags), language: language, publicID: publicID, canFork: canFork != 0,
      forkedFromID: row.text(11).map(RegistryID.init(stored:)), originalAuthorUsername: keptName ?? row.text(23),
      originalAuthorUserID: keptName == nil ? row.text(24).map(RegistryID.init(stored:)) : nil,
      originalPublicID: keptName == nil ? row.text(25) : nil, chainDepth: depth, viewCount: views, forkCount: forks,
      createdAt: Timestamp(milliseconds: created), updatedAt: Timestamp(milliseconds: updated),
      deletedAt: row.integer(16).map(Timestamp.init(milliseconds:)), digest: digest)
    self.init(
      number: number, head: head, seen: seen, rootID: row.text(19).map(RegistryID.init(stored:)),
      creditIsClaimed: (row.integer(26) ?? 0) != 0)
  }

  /// Returns the document in the column after the others.
  static func document(_ row: Row, at column: Int) throws -> [UInt8] {
    guard let data = row.bytes(column) else { throw StoreProblem.damaged }
    return data
  }
}

/// Stores strings in one column, in their order: a JSON array.
enum TagColumn {
  static func write(_ tags: [String]) -> String {
    if tags.isEmpty { return "[]" }
    var buffer = ByteBuffer(capacity: 256)
    for (index, tag) in tags.enumerated() {
      buffer.append(index == 0 ? "[" : ",")
      buffer.appendJSONString(tag.utf8.span)
    }
    buffer.append("]")
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  static func read(_ text: String) throws -> [String] {
    if text.utf8.count == 2 { return [] }
    guard let root = try? JSONDocument(parsing: text).root else { throw StoreProblem.damaged }
    return root.elements.compactMap(\.string)
  }
}

/// Reads row values; returns nil for a value of another type. A damaged file may have any type in any column, and
/// GRDB's own conversions would end the process.
extension Row {
  func integer(_ column: Int) -> Int64? {
    guard column < count, case .int64(let value) = (self[column] as DatabaseValue).storage else { return nil }
    return value
  }

  func text(_ column: Int) -> String? {
    guard column < count, case .string(let value) = (self[column] as DatabaseValue).storage else { return nil }
    return value
  }

  /// Returns a list that `TagColumn` and `StringList` wrote; nil for NULL.
  /// - Throws: `StoreProblem.damaged` for any other text.
  func list<Entry>(_ column: Int, _ read: ([String]) -> [Entry]?) throws -> [Entry]? {
    guard let text = text(column) else { return nil }
    guard let entries = read(try TagColumn.read(text)) else { throw StoreProblem.damaged }
    return entries
  }

  func bytes(_ column: Int) -> [UInt8]? {
    guard column < count, case .blob(let value) = (self[column] as DatabaseValue).storage else { return nil }
    return [UInt8](value)
  }
}
