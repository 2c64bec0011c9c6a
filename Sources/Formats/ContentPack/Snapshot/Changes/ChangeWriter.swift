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

  /// The library as of the parent. Verifying the changes converts it to the new snapshot.
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
        while try rows.step() { try log.put(rows) }
      } else {
        try RowChanges(table: table, old: old, new: new, comparison: comparison).forEach(put: log.put, gone: log.gone)
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
    for (name, value) in [("shape", shape.sha256), ("journal_mode", try Self.keepsLog(self.new) ? "wal" : "delete")] {
      insert.bind(name, at: 1)
      insert.bind(value, at: 2)
      try insert.run()
    }
  }

  /// Whether a database's header selects a write-ahead log, which an open connection would not report.
  static func keepsLog(_ path: String) throws -> Bool {
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
