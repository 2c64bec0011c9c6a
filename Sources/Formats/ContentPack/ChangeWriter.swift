import CSQLite
import Foundation
import Interchange
import SQLiteIO

/// Writes `changes.sqlite`, the row changes between two snapshots of a library.
///
/// - Source: formats/backup.md, "changes.sqlite"
package struct ChangeWriter {
  /// The result of writing the changes.
  package enum Outcome {
    /// The file was written and verified: applying it to the old snapshot gave the same rows as the new snapshot.
    case written(rows: Int, gone: Int)
    /// The new snapshot cannot be expressed as changes to the old one. The reason is phrased as the end of a sentence.
    case impossible(String)
  }

  /// The library's snapshot in the parent backup. Verifying the changes converts it to the new snapshot.
  let old: String
  /// The current library.
  let new: String

  /// Prepares to compare two databases that no other process has open.
  package init(from old: String, to new: String) {
    self.old = old
    self.new = new
  }

  /// Compares the snapshots, then writes and verifies the changes.
  /// - Parameter file: the path of the change file, which must not exist.
  /// - Throws: `RunFailure` if a file cannot be read or written.
  package func write(to file: String) throws -> Outcome {
    do {
      let counts = try compare(into: file)
      try ChangeReader(file).apply(to: old, named: BackupInfo.Path.changes)
      if let table = try firstDifference() {
        return .impossible("rows of the table '\(table)' cannot be reproduced as they are stored")
      }
      return .written(rows: counts.put, gone: counts.gone)
    } catch let error as SnapshotTable.Incomparable {
      return .impossible(error.reason)
    } catch let error as SQLiteError {
      if error.isFull || error.primary == SQLITE_IOERR || error.primary == SQLITE_NOMEM {
        throw RunFailure(
          .failed, "compare the library with the preceding backup: \(error.message)",
          advice: "Comparing needs disk space for copies; to use another folder, set TMPDIR.")
      }
      return .impossible("SQLite cannot compare it (\(error.message))")
    } catch let failure as RunFailure where failure.status == .mismatch {
      return .impossible("its rows could not be restored from the changes (\(failure.message))")
    }
  }

  private func compare(into file: String) throws -> (put: Int, gone: Int) {
    let old = try SQLiteConnection(old, .readImmutable, .own)
    let new = try SQLiteConnection(new, .readImmutable, .own)
    let shape = try DatabaseShape(new)
    if let object = shape.foreignObject { throw SnapshotTable.Incomparable(reason: "it has \(object)") }
    if let difference = shape.difference(from: try DatabaseShape(old)) {
      throw SnapshotTable.Incomparable(reason: difference)
    }
    let made = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made >= 0 else { throw RunFailure(.failed, "write '\(file)': \(SystemError.last)") }
    close(made)
    let changes = try SQLiteConnection(file, .write, .own)
    // Use the same encoding, so that text is copied byte for byte.
    try changes.execute(
      """
      PRAGMA encoding = '\(shape.encoding)'; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
      CREATE TABLE about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
      CREATE TABLE tables (number INTEGER PRIMARY KEY, name TEXT NOT NULL, put INTEGER NOT NULL, gone INTEGER NOT NULL)
      """)
    try describe(new, shape, in: changes)
    let comparison = RowComparison(isWide: shape.isWide)
    var sum = (put: 0, gone: 0)
    for (number, name) in shape.tables.enumerated() {
      try Interruption.check()
      let table = try SnapshotTable(name, in: new)
      let log = try ChangeTable(number: number, table: table, changes: changes)
      if table.isSequence {
        let rows = try new.prepare(table.selectAll)
        while try rows.step() { try log.insert(rows) }
      } else {
        try RowChanges(table: table, old: old, new: new, comparison: comparison).forEach(
          put: log.insert, gone: log.gone)
      }
      try log.finish()
      sum = (sum.put + log.putCount, sum.gone + log.goneCount)
    }
    try changes.execute("COMMIT")
    return sum
  }

  private func describe(_ new: SQLiteConnection, _ shape: DatabaseShape, in changes: SQLiteConnection) throws {
    let insert = try changes.prepare("INSERT INTO about VALUES (?, ?)")
    for pragma in ["user_version", "application_id"] {
      insert.bind(pragma, at: 1)
      insert.bind(try new.number("PRAGMA \(pragma)"), at: 2)
      try insert.run()
    }
    for (name, value) in [("shape", shape.sha256), ("journal_mode", try Self.usesWAL(self.new) ? "wal" : "delete")] {
      insert.bind(name, at: 1)
      insert.bind(value, at: 2)
      try insert.run()
    }
  }

  /// Whether a database's header selects a write-ahead log, which an open connection would not report.
  private static func usesWAL(_ path: String) throws -> Bool {
    let head = try SourceProbe.head(of: Source(path), count: 20)
    return head.count == 20 && head[18] == 2
  }

  /// Returns the name of the first table that differs between the changed old database and the new one; nil if all
  /// tables are equal.
  private func firstDifference() throws -> String? {
    let old = try SQLiteConnection(old, .readImmutable, .own)
    let new = try SQLiteConnection(new, .readImmutable, .own)
    let comparison = RowComparison(isWide: try DatabaseShape(new).isWide)
    for name in try DatabaseShape(new).tables {
      try Interruption.check()
      let table = try SnapshotTable(name, in: new)
      if try RowChanges(table: table, old: old, new: new, comparison: comparison).areAny() { return name }
    }
    return nil
  }
}

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
  func insert(_ row: SQLiteStatement) throws {
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

/// Compares a table in two databases and reports which rows are new, changed or removed.
///
/// Memory does not grow with the table. Rowid tables are read in parallel; rows of other tables are looked up by key.
struct RowChanges {
  let table: SnapshotTable
  let old: SQLiteConnection
  let new: SQLiteConnection
  let comparison: RowComparison

  /// Calls a closure for every difference, with a statement that is positioned on the row.
  /// - Parameters:
  ///   - put: receives each row of the new database that is missing from the old one or differs in it.
  ///   - gone: receives each row of the old database that is missing from the new one.
  func forEach(put: (SQLiteStatement) throws -> Void, gone: (SQLiteStatement) throws -> Void) throws {
    if case .columns = table.key { return try forEachByKey(put: put, gone: gone) }
    let before = try old.prepare(table.selectAll)
    let after = try new.prepare(table.selectAll)
    var hasBefore = try before.step()
    var hasAfter = try after.step()
    while hasBefore || hasAfter {
      let left = before.integer(at: 0)
      let right = after.integer(at: 0)
      if hasBefore, !hasAfter || left < right {
        try gone(before)
        hasBefore = try before.step()
      } else if hasAfter, !hasBefore || right < left {
        try put(after)
        hasAfter = try after.step()
      } else {
        if !comparison.areSame(before, after) { try put(after) }
        hasBefore = try before.step()
        hasAfter = try after.step()
      }
    }
  }

  /// Whether there are any differences.
  fileprivate func areAny() throws -> Bool {
    do {
      try forEach(put: Self.stop, gone: Self.stop)
      return false
    } catch is Found {
      return true
    }
  }

  private struct Found: Error {}

  private static func stop(_ row: SQLiteStatement) throws { throw Found() }

  private func forEachByKey(put: (SQLiteStatement) throws -> Void, gone: (SQLiteStatement) throws -> Void) throws {
    let columns = (["0"] + (table.columns + table.computed).map(SnapshotTable.quoted)).joined(separator: ", ")
    let find = "SELECT \(columns) FROM \(table.quoted) WHERE \(table.condition)"
    let after = try new.prepare(table.selectAll)
    let inOld = try old.prepare(find)
    while try after.step() {
      bindKey(of: after, to: inOld)
      if try !inOld.step() || !comparison.areSame(inOld, after) { try put(after) }
      inOld.reset()
    }
    let before = try old.prepare(table.selectAll)
    let inNew = try new.prepare(find)
    while try before.step() {
      bindKey(of: before, to: inNew)
      if try !inNew.step() { try gone(before) }
      inNew.reset()
    }
  }

  private func bindKey(of row: SQLiteStatement, to statement: SQLiteStatement) {
    for (place, column) in table.keyIndexes.enumerated() {
      sqlite3_bind_value(statement.handle, Int32(place + 1), sqlite3_column_value(row.handle, Int32(column + 1)))
    }
  }
}

/// Compares the stored values of two rows by storage class and bytes.
///
/// 1 and 1.0 differ, as do text and a blob with the same bytes. Text that is not valid UTF-8 is compared byte by byte.
struct RowComparison {
  /// Whether both files store text as UTF-16.
  let isWide: Bool

  /// Whether both rows hold the same values in all columns after the first.
  fileprivate func areSame(_ left: SQLiteStatement, _ right: SQLiteStatement) -> Bool {
    for column in 1..<max(1, left.columnCount) where !isSame(left.handle, right.handle, Int32(column)) { return false }
    return true
  }

  private func isSame(_ left: OpaquePointer, _ right: OpaquePointer, _ column: Int32) -> Bool {
    let type = sqlite3_column_type(left, column)
    guard type == sqlite3_column_type(right, column) else { return false }
    switch type {
    case SQLITE_INTEGER: return sqlite3_column_int64(left, column) == sqlite3_column_int64(right, column)
    case SQLITE_FLOAT:
      return sqlite3_column_double(left, column).bitPattern == sqlite3_column_double(right, column).bitPattern
    case SQLITE_NULL: return true
    default:
      // Reading text as a blob returns its bytes unchanged, without checking the encoding.
      let isWideText = isWide && type == SQLITE_TEXT
      let leftCount = isWideText ? sqlite3_column_bytes16(left, column) : sqlite3_column_bytes(left, column)
      let rightCount = isWideText ? sqlite3_column_bytes16(right, column) : sqlite3_column_bytes(right, column)
      guard leftCount == rightCount else { return false }
      if leftCount == 0 { return true }
      guard let leftBytes = sqlite3_column_blob(left, column), let rightBytes = sqlite3_column_blob(right, column)
      else { return false }
      return memcmp(leftBytes, rightBytes, Int(leftCount)) == 0
    }
  }
}
