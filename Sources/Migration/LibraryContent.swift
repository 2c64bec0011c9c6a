import Content
import JSONText
import SQLiteIO
import SQLiteLibrary

/// The content of a database as one hash: every object of the schema and every value of every row, in the order of the
/// rows.
///
/// Files with the same content may have different bytes: an import that was undone leaves other pages behind. The
/// counters of `AUTOINCREMENT` are not part of the hash, because numbers that were assigned are never reused.
enum LibraryContent {
  /// Hashes a database in one pass over each table. Memory is bounded by the largest row.
  static func hash(_ connection: SQLiteConnection) throws(SQLiteError) -> String {
    var digest = DigestStream()
    var buffer = ByteBuffer(capacity: 1 << 16)
    for number in ["user_version", "application_id"] {
      buffer.append(utf8: "\(number) \(try connection.number("PRAGMA \(number)"))\n")
    }
    let objects = try connection.rows(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema
      WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type, name
      """)
    for object in objects {
      for value in object { append(value, to: &buffer) }
    }
    let tables = try connection.rows(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    for table in tables {
      guard let name = table[0], !name.utf8.starts(with: "sqlite_".utf8) else { continue }
      append(name, to: &buffer)
      // A table without row numbers is read in the order of its key.
      let order = table[1] == "1" ? "" : " NOT INDEXED ORDER BY rowid"
      let rows = try connection.prepare(
        "SELECT * FROM \(RowCursor.quoted(name))\(order)", as: "read the table '\(name)'")
      while try rows.step() {
        for index in 0..<rows.columnCount { append(rows, index, to: &buffer) }
        if buffer.count > 1 << 16 { flush(&buffer, into: &digest) }
      }
    }
    flush(&buffer, into: &digest)
    return Digest.hex(digest.finish())
  }

  private static func append(_ text: String?, to buffer: inout ByteBuffer) {
    buffer.append(utf8: text.map { "t\($0.utf8.count):\($0)" } ?? "n")
  }

  private static func append(_ row: SQLiteStatement, _ index: Int, to buffer: inout ByteBuffer) {
    switch row.storage(at: index) {
    case .null: buffer.append("n")
    case .integer: buffer.append(utf8: "i\(row.integer(at: index));")
    case .real: buffer.append(utf8: "r\(row.double(at: index).bitPattern);")
    case .text:
      let bytes = row.bytes(at: index)
      buffer.append(utf8: "t\(bytes.count):")
      buffer.append(bytes)
    case .blob:
      let bytes = row.blob(at: index)
      buffer.append(utf8: "b\(bytes.count):")
      buffer.append(bytes)
    }
  }

  private static func flush(_ buffer: inout ByteBuffer, into digest: inout DigestStream) {
    digest.update(buffer.bytes)
    buffer.removeAll()
  }
}
