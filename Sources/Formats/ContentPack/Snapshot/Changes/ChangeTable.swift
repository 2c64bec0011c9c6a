import CSQLite
import SQLiteIO

/// The changes to one table in `changes.sqlite`. `put_N` holds the new and changed rows, and `gone_N` holds the keys of
/// the removed rows.
///
/// The columns of both tables have no type, so that SQLite keeps every value as it was stored.
final class ChangeTable {
  private let number: Int
  private let table: SnapshotTable
  private let changes: SQLiteConnection
  private let insertPut: SQLiteStatement
  private let insertGone: SQLiteStatement
  private(set) var putCount = 0
  private(set) var goneCount = 0

  init(number: Int, table: SnapshotTable, changes: SQLiteConnection) throws {
    self.number = number
    self.table = table
    self.changes = changes
    let columns = table.columns.indices.map { ", c\($0)" }.joined()
    let keys = table.keyIndexes.indices.map { ", k\($0)" }.joined()
    try changes.execute(
      """
      CREATE TABLE put_\(number) (key INTEGER PRIMARY KEY\(columns));
      CREATE TABLE gone_\(number) (key INTEGER PRIMARY KEY\(keys))
      """)
    let marks = String(repeating: ", ?", count: table.columns.count)
    insertPut = try changes.prepare("INSERT INTO put_\(number) VALUES (?\(marks))")
    insertGone = try changes.prepare(
      "INSERT INTO gone_\(number) VALUES (?\(String(repeating: ", ?", count: table.keyIndexes.count)))")
  }

  /// Stores a new or changed row.
  func put(_ row: SQLiteStatement) throws {
    putCount += 1
    bindKey(of: row, to: insertPut, count: putCount)
    for column in 1..<table.columns.count + 1 {
      sqlite3_bind_value(insertPut.handle, Int32(column + 1), sqlite3_column_value(row.handle, Int32(column)))
    }
    try insertPut.run()
  }

  /// Stores the key of a removed row.
  func gone(_ row: SQLiteStatement) throws {
    goneCount += 1
    bindKey(of: row, to: insertGone, count: goneCount)
    for (place, column) in table.keyIndexes.enumerated() {
      sqlite3_bind_value(insertGone.handle, Int32(place + 2), sqlite3_column_value(row.handle, Int32(column + 1)))
    }
    try insertGone.run()
  }

  private func bindKey(of row: SQLiteStatement, to statement: SQLiteStatement, count: Int) {
    if case .rowid = table.key {
      statement.bind(row.integer(at: 0), at: 1)
    } else {
      statement.bind(Int64(count), at: 1)
    }
  }

  /// Adds the table to the list of changed tables, or drops its change tables if they are empty.
  func finish() throws {
    guard putCount > 0 || goneCount > 0 || table.isSequence else {
      return try changes.execute("DROP TABLE put_\(number); DROP TABLE gone_\(number)")
    }
    let list = try changes.prepare("INSERT INTO tables VALUES (?, ?, ?, ?)")
    list.bind(Int64(number), at: 1)
    list.bind(table.name, at: 2)
    list.bind(Int64(putCount), at: 3)
    list.bind(Int64(goneCount), at: 4)
    try list.run()
  }
}
