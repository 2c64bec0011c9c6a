import JSONText
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
  /// Ids at equal distances, where the table can be cut into stretches; empty unless they were asked for.
  let marks: [[UInt8]]
  /// The selected columns, comma-separated.
  let selection: String

  /// Looks at a table; nil when the library does not have it.
  /// - Parameters:
  ///   - ordered: whether its rows will be read in the order of their ids.
  ///   - distance: rows from one mark to the next; nil makes none.
  init?(
    _ map: TableMap, schema: LibrarySchema, connection: SQLiteConnection, ordered: Bool = true,
    markEvery distance: Int? = nil
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
    selection = selected.joined(separator: ", ")
    hasID = columns.contains("id")
    let table = RowCursor.quoted(map.table)
    let order =
      hasID && ordered ? try Self.order(table, connection, distance) : (isInOrder: false, marks: [])
    isInOrder = order.isInOrder
    marks = order.marks
    // Last: an initialiser that throws frees nothing.
    encoded = .allocate(capacity: positions.count)
    _ = encoded.initialize(from: zip(map.columns, positions).map { EncodedColumn($0, position: $1) })
  }

  deinit {
    for column in encoded { column.deallocate() }
    encoded.deallocate()
  }

  /// Whether rows stand in the order of their ids, and the marks: one walk through the index of ids, which is small.
  private static func order(
    _ table: String, _ connection: SQLiteConnection, _ distance: Int?
  ) throws(SQLiteError) -> (isInOrder: Bool, marks: [[UInt8]]) {
    let statement: SQLiteStatement
    var isInOrder = true
    do {
      statement = try connection.prepare("SELECT rowid\(distance == nil ? "" : ", id") FROM \(table) ORDER BY id")
    } catch {
      // A table without rowids.
      guard distance != nil else { return (false, []) }
      statement = try connection.prepare("SELECT 0, id FROM \(table) ORDER BY id")
      isInOrder = false
    }
    var marks: [[UInt8]] = []
    var last = Int64.min
    var left = distance ?? .max
    while try statement.step() {
      let row = statement.integer(at: 0)
      if row < last {
        isInOrder = false
        if distance == nil { break }
      }
      last = row
      left -= 1
      if left == 0, let distance {
        left = distance
        if statement.storage(at: 1) == .text, UTF8Check.firstInvalid(in: statement.bytes(at: 1)) == nil {
          marks.append(Array(statement.bytes(at: 1)))
        }
      }
    }
    return (isInOrder, marks)
  }
}
