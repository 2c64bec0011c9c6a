import CSQLite
import Interchange
import SQLiteIO

/// Reads `changes.sqlite` and puts the changes into a library.
package struct ChangeReader {
  private let file: String

  /// Names the changes.
  package init(_ file: String) { self.file = file }

  /// Makes the snapshot after the changes out of the one before them, in one transaction.
  ///
  /// Rows that are gone or changed go first, then rows come in under their rowids, so that no constraint meets a state
  /// that was never there.
  /// - Parameters:
  ///   - library: a copy that nobody else has open; useless after an error.
  ///   - name: what messages call the changes.
  /// - Throws: `RunFailure` with status 5 when they do not fit the library, 2 when they are no changes of ours;
  ///   `SQLiteError` when the library cannot be written.
  package func apply(to library: String, named name: String) throws {
    do {
      try apply(to: library, name)
    } catch let error as SQLiteError {
      guard !error.isFull, error.primary != SQLITE_IOERR else { throw error }
      throw RunFailure(.mismatch, "apply '\(name)' to the backup before: \(error.message)")
    } catch let error as SnapshotTable.Incomparable {
      throw RunFailure(.mismatch, "apply '\(name)' to the backup before: \(error.reason)")
    }
  }

  private func apply(to library: String, _ name: String) throws {
    let changes = try open(name)
    let base = try SQLiteConnection(library, .write, .own)
    let shape = try DatabaseShape(base)
    if let object = shape.foreignObject {
      throw RunFailure(.failed, "apply '\(name)': the library has \(object), which the app never makes")
    }
    let about = try describe(changes)
    guard about["shape"] == shape.sha256 else {
      throw RunFailure(.mismatch, "apply '\(name)': its changes belong to a library with other tables")
    }
    // A copy that nobody knows yet needs no journal; constraints were held when the rows were first written.
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
    // A view could be anything, and never end.
    guard shape.foreignObject == nil, shape.computesNothing else {
      throw RunFailure(.failed, "read '\(name)': it has more than tables in it; refused")
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
    // Last: SQLite has counted the rows that came in.
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
    // Without rowids the key of the list is only a number.
    let first = table.keyIndexes.isEmpty ? 0 : 1
    while try rows.step() {
      for column in first..<rows.columnCount {
        sqlite3_bind_value(insert.handle, Int32(column - first + 1), sqlite3_column_value(rows.handle, Int32(column)))
      }
      try insert.run()
    }
  }

  private static func damaged(_ name: String) -> RunFailure {
    RunFailure(.failed, "read '\(name)': these are no changes of a backup")
  }
}
