import Content
import JSONText
import SQLiteIO

/// Rows of tables that nobody knows, as foreign records, so that nothing of a newer library is left behind.
final class UnknownTables {
  private let connection: SQLiteConnection
  private let columns: [String: [String]]
  private var names: [String]
  private var table = ""
  private var statement: SQLiteStatement?
  private var row = 0

  init(schema: LibrarySchema, connection: SQLiteConnection) {
    self.connection = connection
    columns = schema.tables
    names = schema.unknownTables.sorted().reversed()
  }

  /// Writes the next row as a record; false at the end.
  func next(into out: inout ByteBuffer) throws(SQLiteError) -> Bool {
    while true {
      if let statement {
        if try statement.step() {
          row += 1
          Self.write(statement, table: table, number: Int64(row), into: &out)
          return true
        }
        self.statement = nil
      }
      guard let next = names.popLast() else { return false }
      table = next
      row = 0
      // Generated columns are not among them.
      guard let columns = columns[table], !columns.isEmpty else { continue }
      statement = try connection.prepare(
        "SELECT \(columns.map(RowCursor.quoted).joined(separator: ", ")) FROM \(RowCursor.quoted(table))",
        as: "read the table '\(table)'")
    }
  }

  /// Writes the current row of a statement.
  static func write(_ statement: SQLiteStatement, table: String, number: Int64, into out: inout ByteBuffer) {
    // Nine digits, so that the order of ids is the order of rows.
    let number = String(number)
    let padded = String(repeating: "0", count: max(0, 9 - number.count)) + number
    out.append("{\"kind\":\"foreign\",\"id\":")
    out.appendJSONString("anyfleet/\(table)/\(padded)")
    out.append(",\"system\":\"anyfleet\",\"type\":")
    out.appendJSONString(table)
    out.append(",\"raw\":{")
    for position in 0..<statement.columnCount {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(statement.name(at: position))
      out.append(UInt8(ascii: ":"))
      StoredValue.append(statement, position: position, into: &out)
    }
    out.append("}}")
  }
}
