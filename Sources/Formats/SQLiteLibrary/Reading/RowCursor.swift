import Content
import JSONText
import SQLiteIO

/// A stretch of ids, from the lower one up to but without the upper one; nil is no bound.
struct IDRange: Sendable {
  var lower: [UInt8]?
  var upper: [UInt8]?

  /// All ids.
  static let all = IDRange(lower: nil, upper: nil)
}

/// Steps through a table, or a stretch of it, in the order of its ids.
package final class RowCursor {
  let layout: TableLayout
  let statement: SQLiteStatement
  /// The layout's columns and the result column of the id. Copied, because threads that count references to one
  /// layout with every value wait for each other.
  let encoded: UnsafeMutableBufferPointer<EncodedColumn>
  let idPosition: Int
  /// Whether there is a current row.
  private(set) var isOnRow = false
  private let connection: SQLiteConnection
  private let bounded: (hasLower: Bool, hasUpper: Bool)
  private var firstFrom: SQLiteStatement?

  /// Opens a table; nil when the library does not have it.
  convenience init?(_ map: TableMap, schema: LibrarySchema, connection: SQLiteConnection) throws(SQLiteError) {
    guard let layout = try TableLayout(map, schema: schema, connection: connection) else { return nil }
    try self.init(layout, connection: connection, range: .all)
  }

  init(_ layout: TableLayout, connection: SQLiteConnection, range: IDRange) throws(SQLiteError) {
    self.layout = layout
    self.connection = connection
    encoded = layout.encoded
    idPosition = layout.positions[0]
    bounded = (range.lower != nil, range.upper != nil)
    statement = try Self.select(layout, connection, bounded)
    try bind(range)
  }

  /// A cursor for another stretch: most of the time this one, whose compiled statement serves again.
  func restarted(_ range: IDRange) throws(SQLiteError) -> RowCursor {
    guard bounded == (range.lower != nil, range.upper != nil) else {
      return try RowCursor(layout, connection: connection, range: range)
    }
    isOnRow = false
    statement.reset()
    try bind(range)
    return self
  }

  private static func select(
    _ layout: TableLayout, _ connection: SQLiteConnection, _ bounded: (hasLower: Bool, hasUpper: Bool)
  ) throws(SQLiteError) -> SQLiteStatement {
    let key = layout.isInOrder ? "rowid" : "id"
    var conditions: [String] = []
    if bounded.hasLower { conditions.append("\(key) >= ?1") }
    if bounded.hasUpper { conditions.append("\(key) < ?2") }
    return try connection.prepare(
      "SELECT \(layout.selection) FROM \(quoted(layout.map.table))" + (layout.isInOrder ? " NOT INDEXED" : "")
        + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
        + (layout.hasID ? " ORDER BY \(key)" : ""),
      as: "read the table '\(layout.map.table)'")
  }

  private func bind(_ range: IDRange) throws(SQLiteError) {
    for (index, bound) in [range.lower, range.upper].enumerated() {
      guard let bound else { continue }
      if layout.isInOrder {
        statement.bind(try firstRow(from: bound), at: index + 1)
      } else {
        statement.bind(String(decoding: bound, as: UTF8.self), at: index + 1)
      }
    }
  }

  /// Rows that are looked up one by one, by `seek`.
  /// - Parameter keys: the columns that a row is looked up by.
  init(_ layout: TableLayout, connection: SQLiteConnection, keys: [String]) throws(SQLiteError) {
    self.layout = layout
    self.connection = connection
    encoded = layout.encoded
    idPosition = layout.positions[0]
    bounded = (false, false)
    let conditions = keys.enumerated().map { "\(Self.quoted($1)) = ?\($0 + 1)" }.joined(separator: " AND ")
    statement = try connection.prepare(
      "SELECT \(layout.selection) FROM \(Self.quoted(layout.map.table)) WHERE \(conditions)",
      as: "look into the table '\(layout.map.table)'")
  }

  /// Moves to the row with these keys; false when there is none. The keys must stay until `rest`.
  @discardableResult
  func seek(
    _ key: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>? = nil
  ) throws(SQLiteError) -> Bool {
    statement.reset()
    statement.bindInPlace(key, at: 1)
    if let second { statement.bindInPlace(second, at: 2) }
    isOnRow = try statement.step()
    return isOnRow
  }

  /// Lets go of the current row, so that its table can be changed.
  func rest() {
    statement.reset()
    isOnRow = false
  }

  var map: TableMap { layout.map }
  var positions: [Int] { layout.positions }
  var unknown: [(position: Int, name: String)] { layout.unknown }

  /// Moves to the next row.
  @discardableResult
  func advance() throws(SQLiteError) -> Bool {
    isOnRow = try statement.step()
    return isOnRow
  }

  /// The row's id as stored, compared as SQLite compares it.
  var id: UnsafeBufferPointer<UInt8> {
    idPosition < 0 ? UnsafeBufferPointer(start: nil, count: 0) : statement.bytes(at: idPosition)
  }

  /// The row's title or name, for findings; nil when its table has none.
  var title: String? {
    let index = layout.map.columns.firstIndex { $0.column == "title" || $0.column == "name" }
    guard let index, layout.positions[index] >= 0, statement.storage(at: layout.positions[index]) == .text else {
      return nil
    }
    // Findings show the beginning, and thousands of them may ask.
    return String(decoding: statement.bytes(at: layout.positions[index]).prefix(1024), as: UTF8.self)
  }

  package static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// The row of the first id that is not before `bound`, in a table whose rows stand in the order of ids.
  private func firstRow(from bound: [UInt8]) throws(SQLiteError) -> Int64 {
    let seek: SQLiteStatement
    if let known = firstFrom {
      seek = known
    } else {
      seek = try connection.prepare(
        "SELECT rowid FROM \(Self.quoted(layout.map.table)) WHERE id >= ? ORDER BY id LIMIT 1")
      firstFrom = seek
    }
    seek.bind(String(decoding: bound, as: UTF8.self), at: 1)
    defer { seek.reset() }
    return try seek.step() ? seek.integer(at: 0) : .max
  }
}

