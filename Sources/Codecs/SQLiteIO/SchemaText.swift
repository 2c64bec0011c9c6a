import CSQLite

extension SQLiteConnection {
  /// Runs one statement of a foreign schema in a database of our own: `CREATE TABLE` or `CREATE INDEX`, and nothing else.
  ///
  /// What the statement would do beyond that (read a table, open a file, call a function) is refused before it runs.
  /// - Throws: `SQLiteError` when it is anything else, or when SQLite does not understand it.
  public func define(_ sql: String) throws(SQLiteError) {
    guard sql.utf8.count <= 1 << 16 else { throw error(SQLITE_TOOBIG, "define a table") }
    sqlite3_set_authorizer(
      handle,
      { _, action, _, _, _, _ in
        switch action {
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_READ, SQLITE_REINDEX:
          SQLITE_OK
        default: SQLITE_DENY
        }
      }, nil)
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    try prepare(sql, as: "define a table").run()
  }
}
