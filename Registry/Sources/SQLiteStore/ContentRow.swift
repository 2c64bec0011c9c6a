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
    guard let number = row.integer(0), let id = row.text(1), let title = row.text(4),
      let type = row.text(6).flatMap(ContentType.init(rawValue:)), let tags = row.text(7),
      let language = row.text(8), let publicID = row.text(9), let canFork = row.integer(10),
      let views = row.integer(12), let forks = row.integer(13), let created = row.integer(14),
      let updated = row.integer(15), let digest = row.bytes(17), let seen = row.integer(18)
    else { throw StoreProblem.damaged }
    self.number = number
    self.seen = seen
    head = ContentHead(
      id: RegistryID(stored: id), userID: row.text(2).map(RegistryID.init(stored:)),
      authorUsername: row.text(3), title: title, description: row.text(5), contentType: type,
      tags: try TagText.read(tags), language: language, publicID: publicID, canFork: canFork != 0,
      forkedFromID: row.text(11).map(RegistryID.init(stored:)), viewCount: views, forkCount: forks,
      createdAt: Timestamp(milliseconds: created), updatedAt: Timestamp(milliseconds: updated),
      deletedAt: row.integer(16).map(Timestamp.init(milliseconds:)), digest: digest)
  }

  /// The row behind the columns: a document.
  static func document(_ row: Row, at column: Int) throws -> [UInt8] {
    guard let data = row.bytes(column) else { throw StoreProblem.damaged }
    return data
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
