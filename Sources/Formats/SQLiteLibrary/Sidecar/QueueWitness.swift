import Content
import Foundation
import SQLiteIO

/// A row of the library's queue that a run wrote or removed, by which a later run can tell whether that one committed.
///
/// Items would not do: what a run does to one may be undone by the next, and a sync changes their state.
package struct QueueWitness {
  /// The row's number.
  let row: Int64
  /// What stands in it; nil when the run removed it.
  let after: String?

  static let kind = "queue_row"
  static let withdrawn = "public_id"

  /// Looks at a row as the run leaves it.
  package init(of row: Int64, _ library: SQLiteConnection) throws(SQLiteError) {
    self.row = row
    after = try Self.content(of: row, library)
  }

  /// The witness that an item's public id is gone.
  package static func writeWithdrawn(_ id: String, _ run: Int64, _ store: StateStore) throws(SQLiteError) {
    _ = try store.connection.rows(
      "INSERT INTO witnesses (run, kind, id) VALUES (?, ?, ?)", [String(run), withdrawn, id])
  }

  /// Notes it, inside the caller's transaction.
  package func write(_ run: Int64, _ store: StateStore) throws(SQLiteError) {
    let insert = try store.connection.prepare("INSERT INTO witnesses (run, kind, id, after) VALUES (?, ?, ?, ?)")
    insert.bind(run, at: 1)
    insert.bind(Self.kind, at: 2)
    insert.bind(String(row), at: 3)
    if let after { insert.bind(after, at: 4) } else { insert.bindNull(at: 4) }
    try insert.run()
  }

  /// Whether the library has what these witnesses saw; nil when none of them is about its queue.
  ///
  /// Rows that were written tell it surely: their numbers are never used again, and whoever sends them leaves what they
  /// say. Removed ones only tell it where there are no others: the app may remove some, too.
  /// - Parameter witnesses: kind, id, before and after of each.
  static func isCommitted(_ witnesses: [[String?]], _ library: SQLiteConnection) throws(SQLiteError) -> Bool? {
    let rows = witnesses.filter { $0[0] == kind }
    let written = rows.filter { $0[3] != nil }
    for witness in written {
      if let row = witness[1].flatMap({ Int64($0) }), try content(of: row, library) == witness[3] { return true }
    }
    guard written.isEmpty else { return false }
    if let row = rows.first?[1].flatMap({ Int64($0) }) { return try content(of: row, library) == nil }
    guard let item = witnesses.first(where: { $0[0] == withdrawn })?[1] else { return nil }
    return try library.number(
      "SELECT count(*) FROM library_content WHERE id = ? AND publicID IS NOT NULL", [item]) == 0
  }

  private static func content(of row: Int64, _ library: SQLiteConnection) throws(SQLiteError) -> String? {
    let query = try library.prepare("SELECT contentID, operation, payload, createdAt FROM sync_queue WHERE id = ?")
    query.bind(row, at: 1)
    guard try query.step() else { return nil }
    var bytes: [UInt8] = []
    for column in 0..<4 {
      bytes += query.bytes(at: column)
      bytes.append(0)
    }
    return bytes.withUnsafeBufferPointer { Digest.hex(Digest.sha256($0)) }
  }
}
