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

  /// Opens a reserved file and makes the tables, inside a transaction; nobody else can see the file yet, so there is
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
