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
  /// What tells the library from all others, 16 hexadecimal digits.
  package let libraryID: String?

  /// Opens or makes the store.
  /// - Parameter original: the store of another folder, which is used in its place and is not changed: everything that
  ///   is written is gone afterwards.
  /// - Throws: `RunFailure` when it cannot be read or is newer than this FleetKit.
  package init(_ sidecar: Sidecar, rehearsing original: String? = nil) throws {
    path = sidecar.path + "/state.sqlite"
    do {
      connection =
        try original.map { path throws(SQLiteError) in try SQLiteConnection(path, .overlay) }
        ?? SQLiteConnection(path, .create)
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000")
      let version = try connection.number("PRAGMA user_version")
      if version == 0 {
        try connection.execute("BEGIN IMMEDIATE; \(Self.schema); PRAGMA user_version = 1; COMMIT", as: "make \(path)")
        chmod(path, 0o600)
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
