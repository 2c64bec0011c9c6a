import Content
import Foundation
import GRDB
import JSONText
import RegistryModel
import RegistryStore

/// Reads rows of `shared_content`; a row that is not as the store writes it is an error, never a trap.
struct ContentRow {
  /// The columns, in order, with the snapshot's flush number at the end; the table is `c`.
  static let columns = """
    c.number, c.id, c.user_id, c.author_username, c.title, c.description, c.content_type, c.tags, c.language, \
    c.public_id, c.can_fork, c.forked_from_id, c.view_count, c.fork_count, c.created_at, c.updated_at, c.deleted_at, \
    c.digest, (SELECT view_flush FROM store_state)
    """

  let number: Int64
  var head: ContentHead
  /// `store_state.view_flush` in the row's snapshot.
  let seen: Int64

  init(_ row: Row) throws {
    guard let number = row[0] as Int64?, let id = row[1] as String?, let title = row[4] as String?,
      let type = (row[6] as String?).flatMap(ContentType.init(rawValue:)), let tags = row[7] as String?,
      let language = row[8] as String?, let publicID = row[9] as String?, let canFork = row[10] as Int64?,
      let views = row[12] as Int64?, let forks = row[13] as Int64?, let created = row[14] as Int64?,
      let updated = row[15] as Int64?, let digest = row[17] as Data?, let seen = row[18] as Int64?
    else { throw StoreProblem.damaged }
    self.number = number
    self.seen = seen
    head = ContentHead(
      id: RegistryID(stored: id), userID: (row[2] as String?).map(RegistryID.init(stored:)),
      authorUsername: row[3] as String?, title: title, description: row[5] as String?, contentType: type,
      tags: try TagText.read(tags), language: language, publicID: publicID, canFork: canFork != 0,
      forkedFromID: (row[11] as String?).map(RegistryID.init(stored:)), viewCount: views, forkCount: forks,
      createdAt: Timestamp(milliseconds: created), updatedAt: Timestamp(milliseconds: updated),
      deletedAt: (row[16] as Int64?).map(Timestamp.init(milliseconds:)), digest: [UInt8](digest))
  }

  /// The row behind the columns: a document.
  static func document(_ row: Row, at column: Int) throws -> [UInt8] {
    guard let data = row[column] as Data? else { throw StoreProblem.damaged }
    return [UInt8](data)
  }
}

/// Tags in one column, in the order they were given: a JSON array of strings.
enum TagText {
  static func write(_ tags: [String]) -> String {
    if tags.isEmpty { return "[]" }
    var buffer = ByteBuffer(capacity: 256)
    for (index, tag) in tags.enumerated() {
      buffer.append(index == 0 ? "[" : ",")
      var tag = tag
      tag.withUTF8 { buffer.appendJSONString($0) }
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
