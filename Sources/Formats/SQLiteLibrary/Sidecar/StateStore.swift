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

  /// What became of a run.
  package enum RunState: String {
    /// It was about to commit.
    case intended
    /// The library has what it wrote.
    case done
    /// It changed nothing.
    case void
  }

  /// One run that changed, or was to change, the library.
  package struct Run {
    package let id: Int64
    package let command: String
    package let state: RunState
    /// The copy from before; nil when none was made.
    package let backup: String?
    /// What the command remembers of it.
    package let detail: String?
  }

  /// Opens or makes the store.
  /// - Throws: `RunFailure` when it cannot be read or is newer than this FleetKit.
  package init(_ sidecar: Sidecar) throws {
    path = sidecar.path + "/state.sqlite"
    do {
      connection = try SQLiteConnection(path, .create)
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000")
      let version = try connection.number("PRAGMA user_version")
      if version == 0 {
        try connection.execute("BEGIN IMMEDIATE; \(Self.schema); PRAGMA user_version = 1; COMMIT", as: "make \(path)")
        chmod(path, 0o600)
      } else if version > 1 {
        throw RunFailure(
          .newer, "open '\(path)': it was written by a newer FleetKit", advice: "Update FleetKit.")
      }
      try connection.execute(Self.packTables, as: "make \(path)")
      try Self.addColumns(connection)
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

  // MARK: Runs

  /// Notes that a run is about to change the library.
  package func begin(
    _ command: String, backup: String? = nil, detail: String? = nil
  ) throws(SQLiteError) -> Int64 {
    let insert = try connection.prepare(
      "INSERT INTO runs (command, started, state, backup, detail) VALUES (?, ?, ?, ?, ?)")
    insert.bind(command, at: 1)
    insert.bind(ISO8601DateFormatter().string(from: Date()), at: 2)
    insert.bind(RunState.intended.rawValue, at: 3)
    for (index, text) in [backup, detail].enumerated() {
      if let text { insert.bind(text, at: index + 4) } else { insert.bindNull(at: index + 4) }
    }
    try insert.run()
    return connection.lastRowID
  }

  /// Notes what became of a run.
  package func settle(_ run: Int64, _ state: RunState) throws(SQLiteError) {
    let update = try connection.prepare("UPDATE runs SET state = ? WHERE id = ?")
    update.bind(state.rawValue, at: 1)
    update.bind(run, at: 2)
    try update.run()
  }

  /// Runs, newest first.
  package func runs(command: String? = nil, state: RunState? = nil) throws(SQLiteError) -> [Run] {
    try connection.rows("SELECT id, command, state, backup, detail FROM runs ORDER BY id DESC").compactMap { row in
      guard let id = row[0].flatMap(Int64.init), let name = row[1],
        let found = row[2].flatMap(RunState.init(rawValue:)), command == nil || command == name,
        state == nil || state == found
      else { return nil }
      return Run(id: id, command: name, state: found, backup: row[3], detail: row[4])
    }
  }
}
