import CSQLite
import SQLiteIO

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
    if case .columns = table.key { return try lookUp(put: put, gone: gone) }
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
  func areAny() throws -> Bool {
    do {
      try forEach(put: Self.stop, gone: Self.stop)
      return false
    } catch is Found {
      return true
    }
  }

  private struct Found: Error {}

  private static func stop(_ row: SQLiteStatement) throws { throw Found() }

  private func lookUp(put: (SQLiteStatement) throws -> Void, gone: (SQLiteStatement) throws -> Void) throws {
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