/// Which columns of a table a library really has, in the order in which its rows are read. Made once for a table.
final class TableLayout: @unchecked Sendable {
  let map: TableMap
  /// Result column of each mapped column, -1 when this library does not have it.
  let positions: [Int]
  /// Result column and name of unknown columns.
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

/// A mapped column as the row loop wants it: no references, nothing to look up.
///
/// Its owner calls `deallocate` once, when no copy of it is used any more.
struct EncodedColumn {
  enum Code: UInt8 {
    case text, date, bool, integer, real, tags, sections, itemStates, publicMetadata, payload
  }

  let code: Code
  let nullable: Bool
  /// Whether it refers to another record.
  let isReference: Bool
  /// The values that a column of a closed list may have; nil for any other column.
  let choices: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>?
  /// Result column, or -1 when this library does not have it.
  let position: Int
  /// `,"member":`
  let key: UnsafeBufferPointer<UInt8>
  /// What stands for a column that is not there.
  let absent: UnsafeBufferPointer<UInt8>
  /// The same where null is not allowed.
  let absentOrEmpty: UnsafeBufferPointer<UInt8>

  init(_ map: ColumnMap, position: Int) {
    code =
      switch map.kind {
      case .id, .reference, .text, .choice: .text
      case .date: .date
      case .bool: .bool
      case .integer: .integer
      case .real: .real
      case .tags: .tags
      case .sections: .sections
      case .itemStates: .itemStates
      case .publicMetadata: .publicMetadata
      case .payload: .payload
      }
    nullable = map.nullable
    if case .reference = map.kind { isReference = true } else { isReference = false }
    if case .choice(let known, _) = map.kind {
      let copy = UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>>.allocate(capacity: known.count)
      _ = copy.initialize(from: known.map(Self.copied))
      choices = UnsafeBufferPointer(copy)
    } else {
      choices = nil
    }
    self.position = position
    key = Self.copied(",\"\(map.member)\":")
    let written = map.absent != "null" ? map.absent : code == .text ? "\"\"" : code == .integer ? "0" : "null"
    absentOrEmpty = Self.copied(written)
    // A column that every version has and this library lacks is read as empty; the schema's findings name it.
    absent = map.nullable || code == .date ? Self.copied(map.absent) : absentOrEmpty
  }

  static var null: UnsafeBufferPointer<UInt8> { nullText.buffer }
  static var nowhere: UnsafePointer<UInt8> { nullText.address }

  private struct Immortal: @unchecked Sendable {
    let address: UnsafePointer<UInt8>
    let buffer: UnsafeBufferPointer<UInt8>
  }

  private static let nullText: Immortal = {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4)
    _ = copy.initialize(from: "null".utf8)
    let buffer = UnsafeBufferPointer(copy)
    return Immortal(address: buffer.baseAddress.unsafelyUnwrapped, buffer: buffer)
  }()

  /// Frees the texts.
  func deallocate() {
    choices?.forEach { $0.deallocate() }
    choices?.deallocate()
    key.deallocate()
    if absent.baseAddress != absentOrEmpty.baseAddress { absent.deallocate() }
    absentOrEmpty.deallocate()
  }

  private static func copied(_ text: String) -> UnsafeBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = copy.initialize(from: text.utf8)
    return UnsafeBufferPointer(copy)
  }
}
