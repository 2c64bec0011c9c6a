import SQLiteIO

/// Repairs a library's schema and migration list so that they match what the app creates for the library's version.
package enum SchemaRepair {
  /// The migrations that are missing from the migration list.
  package struct Gaps: Sendable {
    /// The migrations that are not listed although their tables and columns exist.
    package var unlisted: [String] = []
    /// The migrations that did not run although later ones did. Running them now only adds tables, columns and indexes.
    package var skipped: [String] = []
    /// The missing migrations that only the app can run.
    package var impossible: [String] = []

    /// Whether the list is complete.
    package var isEmpty: Bool { unlisted.isEmpty && skipped.isEmpty && impossible.isEmpty }
  }

  /// Compares the migration list with the existing tables.
  package static func gaps(_ connection: SQLiteConnection, _ schema: LibrarySchema) throws(SQLiteError) -> Gaps {
    let steps = try additions()
    var made = Set(schema.migrations)
    var gaps = Gaps()
    for (step, additions) in steps where !made.contains(step.identifier) {
      if try isMade(step, additions, connection, schema) {
        gaps.unlisted.append(step.identifier)
        made.insert(step.identifier)
      }
    }
    let last = AppSchema.migrations.lastIndex(where: made.contains) ?? -1
    for (index, (step, additions)) in steps.enumerated() where index < last && !made.contains(step.identifier) {
      // If only a part of a migration's additions exists, running the migration would fail.
      let isPart = additions.contains { table, columns in
        columns.contains { schema.tables[table]?.contains($0) ?? false }
      }
      if step.identifier == nullableCreator || isPart {
        gaps.impossible.append(step.identifier)
      } else {
        gaps.skipped.append(step.identifier)
      }
    }
    return gaps
  }

  private static let nullableCreator = "v1.9.0_makeCreatorIDNullable"

  private typealias Additions = [(table: String, columns: [String])]

  /// Returns the tables and columns that each migration adds. Finds them by running the migrations one after another in
  /// memory.
  private static func additions() throws(SQLiteError) -> [(AppMigration, Additions)] {
    let connection = try SQLiteConnection.inMemory()
    var known: [String: [String]] = [:]
    var steps: [(AppMigration, Additions)] = []
    for step in AppMigration.all {
      for statement in step.statements { try connection.execute(statement, as: "create the schema of \(step.version)") }
      var added: Additions = []
      for table in AppSchema.contentTables {
        let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [table]).compactMap { $0[0] }
        let new = columns.filter { !(known[table] ?? []).contains($0) }
        known[table] = columns
        if !new.isEmpty { added.append((table, new)) }
      }
      steps.append((step, added))
    }
    return steps
  }

  /// Whether all tables and columns that a migration adds exist.
  private static func isMade(
    _ step: AppMigration, _ additions: Additions, _ connection: SQLiteConnection, _ schema: LibrarySchema
  ) throws(SQLiteError) -> Bool {
    if step.identifier == nullableCreator {
      guard schema.tables["library_content"] != nil else { return false }
      return try connection.number(
        "SELECT count(*) FROM pragma_table_info('library_content') WHERE name = 'creatorID' AND NOT \"notnull\"") > 0
    }
    return additions.allSatisfy { table, columns in
      let present = schema.tables[table] ?? []
      let map = TableMaps.all.first { $0.table == table }
      return columns.allSatisfy { name in
        present.contains(name)
          || map?.columns.first { $0.column == name }?.oldColumn.map(present.contains) ?? false
      }
    }
  }

  /// Adds migrations that have run to the migration list, and runs skipped migrations.
  package static func close(_ gaps: Gaps, _ connection: SQLiteConnection, _ schema: LibrarySchema) throws(SQLiteError) {
    if schema.tables["grdb_migrations"] == nil {
      try connection.execute(AppMigration.listTable)
      // The app creates this table first.
      try connection.execute(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET rowid = rowid + 1000 WHERE tbl_name <> 'grdb_migrations';
        UPDATE sqlite_schema SET rowid = rowid - (SELECT min(rowid) FROM sqlite_schema WHERE tbl_name = 'grdb_migrations') + 1
          WHERE tbl_name = 'grdb_migrations';
        PRAGMA writable_schema = RESET
        """, as: "list the migrations")
    }
    for step in AppMigration.all where gaps.skipped.contains(step.identifier) {
      for statement in step.statements { try connection.execute(statement, as: "run the migration \(step.identifier)") }
    }
    let listed = Set(schema.migrations + gaps.unlisted + gaps.skipped)
    let order = AppSchema.migrations.filter(listed.contains) + schema.unknownMigrations
    try connection.execute("DELETE FROM grdb_migrations")
    let insert = try connection.prepare("INSERT INTO grdb_migrations (identifier) VALUES (?)")
    for identifier in order {
      insert.bind(identifier, at: 1)
      try insert.run()
    }
  }

  /// Renames an early build's queue columns to their current names. If nothing else differs, the table's SQL is also
  /// replaced with the app's own.
  package static func renameQueueColumns(_ connection: SQLiteConnection, _ schema: LibrarySchema) throws(SQLiteError) {
    let present = schema.tables["sync_queue"] ?? []
    for column in TableMaps.queue.columns {
      guard let old = column.oldColumn, present.contains(old), !present.contains(column.column) else { continue }
      try connection.execute(
        "ALTER TABLE sync_queue RENAME COLUMN \(RowCursor.quoted(old)) TO \(RowCursor.quoted(column.column))",
        as: "rename a column of the queue")
    }
    guard let version = schema.version, let app = try AppSchema.of(version),
      try connection.rows("SELECT name FROM pragma_table_info('sync_queue')").compactMap({ $0[0] })
        == app.columns["sync_queue"]
    else { return }
    // The rows and both indexes are already correct. Only the SQL differs.
    try connection.execute("PRAGMA writable_schema = ON")
    let update = try connection.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = ? AND sql IS NOT NULL")
    for object in app.objects where object.table == "sync_queue" {
      guard let sql = object.sql else { continue }
      update.bind(sql, at: 1)
      update.bind(object.name, at: 2)
      try update.run()
    }
    let cookie = try connection.number("PRAGMA schema_version")
    try connection.execute("PRAGMA schema_version = \(cookie + 1); PRAGMA writable_schema = RESET")
  }

  /// Replaces ids that are not text, or not UTF-8, with text that can be looked up.
  package static func makeIDsText(_ connection: SQLiteConnection, _ schema: LibrarySchema) throws(SQLiteError) {
    for table in AppSchema.contentTables where table != "sync_queue" && schema.tables[table]?.contains("id") ?? false {
      let name = RowCursor.quoted(table)
      let select = try connection.prepare("SELECT rowid, id FROM \(name) WHERE typeof(id) <> 'null'")
      var odd: [(Int64, String)] = []
      while try select.step() {
        let isText = select.storage(at: 1) == .text
        let text = select.text(at: 1) ?? ""
        if !isText || !text.utf8.elementsEqual(select.bytes(at: 1)) { odd.append((select.integer(at: 0), text)) }
      }
      for (row, text) in odd {
        let update = try connection.prepare("UPDATE OR IGNORE \(name) SET id = ? WHERE rowid = ?")
        update.bind(text, at: 1)
        update.bind(row, at: 2)
        try update.run()
      }
    }
  }
}
