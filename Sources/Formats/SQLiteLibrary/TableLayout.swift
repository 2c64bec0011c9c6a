import SQLiteIO

/// Which columns of a table a library really has, in the order in which its rows are read. Made once for a table.
final class TableLayout: @unchecked Sendable {
  let map: TableMap
  /// Result column of each mapped column, -1 when this library does not have it.
  let positions: [Int]
  /// Result column and name of columns that nobody knows.
  let unknown: [(position: Int, name: String)]
  /// The mapped columns as the row loop wants them.
  let encoded: UnsafeMutableBufferPointer<EncodedColumn>
  /// Whether the table has a column of ids to order by.
  let hasID: Bool
  /// Whether rows stand in the order of their ids, so that nothing has to be looked up.
  let isInOrder: Bool
  /// The selected columns, comma-separated.
  let selection: String

  /// Looks at a table; nil when the library does not have it.
  /// - Parameter ordered: whether its rows will be read in the order of their ids.
  init?(
    _ map: TableMap, schema: LibrarySchema, connection: SQLiteConnection, ordered: Bool = true
  ) throws(SQLiteError) {
    guard let columns = schema.tables[map.table], !columns.isEmpty else { return nil }
    self.map = map
    var selected: [String] = []
    var positions: [Int] = []
    for column in map.columns {
      let name = [column.column, column.oldColumn].compactMap { $0 }.first { columns.contains($0) }
      if let name {
        positions.append(selected.count)
        selected.append(RowCursor.quoted(name))
      } else {
        positions.append(-1)
      }
    }
    var unknown: [(Int, String)] = []
    for name in schema.unknownColumns(map) {
      unknown.append((selected.count, name))
      selected.append(RowCursor.quoted(name))
    }
    self.positions = positions
    self.unknown = unknown
    encoded = .allocate(capacity: positions.count)
    _ = encoded.initialize(from: zip(map.columns, positions).map { EncodedColumn($0, position: $1) })
    selection = selected.joined(separator: ", ")
    hasID = columns.contains("id")
    isInOrder = hasID && ordered ? try Self.isInOrder(RowCursor.quoted(map.table), connection) : false
  }

  deinit { encoded.deallocate() }

  /// Whether rows stand in the order of their ids: read from the index of ids alone, which is small.
  private static func isInOrder(_ table: String, _ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
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
