import CSQLite
import Foundation
import Interchange
import SQLiteIO

/// `state.sqlite` in a library's sidecar: what ran, what came from where, and records that the app has no table for.
///
/// A run writes here what it means to do before it commits to the library, and that it is done afterwards. A run
/// that was killed in between is settled by looking at the library: hashes tell which side of the commit it died on.
package final class StateStore {
  package let connection: SQLiteConnection
  /// The file.
  package let path: String
  /// The folder that contains it.
  let sidecar: SidecarFolder
  /// What tells the library from all others, 16 hexadecimal digits.
  package let libraryID: String?

  /// Opens or makes the store.
  /// - Parameter original: the store of another folder, which is used in its place and is not changed: everything that
  ///   is written is gone afterwards.
  /// - Throws: `RunFailure` when it cannot be read or is newer than this FleetKit.
  package init(_ sidecar: Sidecar, rehearsing original: String? = nil) throws {
    self.sidecar = sidecar.folder
    path = sidecar.folder.root.path(SidecarFolder.stateName)
    do {
      connection = try original.map { try Self.open($0, .overlay) } ?? Self.open(sidecar.folder.statePath(), .create)
      // Nothing was read from another file, should the folder have been replaced meanwhile.
      _ = try sidecar.folder.statePath()
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000")
      let version = try connection.number("PRAGMA user_version")
      if version == 0 {
        try connection.execute("BEGIN IMMEDIATE; \(Self.schema); PRAGMA user_version = 1; COMMIT", as: "make \(path)")
        chmod(try sidecar.folder.statePath(), 0o600)
      } else if version > 1 {
        throw RunFailure(
          .newer, "open '\(path)': it was written by a newer FleetKit", advice: "Update FleetKit.")
      }
      try connection.execute(Self.packTables + ";" + Self.publishingTables, as: "make \(path)")
      try Self.addColumns(connection)
      libraryID = try Self.giveID(connection)
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Opens a library's store for reading; nothing in the sidecar folder changes.
  ///
  /// What a killed run was about to write is not seen: a copy is rolled back, and read.
  /// - Returns: nil when there is no store, or none that this user may read.
  /// - Throws: `RunFailure` with status 4 when something in the folder is a link or another user's, 2 when the store
  ///   contains what FleetKit never makes; `SQLiteError` when it cannot be read.
  package static func reading(of library: String, busyTimeout: Int32 = 5000) throws -> SQLiteConnection? {
    guard let path = try SidecarFolder(of: library)?.state(), access(path, R_OK) == 0 else { return nil }
    do {
      return try open(path, .read, busyTimeout: busyTimeout)
    } catch let error as SQLiteError where error.code == SQLITE_READONLY | 3 << 8 {
      // SQLITE_READONLY_ROLLBACK: there is a journal, which only those who write may roll back.
      return try readingCopy(path)
    }
  }

  /// Opens a copy of a store as it was committed last. The copy goes when the connection does.
  package static func readingCopy(_ path: String) throws -> SQLiteConnection {
    let copy = try PrivateCopy(of: path)
    return try withExtendedLifetime(copy) {
      _ = try SQLiteConnection(copy.path, .write, .own).rows("SELECT count(*) FROM sqlite_schema")
      return try open(copy.path, .readImmutable, followsLinks: true)
    }
  }

  /// Opens a store, which is input like any other file.
  static func open(
    _ path: String, _ access: SQLiteConnection.Access, busyTimeout: Int32 = 5000, followsLinks: Bool = false
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path, access, .foreign, busyTimeout: busyTimeout, followsLinks: followsLinks)
    let objects = try SchemaObjects(connection)
    let other = objects.others.first.map { "a \($0.kind) '\($0.name)'" }
    if let other = other ?? (objects.computesNothing ? nil : "a generated column or a computed index") {
      throw RunFailure(
        .failed, "use '\(path)': it has \(other), which FleetKit never makes; refused",
        advice: "Move it away to start with an empty one; the library itself is not concerned.")
    }
    return connection
  }

  /// What SQLite said about the store, for the user.
  package static func failure(_ error: SQLiteError, _ path: String) -> RunFailure {
    RunFailure(
      .failed, "use '\(path)': \(error.message)",
      advice: error.isFull
        ? "Free some space and run it again; the library is as it was."
        : error.isDamage ? "Move it away to start with an empty one; the library itself is not concerned." : nil)
  }

  private static let schema = """
    CREATE TABLE runs (
      id INTEGER PRIMARY KEY AUTOINCREMENT, command TEXT NOT NULL, started TEXT NOT NULL, state TEXT NOT NULL,
      backup TEXT, detail TEXT);
    CREATE TABLE witnesses (
      run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, kind TEXT NOT NULL, id TEXT NOT NULL,
      before TEXT, after TEXT);
    CREATE INDEX witnesses_run ON witnesses(run);
    CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE files (
      id INTEGER PRIMARY KEY, source INTEGER NOT NULL, path TEXT NOT NULL, UNIQUE (source, path));
    CREATE TABLE ledger (
      source INTEGER NOT NULL, kind INTEGER NOT NULL, id TEXT NOT NULL, file INTEGER NOT NULL, target TEXT,
      hash BLOB NOT NULL, run INTEGER NOT NULL, old_hash BLOB, old_run INTEGER, PRIMARY KEY (source, kind, id, file)) WITHOUT ROWID;
    CREATE TABLE records (
      kind TEXT NOT NULL, id TEXT NOT NULL, line BLOB NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
    CREATE TABLE staged_records (
      run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, kind TEXT NOT NULL, id TEXT NOT NULL,
      line BLOB NOT NULL, PRIMARY KEY (run, kind, id)) WITHOUT ROWID
    """
}
