import Foundation
import Interchange
import SQLiteIO

/// The file of a library that is being made: how its name is reserved and how SQLite writes it fastest.
package enum NewLibraryFile {
  /// Reserves the name of a new library.
  /// - Throws: `RunFailure`: 4 when a file of that name, or a journal or log for it, is there; 2 when the folder cannot
  ///   be written.
  package static func reserve(_ path: String) throws -> AtomicFile {
    for suffix in ["-journal", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
      throw RunFailure(
        .refused, "write '\(path)': '\(path)\(suffix)' of another library lies there",
        advice: "SQLite would mix the two up. Remove it, or choose another name.")
    }
    return try AtomicFile(path, overwrites: false)
  }

  /// Opens a reserved file and makes the tables, inside a transaction; nothing else can see the file yet, so there is
  /// no journal. Indexes follow after the rows.
  static func open(_ file: AtomicFile, _ schema: AppSchema) throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(file.temporary, .create, .own)
    try connection.execute(
      """
      PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -24576; PRAGMA secure_delete = OFF;
      PRAGMA cell_size_check = OFF; PRAGMA foreign_keys = OFF; BEGIN
      """, as: "prepare a new library")
    try schema.makeTables(connection)
    return connection
  }
}

/// Checks a library that was just written, before it gets its name.
package enum NewLibraryCheck {
  /// Mapped pages are not cached, so looking at their cells at every visit would take most of the time; the check itself
  /// looks at each of them.
  private static let settings =
    "PRAGMA cache_size = -8192; PRAGMA mmap_size = 1099511627776; PRAGMA cell_size_check = OFF"

  /// Checks every page and the form of every row of a file that is not open for writing.
  ///
  /// What indexes say is not held against their tables, which would take as long as writing them: SQLite made them of
  /// these tables a moment ago.
  /// - Returns: what is wrong with it, or nil.
  /// - Throws: `SQLiteError` when the check could not run.
  static func complaint(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(path: path, access: .readImmutable, .own, setting: settings).wait()
  }

  /// Checks the entries of every index, too: for a file that takes the place of a user's library.
  /// - Returns: what is wrong with it, or nil.
  /// - Throws: `SQLiteError` when the check could not run.
  package static func thoroughComplaint(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(
      path: path, access: .readImmutable, .own, depth: .full, setting: settings
    ).wait()
  }
}
