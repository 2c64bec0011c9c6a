import Content
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
