import CSQLite

/// What a connection lets a database do. Every connection is opened with one of these.
///
/// Triggers and views never run, and the schema may not call functions that touch anything outside of the database. The
/// profiles differ in SQLite's defensive mode alone, which forbids statements that could damage the file.
/// - Source: SQLite, "Defense Against The Dark Arts", "Database Connection Configuration Options"
public enum SQLiteProfile: Sendable, CaseIterable {
  /// A file from outside: libraries, their stores, databases in archives.
  case foreign
  /// A file that FleetKit makes, a copy of a foreign one included. It may be written without a journal.
  case own
  /// A file from outside whose schema is being repaired, which needs `writable_schema`.
  case repair

  /// Bytes that a text, a blob or a row may have.
  public static let greatestLength: Int32 = 1 << 28

  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_LENGTH, greatestLength),
    (SQLITE_LIMIT_EXPR_DEPTH, 100),
    (SQLITE_LIMIT_VARIABLE_NUMBER, 1000),
    // VACUUM and a migration attach one database. Actions of foreign keys count as triggers.
    (SQLITE_LIMIT_ATTACHED, 1),
    (SQLITE_LIMIT_TRIGGER_DEPTH, 16),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
  ]

  private var options: [(Int32, Int32)] {
    [
      (SQLITE_DBCONFIG_DEFENSIVE, self == .foreign ? 1 : 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    ]
  }

  /// Sets up a connection that has read nothing yet.
  /// - Returns: a result code; SQLite before 3.31 does not know all options.
  func apply(to database: OpaquePointer) -> Int32 {
    for (option, value) in options {
      let code = fleetkit_sqlite_set(database, option, value)
      if code != SQLITE_OK { return code }
    }
    for (limit, value) in Self.limits { sqlite3_limit(database, limit, value) }
    return sqlite3_exec(database, "PRAGMA cell_size_check = ON", nil, nil, nil)
  }

  /// Whether a connection is set up like this.
  public func isApplied(to connection: SQLiteConnection) -> Bool {
    options.allSatisfy { fleetkit_sqlite_is_set(connection.handle, $0.0) == $0.1 }
      && Self.limits.allSatisfy { sqlite3_limit(connection.handle, $0.0, -1) == $0.1 }
  }
}
