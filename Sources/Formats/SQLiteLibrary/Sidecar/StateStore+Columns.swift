import SQLiteIO

/// Columns that stores of older versions lack; those versions pass over them, and what they write over is told by
/// `bases`, whose entries name the hash that they belong to.
extension StateStore {
  /// Adds what is missing.
  static func addColumns(_ connection: SQLiteConnection) throws(SQLiteError) {
    for (table, columns) in columns {
      let known = Set(try connection.rows("SELECT name FROM pragma_table_info('\(table)')").compactMap { $0[0] })
      for (name, type) in columns where !known.contains(name) {
        try connection.execute("ALTER TABLE \(table) ADD COLUMN \(name) \(type)", as: "extend the store")
      }
    }
    try connection.execute(baseTable, as: "extend the store")
  }

  /// The library's id, which is made once.
  static func giveID(_ connection: SQLiteConnection) throws(SQLiteError) -> String? {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS library_id (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)",
      as: "extend the store")
    if let id = try LibraryID.read(connection) { return id }
    try connection.execute(
      "INSERT OR IGNORE INTO library_id VALUES (1, lower(hex(randomblob(8))))", as: "extend the store")
    return try LibraryID.read(connection)
  }

  private static let columns: [(table: String, columns: [(name: String, type: String)])] = [
    (
      "runs",
      [
        // When it ended, in UTC; null while it runs, and for one that was interrupted.
        ("finished", "TEXT"),
        // What became of the records, as a JSON object.
        ("counts", "TEXT"),
        // What the run was asked to do, as a JSON object: enough to do it again.
        ("request", "TEXT"),
        // The time that stood in for times that the source did not say, RFC 3339 with milliseconds.
        ("now", "TEXT"),
      ]
    ),
    (
      "ledger",
      [
        // Where the text is that the next import merges against: `bases.id * 65536 + its number in the block`.
        ("base", "INTEGER"), ("old_base", "INTEGER"), ("old_target", "TEXT"),
      ]
    ),
  ]

  /// Texts of the last import, in blocks of some hundred: packed as one frame each.
  private static let baseTable = """
    CREATE TABLE IF NOT EXISTS bases (
      id INTEGER PRIMARY KEY, run INTEGER NOT NULL, count INTEGER NOT NULL, block BLOB NOT NULL)
    """
}
