import Content
import JSONText
import SQLiteIO

/// A range of ids that includes the lower bound and excludes the upper bound. A nil bound leaves its end open.
struct IDRange: Sendable {
  var lower: [UInt8]?
  var upper: [UInt8]?

  /// All ids.
  static let all = IDRange(lower: nil, upper: nil)
}

/// Steps through a table, or through a range of its rows, in the order of the ids.
package final class RowCursor {
  let layout: ColumnLayout
  let statement: SQLiteStatement
  /// The layout's columns and the result column of the id. They are copied because threads that retain and release one
  /// layout for every value would wait for each other.
  let encoded: UnsafeMutableBufferPointer<EncodedColumn>
  let idPosition: Int
  /// Whether the cursor is on a row.
  private(set) var isOnRow = false
  private let connection: SQLiteConnection
  private let bounded: (hasLower: Bool, hasUpper: Bool)
  private var firstFrom: SQLiteStatement?

  /// Opens a table; returns nil if the library does not have it.
  convenience init?(_ map: TableMap, schema: LibrarySchema, connection: SQLiteConnection) throws(SQLiteError) {
    guard let layout = try ColumnLayout(map, schema: schema, connection: connection) else { return nil }
    try self.init(layout, connection: connection, range: .all)
  }

  init(_ layout: ColumnLayout, connection: SQLiteConnection, range: IDRange) throws(SQLiteError) {
    self.layout = layout
    self.connection = connection
    encoded = layout.encoded
    idPosition = layout.positions[0]
    bounded = (range.lower != nil, range.upper != nil)
    statement = try Self.select(layout, connection, bounded)
    try bind(range)
  }

  /// Returns a cursor for another range. Usually, this is the same cursor, because its compiled statement can be
  /// reused.
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
    _ layout: ColumnLayout, _ connection: SQLiteConnection, _ bounded: (hasLower: Bool, hasUpper: Bool)
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

  /// Prepares a cursor that looks up single rows with `seek`.
  /// - Parameter keys: the columns that identify a row.
  init(_ layout: ColumnLayout, connection: SQLiteConnection, keys: [String]) throws(SQLiteError) {
    self.layout = layout
    self.connection = connection
    encoded = layout.encoded
    idPosition = layout.positions[0]
    bounded = (false, false)
    let conditions = keys.enumerated().map { "\(Self.quoted($1)) = ?\($0 + 1)" }.joined(separator: " AND ")
    statement = try connection.prepare(
      "SELECT \(layout.selection) FROM \(Self.quoted(layout.map.table)) WHERE \(conditions)",
      as: "look up a row of the table '\(layout.map.table)'")
  }

  /// Moves to the row with these keys; returns false if no row matches. The keys must stay in memory until `rest` is
  /// called.
  @discardableResult
  func seek(
    _ key: Span<UInt8>, _ second: Span<UInt8>? = nil
  ) throws(SQLiteError) -> Bool {
    statement.reset()
    statement.bindInPlace(key, at: 1)
    if let second { statement.bindInPlace(second, at: 2) }
    isOnRow = try statement.step()
    return isOnRow
  }

  /// Releases the current row, so that its table can be changed.
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

  /// The row's id as stored. SQLite compares ids in this form.
  var id: UnsafeBufferPointer<UInt8> {
    idPosition < 0 ? UnsafeBufferPointer(start: nil, count: 0) : statement.bytes(at: idPosition)
  }

  /// The row's title or name, for findings; nil if its table has neither.
  var title: String? {
    let index = layout.map.columns.firstIndex { $0.column == "title" || $0.column == "name" }
    guard let index, layout.positions[index] >= 0, statement.storage(at: layout.positions[index]) == .text else {
      return nil
    }
    // Findings show only the beginning of a title, and thousands of findings may need one.
    return String(decoding: statement.bytes(at: layout.positions[index]).span.extracting(first: 1024))
  }

  package static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// Returns the rowid of the first row whose id is `bound` or greater. The table's rows must be in the order of their
  /// ids.
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

/// The columns that a library's table actually has, and the order in which its rows are read. One layout is created for
/// each table.
final class ColumnLayout: @unchecked Sendable {
  let map: TableMap
  /// The result column of each mapped column; -1 if this library does not have the column.
  let positions: [Int]
  /// The result columns and names of unknown columns.
  let unknown: [(position: Int, name: String)]
  /// The mapped columns in the form that the row loop uses.
  let encoded: UnsafeMutableBufferPointer<EncodedColumn>
  /// Whether the table has an id column to sort by.
  let hasID: Bool
  /// Whether rows are in the order of their ids, so that no lookups are needed.
  let isInOrder: Bool
  /// Ids at regular intervals, at which the table can be divided into ranges; empty unless marks were requested.
  let marks: [[UInt8]]
  /// The selected columns, comma-separated.
  let selection: String

  /// Reads the layout of a table; returns nil if the library does not have the table.
  /// - Parameters:
  ///   - ordered: whether the rows will be read in the order of their ids.
  ///   - distance: the number of rows from one mark to the next; nil if no marks are needed.
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
    // This is the last statement, because an initializer that throws does not free the memory.
    encoded = .allocate(capacity: positions.count)
    _ = encoded.initialize(from: zip(map.columns, positions).map { EncodedColumn($0, position: $1) })
  }

  deinit {
    for column in encoded { column.deallocate() }
    encoded.deallocate()
  }

  /// Returns the marks, and whether the rows are in the order of their ids. Walks once through the id index, which is
  /// small.
  private static func order(
    _ table: String, _ connection: SQLiteConnection, _ distance: Int?
  ) throws(SQLiteError) -> (isInOrder: Bool, marks: [[UInt8]]) {
    let statement: SQLiteStatement
    var isInOrder = true
    do {
      statement = try connection.prepare("SELECT rowid\(distance == nil ? "" : ", id") FROM \(table) ORDER BY id")
    } catch {
      // The table has no rowids.
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
        if statement.storage(at: 1) == .text, UTF8Check.firstInvalid(in: statement.bytes(at: 1).span) == nil {
          marks.append(Array(statement.bytes(at: 1)))
        }
      }
    }
    return (isInOrder, marks)
  }
}

/// A mapped column in the form that the row loop uses, without references or lookups.
///
/// Its owner calls `deallocate` once, when no copy is in use.
struct EncodedColumn {
  enum Code: UInt8 {
    case text, date, bool, integer, real, tags, sections, itemStates, publicMetadata, payload
  }

  let code: Code
  let nullable: Bool
  /// Whether the column refers to another record.
  let isReference: Bool
  /// The allowed values of a column with a closed list; nil for any other column.
  let choices: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>?
  /// The result column; -1 if this library does not have the column.
  let position: Int
  /// `,"member":`
  let key: UnsafeBufferPointer<UInt8>
  /// The JSON that is written if the library does not have the column.
  let absent: UnsafeBufferPointer<UInt8>
  /// The JSON that is written for a missing column that must not be null.
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
    // If every schema version has a column and this library lacks it, the column is read as empty. A finding about the
    // schema reports the missing column.
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

  /// Frees the column's memory.
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
