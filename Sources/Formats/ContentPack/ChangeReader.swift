import CSQLite
import Interchange
import SQLiteIO

/// Reads `changes.sqlite` and applies the changes to a library.
package struct ChangeReader {
  private let file: String

  /// Creates a reader for a file of changes.
  package init(_ file: String) { self.file = file }

  /// Converts the old snapshot to the new snapshot, in one transaction.
  ///
  /// Removed and changed rows are deleted first. Then rows are inserted with their rowids, so that no constraint fails
  /// in an intermediate state.
  /// - Parameters:
  ///   - library: a copy of the old snapshot that no other process has open. After an error, the copy is unusable.
  ///   - name: the name of the change file in messages.
  /// - Throws: `RunFailure` with status 5 if the changes do not fit the library, 2 if FleetKit did not write them;
  ///   `SQLiteError` if the library cannot be written.
  package func apply(to library: String, named name: String) throws {
    do {
      try apply(to: library, name)
    } catch let error as SQLiteError {
      guard !error.isFull, error.primary != SQLITE_IOERR else { throw error }
      throw RunFailure(.mismatch, "apply '\(name)' to the preceding backup: \(error.message)")
    } catch let error as SnapshotTable.Incomparable {
      throw RunFailure(.mismatch, "apply '\(name)' to the preceding backup: \(error.reason)")
    }
  }

  private func apply(to library: String, _ name: String) throws {
    let changes = try open(name)
    let base = try SQLiteConnection(library, .write, .own)
    let shape = try DatabaseShape(base)
    if let object = shape.foreignObject {
      throw RunFailure(.failed, "apply '\(name)': the library has \(object), which the app never creates")
    }
    let about = try describe(changes)
    guard about["shape"] == shape.sha256 else {
      throw RunFailure(.mismatch, "apply '\(name)': its changes belong to a library with different tables")
    }
    // A new copy needs no journal, and the constraints were checked when the rows were first written.
    try base.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;
      PRAGMA ignore_check_constraints = ON; BEGIN
      """)
    try apply(changes, to: base, shape: shape, name: name)
    for pragma in ["user_version", "application_id"] {
      guard let value = about[pragma].flatMap({ Int32($0) }) else { throw Self.damaged(name) }
      try base.execute("PRAGMA \(pragma) = \(value)")
    }
    try base.execute("COMMIT; PRAGMA journal_mode = \(about["journal_mode"] == "wal" ? "WAL" : "DELETE")")
  }

  private func open(_ name: String) throws -> SQLiteConnection {
    let changes = try SQLiteConnection(file, .readImmutable, .foreign)
    let shape = try DatabaseShape(changes)
    // A view could run any computation, even an endless one.
    guard shape.foreignObject == nil, shape.computesNothing else {
      throw RunFailure(.failed, "read '\(name)': it contains objects other than tables; refused")
    }
    return changes
  }

  private func describe(_ changes: SQLiteConnection) throws -> [String: String] {
    var about: [String: String] = [:]
    for row in try changes.rows("SELECT name, value FROM about LIMIT 100") {
      if let key = row[0] { about[key] = row[1] }
    }
    return about
  }

  private func apply(
    _ changes: SQLiteConnection, to base: SQLiteConnection, shape: DatabaseShape, name: String
  ) throws {
    var lists: [(number: Int, table: SnapshotTable)] = []
    for row in try changes.rows("SELECT number, name FROM tables ORDER BY number") {
      guard let number = row[0].flatMap({ Int($0) }), let table = row[1],
        shape.tables.contains(where: { $0.utf8.elementsEqual(table.utf8) })
      else {
        throw Self.damaged(name)
      }
      lists.append((number, try SnapshotTable(table, in: base)))
    }
    for list in lists where !list.table.isSequence { try delete(list.number, list.table, changes, base) }
    for list in lists where !list.table.isSequence { try insert(list.number, list.table, changes, base, name) }
    // The sequence table is restored last, because inserting rows has changed its counters.
    for list in lists where list.table.isSequence {
      try base.execute("DELETE FROM sqlite_sequence")
      try insert(list.number, list.table, changes, base, name)
    }
  }

  private func delete(
    _ number: Int, _ table: SnapshotTable, _ changes: SQLiteConnection, _ base: SQLiteConnection
  ) throws {
    let delete = try base.prepare("DELETE FROM \(table.quoted) WHERE \(table.condition)")
    let indexes = table.keyIndexes
    let isKeyed = !indexes.isEmpty
    let gone = isKeyed ? indexes.indices.map { "k\($0)" } : ["key"]
    let put = isKeyed ? indexes.map { "c\($0)" } : ["key"]
    for (columns, kind) in [(gone, "gone"), (put, "put")] {
      let rows = try changes.prepare("SELECT \(columns.joined(separator: ", ")) FROM \(kind)_\(number)")
      while try rows.step() {
        for column in columns.indices {
          sqlite3_bind_value(delete.handle, Int32(column + 1), sqlite3_column_value(rows.handle, Int32(column)))
        }
        try delete.run()
      }
    }
  }

  private func insert(
    _ number: Int, _ table: SnapshotTable, _ changes: SQLiteConnection, _ base: SQLiteConnection, _ name: String
  ) throws {
    let insert = try base.prepare(table.insert)
    let rows = try changes.prepare("SELECT * FROM put_\(number) ORDER BY key")
    guard rows.columnCount == table.columns.count + 1 else { throw Self.damaged(name) }
    // In a table without rowids, the `key` column of the change list is only a serial number.
    let first = table.keyIndexes.isEmpty ? 0 : 1
    while try rows.step() {
      for column in first..<rows.columnCount {
        sqlite3_bind_value(insert.handle, Int32(column - first + 1), sqlite3_column_value(rows.handle, Int32(column)))
      }
      try insert.run()
    }
  }

  private static func damaged(_ name: String) -> RunFailure {
    RunFailure(.failed, "read '\(name)': it does not contain a backup's changes")
  }
}
