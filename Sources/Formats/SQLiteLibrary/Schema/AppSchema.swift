import SQLiteIO

/// The app's schema at one of its versions: what an empty library of that version looks like.
///
/// Made by running the app's own steps on an empty database in memory, so that text and order are SQLite's.
package struct AppSchema: Sendable {
  /// One table or index.
  struct Object: Sendable {
    let name: String
    /// The statement that makes it; nil for what SQLite makes by itself.
    let sql: String?
    let isIndex: Bool
    /// The table that it belongs to.
    let table: String
  }

  /// `2.2.0`.
  package let version: String
  /// Everything in `sqlite_schema`, in the app's order.
  let objects: [Object]
  /// The columns of each table of content, in their order.
  package let columns: [String: [String]]
  /// The steps that lead to this version, in order.
  package let steps: [String]

  /// The schema of a version.
  /// - Throws: `SQLiteError` when memory runs out.
  private init(steps count: Int) throws(SQLiteError) {
    let connection = try SQLiteConnection.inMemory()
    try connection.execute(AppMigration.listTable)
    for step in AppMigration.all.prefix(count) {
      for statement in step.statements { try connection.execute(statement, as: "make the schema of \(step.version)") }
    }
    version = AppMigration.all[count - 1].version
    steps = AppMigration.all.prefix(count).map(\.identifier)
    objects = try connection.rows("SELECT name, sql, type, tbl_name FROM sqlite_schema ORDER BY rowid").map { row in
      Object(name: row[0] ?? "", sql: row[1], isIndex: row[2] == "index", table: row[3] ?? "")
    }
    var columns: [String: [String]] = [:]
    for table in Self.contentTables where objects.contains(where: { $0.name == table }) {
      columns[table] = try connection.rows("SELECT name FROM pragma_table_info(?)", [table]).compactMap { $0[0] }
    }
    self.columns = columns
  }

  /// The schema of a version, `1.4.0`; nil when the app had no such version.
  /// - Throws: `SQLiteError` when memory runs out.
  package static func of(_ version: String) throws(SQLiteError) -> AppSchema? {
    guard let index = versions.firstIndex(of: version) else { return nil }
    return try AppSchema(steps: index + 1)
  }

  /// The newest schema that FleetKit knows.
  /// - Throws: `SQLiteError` when memory runs out.
  package static func newest() throws(SQLiteError) -> AppSchema { try AppSchema(steps: AppMigration.all.count) }

  /// The table that an index belongs to; a table is its own. Nil for what the schema does not have.
  package func table(of name: String) -> String? { objects.first { $0.name == name }?.table }

  /// The statement that makes the list of steps.
  package static var migrationList: String { AppMigration.listTable }

  /// Names and statements of everything in `sqlite_schema`, in the app's order.
  package var objectTexts: [(name: String, sql: String?)] { objects.map { ($0.name, $0.sql) } }

  /// Statements that make the tables, in the app's order; SQLite makes `sqlite_sequence` itself.
  var tables: [Object] { objects.filter { !$0.isIndex && !$0.name.hasPrefix("sqlite_") } }
  /// Indexes that have a statement.
  var indexes: [Object] { objects.filter { $0.isIndex && $0.sql != nil } }

  /// The app's migrations, in order; all of them have run in a library of the newest schema.
  package static let migrations = AppMigration.all.map(\.identifier)
  /// The app's versions, in order.
  package static let versions = AppMigration.all.map(\.version)
  /// The newest version that FleetKit knows.
  package static let newestVersion = "2.2.0"

  /// Partial indexes of the app; each lists the rows in which a column is NULL.
  static let partialIndexes: Set<String> = ["idx_sync_queue_pending"]

  /// Tables that hold content, in the order in which they can be filled.
  package static let contentTables = [
    "charters", "library_content", "checklists", "practice_guides", "checklistExecutionStates", "sync_queue",
  ]

  // MARK: Making a library

  /// Makes the tables of an empty library and lists its steps; indexes come after the rows.
  package func makeTables(_ connection: SQLiteConnection) throws(SQLiteError) {
    for object in tables {
      if let sql = object.sql { try connection.execute(sql, as: "make the table '\(object.name)'") }
    }
    let insert = try connection.prepare("INSERT INTO grdb_migrations VALUES (?)")
    for step in steps {
      insert.bind(step, at: 1)
      try insert.run()
    }
  }

  /// Makes the indexes and lists everything in the order in which the app made it; the pages stay where they are.
  package func makeIndexes(_ connection: SQLiteConnection) throws(SQLiteError) {
    for object in indexes {
      if let sql = object.sql { try connection.execute(sql, as: "make the index '\(object.name)'") }
    }
    try connection.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rowid = rowid + 1000")
    for (index, object) in objects.enumerated() {
      let update = try connection.prepare("UPDATE sqlite_schema SET rowid = ? WHERE name = ?")
      update.bind(Int64(index + 1), at: 1)
      update.bind(object.name, at: 2)
      try update.run()
    }
    try connection.execute("PRAGMA writable_schema = OFF")
  }
}
