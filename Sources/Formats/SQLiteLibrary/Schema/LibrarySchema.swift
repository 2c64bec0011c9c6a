import Diagnostics
import Interchange
import SQLiteIO

/// Which tables and columns a library really has, whatever its migrations say.
package struct LibrarySchema: Sendable {
  /// The columns of each table that is there, in their order.
  package let tables: [String: [String]]
  /// Tables that the app's schema does not have.
  package let unknownTables: [String]
  /// Generated columns and computed indexes, which the app never makes: `column 'total' of 'charters'`. They are not
  /// read, and such a library is not written to, because SQLite would evaluate what its maker wrote.
  package let computed: [(table: String, what: String)]
  /// Migrations that have run, in order.
  package let migrations: [String]

  /// The newest schema version whose migration has run, `1.4.0`; nil when none has.
  package var version: String? {
    AppSchema.migrations.last { migrations.contains($0) }.map(Self.version)
  }

  /// Migrations that this FleetKit does not know.
  package var unknownMigrations: [String] { migrations.filter { !AppSchema.migrations.contains($0) } }

  /// Whether a newer app wrote the library.
  package var isNewer: Bool { !unknownMigrations.isEmpty }

  /// `v1.4.0_createPracticeGuidesTable` → `1.4.0`.
  package static func version(_ migration: String) -> String {
    String(migration.prefix { $0 != "_" }.drop { $0 == "v" })
  }

  /// Whether the queue has the column names of an early build.
  package var hasOldQueue: Bool {
    guard let columns = tables["sync_queue"] else { return false }
    return columns.contains("content_id") && !columns.contains("contentID")
  }

  /// Looks at an open library.
  /// - Throws: `SQLiteError` when it cannot be read, `RunFailure` when it is no library or not to be trusted.
  package static func read(_ connection: SQLiteConnection, file: String) throws -> LibrarySchema {
    let objects = try SchemaObjects(connection)
    if let other = objects.others.first {
      throw RunFailure(
        .failed, "read library '\(file)': it has a \(other.kind) '\(other.name)', which the app never makes; refused",
        advice: "It could show other content than the library holds, or change it. Remove it if you know it.")
    }
    var tables: [String: [String]] = [:]
    var unknown: [String] = []
    var computed: [(table: String, what: String)] = []
    for table in objects.tables where !table.name.hasPrefix("sqlite_") {
      tables[table.name] = table.columns
      if table.name != "grdb_migrations", !AppSchema.contentTables.contains(table.name) { unknown.append(table.name) }
      computed += table.generated.map { (table.name, "the generated column '\($0)' of '\(table.name)'") }
    }
    for index in objects.computedIndexes where !(index.isNullTest && AppSchema.partialIndexes.contains(index.name)) {
      computed.append((index.table, "the index '\(index.name)' of '\(index.table)', which is partial or computed"))
    }
    guard AppSchema.contentTables.contains(where: { tables[$0] != nil }) else {
      let name = file.split(separator: "/").last ?? ""
      throw RunFailure(
        .failed, "read library '\(file)': this is an SQLite database, but no AnyFleet library (no table 'charters')",
        advice: "Check that it is the app's anyfleet.sqlite."
          + (objects.tables.isEmpty ? " It has no tables at all: copy '\(name)-wal' and '\(name)-journal', too." : ""))
    }
    var migrations: [String] = []
    if tables["grdb_migrations"]?.contains("identifier") ?? false {
      migrations = try connection.rows("SELECT identifier FROM grdb_migrations ORDER BY rowid").compactMap { $0[0] }
    }
    return LibrarySchema(tables: tables, unknownTables: unknown, computed: computed, migrations: migrations)
  }

  /// Refuses a library for which SQLite would evaluate what its maker wrote whenever a row changes.
  /// - Parameter doing: what the error begins with: `change library 'x.sqlite'`.
  /// - Throws: `RunFailure` with status 4.
  package func refuseComputed(_ doing: String) throws {
    guard let first = computed.first else { return }
    throw RunFailure(
      .refused, "\(doing): it has \(first.what), which the app never makes; nothing was changed",
      advice: "SQLite would evaluate it at every change. Remove it if you know it; reading the library ignores it.")
  }

  /// Findings about the schema itself.
  package func report(to log: DiagnosticLog, file: String) {
    func place(_ table: String, _ id: String = "", _ column: String? = nil) -> Place {
      Place(file: file, row: Place.Row(table: table, id: id, column: column))
    }
    if isNewer {
      log.report(
        Diagnostic(
          .newerLibrary, "unknown migrations: \(unknownMigrations.joined(separator: ", "))",
          at: place("grdb_migrations", unknownMigrations[0])))
    }
    for table in unknownTables {
      log.report(Diagnostic(.unknownTable, "the table '\(table)' is unknown", at: Place(file: file + "#" + table)))
    }
    for (table, what) in computed {
      log.report(Diagnostic(.computedSchema, "\(what) is not read", at: Place(file: file + "#" + table)))
    }
    for map in TableMaps.all {
      for column in unknownColumns(map) {
        log.report(
          Diagnostic(
            .unknownColumn, "the column '\(column)' of '\(map.table)' is unknown",
            at: Place(file: "\(file)#\(map.table)/*/\(column)")))
      }
    }
    for map in TableMaps.all {
      guard let columns = tables[map.table] else { continue }
      for column in map.columns where !column.nullable && column.absent == "null" {
        if columns.contains(column.column) || column.oldColumn.map(columns.contains) ?? false { continue }
        log.report(
          Diagnostic(
            .columnMissing, "'\(map.table)' has no column '\(column.column)'",
            at: Place(file: "\(file)#\(map.table)/*/\(column.column)")))
      }
    }
    if hasOldQueue {
      log.report(
        Diagnostic(
          .queueColumnsSnakeCase, "the queue's columns are \(tables["sync_queue"]?.joined(separator: ", ") ?? "")",
          at: Place(file: file + "#sync_queue")))
    }
    reportGaps(to: log, file: file)
  }

  /// The unknown columns of a table.
  package func unknownColumns(_ map: TableMap) -> [String] {
    (tables[map.table] ?? []).filter { name in
      !map.columns.contains { $0.column == name || $0.oldColumn == name }
    }
  }

  private func reportGaps(to log: DiagnosticLog, file: String) {
    let known = AppSchema.migrations.filter { migrations.contains($0) }
    let expected = Array(AppSchema.migrations.prefix(known.count))
    let missing = expected.filter { !known.contains($0) }
    var messages: [String] = []
    if !missing.isEmpty { messages.append("not listed: \(missing.joined(separator: ", "))") }
    let hasGuides = tables["practice_guides"] != nil
    if hasGuides, !migrations.contains("v1.4.0_createPracticeGuidesTable"), missing.isEmpty {
      messages.append("practice_guides is there, its migration is not listed")
    }
    if tables["sync_queue"] != nil, !migrations.contains("v1.6.0_createSyncQueueTable"), missing.isEmpty {
      messages.append("sync_queue is there, its migration is not listed")
    }
    for message in messages {
      log.report(Diagnostic(.migrationsIncomplete, message, at: Place(file: file + "#grdb_migrations")))
    }
  }

  /// Refuses a library that is not of today's schema, table by table.
  /// - Parameters:
  ///   - doing: what errors begin with: `import into 'x.sqlite'`.
  ///   - path: the library as the user named it.
  ///   - outcome: what to say about the rest: `nothing was imported`.
  /// - Throws: `RunFailure`: 6 when a newer app wrote it, 4 when it is older or lacks a column.
  package func demandNewest(_ doing: String, _ path: String, outcome: String) throws {
    if isNewer {
      throw RunFailure(
        .newer, "\(doing): a newer app wrote it (\(unknownMigrations.joined(separator: ", ")))",
        advice: "Update FleetKit.")
    }
    if version != AppSchema.newestVersion {
      throw RunFailure(
        .refused,
        "\(doing): its schema is \(version.map { "v\($0)" } ?? "of no version"), today's is "
          + "v\(AppSchema.newestVersion); \(outcome)",
        advice: "Run 'fleetkit migrate \(path)' first.")
    }
    let newest: AppSchema
    do { newest = try AppSchema.newest() } catch { throw WritableLibrary.failure(error, path) }
    for table in AppSchema.contentTables {
      let columns = newest.columns[table] ?? []
      guard let missing = columns.first(where: { !(tables[table] ?? []).contains($0) }) else { continue }
      throw RunFailure(
        .refused, "\(doing): '\(table)' has no column '\(missing)'; \(outcome)",
        advice: "Run 'fleetkit doctor \(path)'.")
    }
  }
}
