import Content
import SQLiteIO

/// Steps through a table in the order of its ids, without sorting when the rows already stand in that order.
final class RowCursor {
  let map: TableMap
  /// Result column of each mapped column, -1 when this library does not have it.
  let positions: [Int]
  /// Result column and name of columns that nobody knows.
  let unknown: [(position: Int, name: String)]
  let statement: SQLiteStatement
  /// The mapped columns as the row loop wants them.
  let encoded: UnsafeMutableBufferPointer<EncodedColumn>
  /// Whether there is a current row.
  private(set) var isOnRow = false

  init?(_ map: TableMap, schema: LibrarySchema, connection: SQLiteConnection) throws(SQLiteError) {
    guard let columns = schema.tables[map.table], !columns.isEmpty else { return nil }
    self.map = map
    var selected: [String] = []
    var positions: [Int] = []
    for column in map.columns {
      let name = [column.column, column.oldColumn].compactMap { $0 }.first { columns.contains($0) }
      if let name {
        positions.append(selected.count)
        selected.append(Self.quoted(name))
      } else {
        positions.append(-1)
      }
    }
    var unknown: [(Int, String)] = []
    for name in schema.unknownColumns(map) {
      unknown.append((selected.count, name))
      selected.append(Self.quoted(name))
    }
    self.positions = positions
    self.unknown = unknown
    encoded = .allocate(capacity: positions.count)
    _ = encoded.initialize(from: zip(map.columns, positions).map { EncodedColumn($0, position: $1) })
    let table = Self.quoted(map.table)
    let byRow = try Self.isInOrder(table, hasID: columns.contains("id"), connection)
    statement = try connection.prepare(
      "SELECT \(selected.joined(separator: ", ")) FROM \(table)"
        + (byRow ? " NOT INDEXED ORDER BY rowid" : columns.contains("id") ? " ORDER BY id" : ""),
      as: "read the table '\(map.table)'")
  }

  deinit { encoded.deallocate() }

  /// Moves to the next row.
  @discardableResult
  func advance() throws(SQLiteError) -> Bool {
    isOnRow = try statement.step()
    return isOnRow
  }

  /// The row's id as stored, compared as SQLite compares it.
  var id: UnsafeBufferPointer<UInt8> {
    positions[0] < 0 ? UnsafeBufferPointer(start: nil, count: 0) : statement.bytes(at: positions[0])
  }

  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// Whether rows stand in the order of their ids: read from the index of ids alone, which is small.
  private static func isInOrder(
    _ table: String, hasID: Bool, _ connection: SQLiteConnection
  ) throws(SQLiteError) -> Bool {
    guard hasID else { return false }
    let statement: SQLiteStatement
    do {
      statement = try connection.prepare("SELECT rowid FROM \(table) ORDER BY id")
    } catch {
      return false  // a table without rowids
    }
    var last = Int64.min
    while try statement.step() {
      let row = statement.integer(at: 0)
      if row < last { return false }
      last = row
    }
    return true
  }
}
