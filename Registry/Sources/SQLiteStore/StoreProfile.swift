import CSQLiteSwitch
import GRDB
import GRDBSQLite
import RegistryStore

/// The registry's SQLite profile. Only this type opens connections, so that every connection has the profile.
///
/// Another program may have changed the file. SQLite is therefore configured to run no code from a schema, to protect
/// its own tables from writes, and to refuse statements and values that are larger than any that this program uses.
/// - Source: https://www.sqlite.org/security.html
enum StoreProfile {
  /// The switches of `sqlite3_db_config`, and whether each is on.
  static let switches: [(option: Int32, isOn: Bool)] = [
    // No statement can write to FTS5's shadow tables or to sqlite_schema. FTS5 itself and VACUUM still can.
    (SQLITE_DBCONFIG_DEFENSIVE, true),
    (SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
    // The schema has neither triggers nor views. Foreign key actions still work: this switch does not affect them.
    (SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (SQLITE_DBCONFIG_ENABLE_VIEW, false),
    // A schema may call only harmless functions.
    (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false),
    (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
    (SQLITE_DBCONFIG_DQS_DDL, false),
    (SQLITE_DBCONFIG_DQS_DML, false),
  ]

  /// The limits of `sqlite3_limit`. All statements come from this program, so each limit is a few times what they need.
  static let limits: [(limit: Int32, most: Int32)] = [
    // A document has at most 64 MiB (`--max-body`); FTS5 indexes its words with title, description and tags.
    (SQLITE_LIMIT_LENGTH, 256 << 20),
    (SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
    (SQLITE_LIMIT_COLUMN, 64),
    (SQLITE_LIMIT_EXPR_DEPTH, 100),
    (SQLITE_LIMIT_COMPOUND_SELECT, 10),
    (SQLITE_LIMIT_VDBE_OP, 25_000),
    (SQLITE_LIMIT_FUNCTION_ARG, 16),
    // VACUUM attaches the file that it writes.
    (SQLITE_LIMIT_ATTACHED, 1),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    // A publication binds 19 values; a list binds one for each of its tags.
    (SQLITE_LIMIT_VARIABLE_NUMBER, 250),
    // Foreign key actions count too: deleting an account deletes its sessions, which deletes their tokens.
    (SQLITE_LIMIT_TRIGGER_DEPTH, 10),
    (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]

  // MARK: Connections

  /// Opens one connection to a file, for use before the store opens and after it closes.
  static func queue(_ path: String) throws -> DatabaseQueue {
    try DatabaseQueue(path: path, configuration: configuration("registry.file"))
  }

  /// Opens a writer and its readers; with `readonly`, only readers.
  static func pool(_ path: String, readers: Int, readonly: Bool) throws -> DatabasePool {
    var configuration = configuration(readonly ? "registry.lists" : "registry.store")
    configuration.readonly = readonly
    configuration.maximumReaderCount = readers
    return try DatabasePool(path: path, configuration: configuration)
  }

  /// Opens an empty database in memory.
  static func inMemory() throws -> DatabaseQueue { try DatabaseQueue(configuration: configuration("registry.memory")) }

  private static func configuration(_ label: String) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    // A rollback that fails on a broken disk must not end the process; the next group begins with another rollback.
    configuration.allowsUnsafeTransactions = true
    configuration.label = label
    configuration.prepareDatabase { try apply(to: $0) }
    return configuration
  }

  // MARK: The profile of one connection

  private static func apply(to db: Database) throws {
    for (option, isOn) in switches {
      guard try set(option, isOn ? 1 : 0, of: db) == isOn else { throw StoreProblem.oldSQLite }
    }
    for (limit, most) in limits { sqlite3_limit(db.sqliteConnection, limit, most) }
    // Deleted content must not remain in free pages, or in temporary files in other folders.
    try db.execute(
      sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
  }

  /// Whether a connection's switch is on.
  static func isOn(_ option: Int32, of db: Database) throws -> Bool { try set(option, -1, of: db) }

  private static func set(_ option: Int32, _ value: Int32, of db: Database) throws -> Bool {
    var isOn: Int32 = 0
    let code = registry_sqlite_switch(db.sqliteConnection.map { UnsafeMutableRawPointer($0) }, option, value, &isOn)
    guard code == SQLITE_OK else { throw StoreProblem.oldSQLite }
    return isOn != 0
  }
}
