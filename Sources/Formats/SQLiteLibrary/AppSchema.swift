import Content
import Diagnostics
import Interchange
import SQLiteIO

/// The app's schema in one of its versions, as found in an empty library of that version.
///
/// It is built by running the app's own migrations on an empty database in memory, so that SQLite itself produces the
/// SQL text and the order of the objects.
package struct AppSchema: Sendable {
  /// One table or index.
  struct Object: Sendable {
    let name: String
    /// The statement that creates the object; nil for objects that SQLite creates itself.
    let sql: String?
    let isIndex: Bool
    /// The table that the object belongs to.
    let table: String
  }

  /// The version, such as `2.2.0`.
  package let version: String
  /// The objects in `sqlite_schema`, in the app's order.
  let objects: [Object]
  /// The columns of each content table, in order.
  package let columns: [String: [String]]
  /// The migrations up to this version, in order.
  package let steps: [String]

  /// Builds the schema of a version.
  /// - Throws: `SQLiteError` if memory runs out.
  private init(steps count: Int) throws(SQLiteError) {
    let connection = try SQLiteConnection.inMemory()
    try connection.execute(AppMigration.listTable)
    for step in AppMigration.all.prefix(count) {
      for statement in step.statements { try connection.execute(statement, as: "create the schema of \(step.version)") }
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

  /// Returns the schema of a version such as `1.4.0`; nil if the app never had this version.
  /// - Throws: `SQLiteError` if memory runs out.
  package static func of(_ version: String) throws(SQLiteError) -> AppSchema? {
    guard let index = versions.firstIndex(of: version) else { return nil }
    return try AppSchema(steps: index + 1)
  }

  /// Returns the newest schema that FleetKit supports.
  /// - Throws: `SQLiteError` if memory runs out.
  package static func newest() throws(SQLiteError) -> AppSchema { try AppSchema(steps: AppMigration.all.count) }

  /// Returns the table that an index belongs to, or the table itself for a table name. Returns nil for names that are
  /// not in the schema.
  package func table(of name: String) -> String? { objects.first { $0.name == name }?.table }

  /// The statement that creates the migration list.
  package static var migrationList: String { AppMigration.listTable }

  /// The name and statement of each object in `sqlite_schema`, in the app's order.
  package var objectTexts: [(name: String, sql: String?)] { objects.map { ($0.name, $0.sql) } }

  /// The tables, in the app's order, without `sqlite_sequence`, which SQLite creates itself.
  var tables: [Object] { objects.filter { !$0.isIndex && !$0.name.hasPrefix("sqlite_") } }
  /// The indexes that have a statement.
  var indexes: [Object] { objects.filter { $0.isIndex && $0.sql != nil } }

  /// The app's migrations, in order. In a library with the newest schema, all of them have run.
  package static let migrations = AppMigration.all.map(\.identifier)
  /// The app's versions, in order.
  package static let versions = AppMigration.all.map(\.version)
  /// The newest version that FleetKit supports.
  package static let newestVersion = "2.2.0"

  /// The app's partial indexes. Each contains the rows in which a column is NULL.
  static let partialIndexes: Set<String> = ["idx_sync_queue_pending"]

  /// The tables that hold content, in the order in which they can be filled.
  package static let contentTables = [
    "charters", "library_content", "checklists", "practice_guides", "checklistExecutionStates", "sync_queue",
  ]

  // MARK: Creating a library

  /// Creates an empty library's tables and fills its migration list. Indexes are created later, after the rows.
  package func makeTables(_ connection: SQLiteConnection) throws(SQLiteError) {
    for object in tables {
      if let sql = object.sql { try connection.execute(sql, as: "create the table '\(object.name)'") }
    }
    let insert = try connection.prepare("INSERT INTO grdb_migrations VALUES (?)")
    for step in steps {
      insert.bind(step, at: 1)
      try insert.run()
    }
  }

  /// Creates the indexes and sorts `sqlite_schema` into the order in which the app creates its objects. Pages are not
  /// moved.
  package func makeIndexes(_ connection: SQLiteConnection) throws(SQLiteError) {
    for object in indexes {
      if let sql = object.sql { try connection.execute(sql, as: "create the index '\(object.name)'") }
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

/// One of the app's migrations: its identifier and its statements.
///
/// Running the first *n* migrations on an empty database creates the schema of that version, with the app's SQL and in
/// the app's order. Tests compare every version with files that the app wrote.
/// - Source: `sqlite_schema` of libraries of every version; formats/sqlite-library.md, "Schema"
struct AppMigration {
  /// The identifier in `grdb_migrations`.
  let identifier: String
  /// The migration's schema changes, in order.
  let statements: [String]

  /// `1.4.0`.
  var version: String { LibrarySchema.version(identifier) }

  init(_ identifier: String, _ statements: String...) {
    self.identifier = identifier
    self.statements = statements
  }

  /// The statement that creates the list of migrations that have run.
  static let listTable = "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"

  /// All migrations, in order.
  static let all = [
    AppMigration(
      "v1.0.0_createInitialSchema",
      #"""
      CREATE TABLE "charters" ("id" TEXT PRIMARY KEY NOT NULL, "name" TEXT NOT NULL, "boatName" TEXT, "location" TEXT, "startDate" DATETIME NOT NULL, "endDate" DATETIME NOT NULL, "checkInChecklistID" TEXT, "createdAt" DATETIME NOT NULL, "updatedAt" DATETIME NOT NULL, "syncStatus" TEXT NOT NULL DEFAULT 'pending')
      """#,
      #"CREATE INDEX "idx_charters_startDate" ON "charters"("startDate")"#),
    AppMigration(
      "v1.1.0_createLibrarySchema",
      #"""
      CREATE TABLE "library_content" ("id" TEXT PRIMARY KEY NOT NULL, "title" TEXT NOT NULL, "description" TEXT, "type" TEXT NOT NULL, "visibility" TEXT NOT NULL DEFAULT 'private', "creatorID" TEXT NOT NULL, "forkedFromID" TEXT, "forkCount" INTEGER NOT NULL DEFAULT 0, "ratingAverage" DOUBLE, "ratingCount" INTEGER NOT NULL DEFAULT 0, "tags" TEXT NOT NULL DEFAULT '[]', "language" TEXT NOT NULL DEFAULT 'en', "createdAt" DATETIME NOT NULL, "updatedAt" DATETIME NOT NULL, "syncStatus" TEXT NOT NULL DEFAULT 'pending')
      """#,
      #"""
      CREATE TABLE "checklists" ("id" TEXT PRIMARY KEY NOT NULL, "title" TEXT NOT NULL, "description" TEXT, "checklistType" TEXT NOT NULL DEFAULT 'general', "tags" TEXT NOT NULL DEFAULT '[]', "content" TEXT NOT NULL DEFAULT '[]', "creatorID" TEXT NOT NULL, "createdAt" DATETIME NOT NULL, "updatedAt" DATETIME NOT NULL, "syncStatus" TEXT NOT NULL DEFAULT 'pending')
      """#,
      #"CREATE INDEX "idx_library_content_creator" ON "library_content"("creatorID")"#,
      #"CREATE INDEX "idx_library_content_type" ON "library_content"("type")"#,
      #"CREATE INDEX "idx_library_content_updated" ON "library_content"("updatedAt")"#,
      #"CREATE INDEX "idx_checklists_creator" ON "checklists"("creatorID")"#,
      #"CREATE INDEX "idx_checklists_updated" ON "checklists"("updatedAt")"#),
    AppMigration(
      "v1.2.0_createChecklistExecutionSchema",
      #"""
      CREATE TABLE "checklistExecutionStates" ("id" TEXT PRIMARY KEY NOT NULL, "checklistID" TEXT NOT NULL, "charterID" TEXT NOT NULL, "itemStates" TEXT NOT NULL DEFAULT '{}', "progressPercentage" REAL, "createdAt" DATETIME NOT NULL, "lastUpdated" DATETIME NOT NULL, "completedAt" DATETIME, "syncStatus" TEXT NOT NULL DEFAULT 'pending', UNIQUE ("checklistID", "charterID"), FOREIGN KEY ("charterID") REFERENCES "charters"("id") ON DELETE CASCADE ON UPDATE CASCADE)
      """#,
      #"CREATE INDEX "idx_executionStates_charter" ON "checklistExecutionStates"("charterID")"#,
      #"CREATE INDEX "idx_executionStates_checklist" ON "checklistExecutionStates"("checklistID")"#,
      #"CREATE INDEX "idx_executionStates_updated" ON "checklistExecutionStates"("lastUpdated")"#),
    AppMigration(
      "v1.3.0_addPinnedColumnsToLibrary",
      #"ALTER TABLE "library_content" ADD COLUMN "isPinned" INTEGER NOT NULL DEFAULT 0"#,
      #"ALTER TABLE "library_content" ADD COLUMN "pinnedOrder" INTEGER"#,
      #"CREATE INDEX "idx_library_content_pinned" ON "library_content"("isPinned", "pinnedOrder", "updatedAt")"#),
    AppMigration(
      "v1.4.0_createPracticeGuidesTable",
      #"""
      CREATE TABLE "practice_guides" ("id" TEXT PRIMARY KEY NOT NULL, "title" TEXT NOT NULL, "description" TEXT, "markdown" TEXT NOT NULL DEFAULT '', "tags" TEXT NOT NULL DEFAULT '[]', "creatorID" TEXT NOT NULL, "createdAt" DATETIME NOT NULL, "updatedAt" DATETIME NOT NULL, "syncStatus" TEXT NOT NULL DEFAULT 'pending')
      """#,
      #"CREATE INDEX "idx_practice_guides_creator" ON "practice_guides"("creatorID")"#,
      #"CREATE INDEX "idx_practice_guides_updated" ON "practice_guides"("updatedAt")"#),
    AppMigration(
      "v1.5.0_addVisibilityFields",
      #"ALTER TABLE "library_content" ADD COLUMN "publishedAt" DATETIME"#,
      #"ALTER TABLE "library_content" ADD COLUMN "publicID" TEXT"#,
      #"ALTER TABLE "library_content" ADD COLUMN "publicMetadata" TEXT"#),
    AppMigration(
      "v1.6.0_createSyncQueueTable",
      #"""
      CREATE TABLE "sync_queue" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "contentID" TEXT NOT NULL, "operation" TEXT NOT NULL, "visibilityState" TEXT NOT NULL, "payload" TEXT, "createdAt" DATETIME NOT NULL, "retryCount" INTEGER NOT NULL DEFAULT 0, "lastError" TEXT, "syncedAt" DATETIME, FOREIGN KEY ("contentID") REFERENCES "library_content"("id") ON DELETE CASCADE)
      """#,
      "CREATE INDEX idx_sync_queue_pending\n    ON sync_queue(createdAt)\n    WHERE syncedAt IS NULL",
      #"CREATE INDEX "idx_sync_queue_content" ON "sync_queue"("contentID")"#),
    AppMigration(
      "v1.7.0_addForkAttributionColumns",
      #"ALTER TABLE "library_content" ADD COLUMN "originalAuthorUsername" TEXT"#,
      #"ALTER TABLE "library_content" ADD COLUMN "originalContentPublicID" TEXT"#),
    AppMigration(
      "v1.8.0_addCharterSyncAndGeoFields",
      #"ALTER TABLE "charters" ADD COLUMN "serverID" TEXT"#,
      #"ALTER TABLE "charters" ADD COLUMN "visibility" TEXT NOT NULL DEFAULT 'private'"#,
      #"ALTER TABLE "charters" ADD COLUMN "needsSync" BOOLEAN NOT NULL DEFAULT 0"#,
      #"ALTER TABLE "charters" ADD COLUMN "lastSyncedAt" DATETIME"#,
      #"ALTER TABLE "charters" ADD COLUMN "latitude" DOUBLE"#,
      #"ALTER TABLE "charters" ADD COLUMN "longitude" DOUBLE"#,
      #"ALTER TABLE "charters" ADD COLUMN "locationPlaceID" TEXT"#,
      #"CREATE INDEX "idx_charters_visibility" ON "charters"("visibility")"#),
    nullableCreators,
    AppMigration(
      "v2.0.0_addNextRetryAtToSyncQueue", #"ALTER TABLE "sync_queue" ADD COLUMN "nextRetryAt" DATETIME"#),
    AppMigration(
      "v2.1.0_addOriginalAuthorUserId", #"ALTER TABLE "library_content" ADD COLUMN "originalAuthorUserId" TEXT"#),
    AppMigration(
      "v2.2.0_addOnBehalfOfVirtualCaptainToCharters",
      #"ALTER TABLE "charters" ADD COLUMN "onBehalfOfVirtualCaptainID" TEXT"#),
  ]

  /// The migration that makes the creator optional. It recreates three tables.
  private static let nullableCreators = AppMigration(
    "v1.9.0_makeCreatorIDNullable",
    "DROP TABLE library_content",
    #"""
    CREATE TABLE "library_content" (
            id TEXT NOT NULL PRIMARY KEY,
            title TEXT NOT NULL,
            description TEXT,
            type TEXT NOT NULL,
            visibility TEXT NOT NULL DEFAULT 'private',
            creatorID TEXT,
            forkedFromID TEXT,
            forkCount INTEGER NOT NULL DEFAULT 0,
            ratingAverage REAL,
            ratingCount INTEGER NOT NULL DEFAULT 0,
            tags TEXT NOT NULL DEFAULT '[]',
            language TEXT NOT NULL DEFAULT 'en',
            isPinned INTEGER NOT NULL DEFAULT 0,
            pinnedOrder INTEGER,
            createdAt DATETIME NOT NULL,
            updatedAt DATETIME NOT NULL,
            syncStatus TEXT NOT NULL DEFAULT 'pending',
            publishedAt DATETIME,
            publicID TEXT,
            publicMetadata TEXT,
            originalAuthorUsername TEXT,
            originalContentPublicID TEXT
        )
    """#,
    "CREATE INDEX idx_library_content_creator ON library_content (creatorID)",
    "CREATE INDEX idx_library_content_type ON library_content (type)",
    "CREATE INDEX idx_library_content_updated ON library_content (updatedAt)",
    "CREATE INDEX idx_library_content_pinned ON library_content (isPinned, pinnedOrder, updatedAt)",
    "DROP TABLE checklists",
    #"""
    CREATE TABLE "checklists" (
            id TEXT NOT NULL PRIMARY KEY,
            title TEXT NOT NULL,
            description TEXT,
            checklistType TEXT NOT NULL DEFAULT 'general',
            tags TEXT NOT NULL DEFAULT '[]',
            content TEXT NOT NULL DEFAULT '[]',
            creatorID TEXT,
            createdAt DATETIME NOT NULL,
            updatedAt DATETIME NOT NULL,
            syncStatus TEXT NOT NULL DEFAULT 'pending'
        )
    """#,
    "CREATE INDEX idx_checklists_creator ON checklists (creatorID)",
    "CREATE INDEX idx_checklists_updated ON checklists (updatedAt)",
    "DROP TABLE practice_guides",
    #"""
    CREATE TABLE "practice_guides" (
            id TEXT NOT NULL PRIMARY KEY,
            title TEXT NOT NULL,
            description TEXT,
            markdown TEXT NOT NULL DEFAULT '',
            tags TEXT NOT NULL DEFAULT '[]',
            creatorID TEXT,
            createdAt DATETIME NOT NULL,
            updatedAt DATETIME NOT NULL,
            syncStatus TEXT NOT NULL DEFAULT 'pending'
        )
    """#,
    "CREATE INDEX idx_practice_guides_creator ON practice_guides (creatorID)",
    "CREATE INDEX idx_practice_guides_updated ON practice_guides (updatedAt)")
}

/// The kind of value in one of the app's columns.
package enum ColumnKind: Sendable {
  /// The row's id.
  case id
  /// The id of another record.
  case reference
  case text
  /// A value from a closed list. Other values are kept and reported.
  case choice([String], fallback: String)
  case date
  case bool
  case integer
  case real
  /// A JSON array of strings.
  case tags
  /// The sections of a checklist.
  case sections
  /// The ticks of an execution.
  case itemStates
  /// The metadata that the app stores about a publication.
  case publicMetadata
  /// The payload of a queued operation.
  case payload

  /// Returns the kind of a member's column; nil for members without a column.
  fileprivate init?(_ member: ShapeMember, _ column: Field.Column) {
    if let choices = column.choices {
      self = .choice(choices.values, fallback: choices.fallback)
      return
    }
    switch member.kind {
    case .recordID, .innerIdentifier: self = .id
    case .identifier: self = .reference
    case .text, .contentType: self = .text
    case .date, .tickTime: self = .date
    case .bool: self = .bool
    case .integer: self = .integer
    case .number: self = .real
    case .strings: self = .tags
    case .objects: self = .sections
    case .states: self = .itemStates
    case .object: self = .publicMetadata
    case .payload: self = .payload
    case .document, .extras, .any: return nil
    }
  }
}

/// A table column and its member in bundles.
package struct ColumnMap: Sendable {
  /// The column's name in the app.
  package let column: String
  /// The column's name in an early build, if it differs.
  package let oldColumn: String?
  /// The member's name in the record or document.
  package let member: String
  package let kind: ColumnKind
  /// Whether the app's schema allows NULL.
  package let nullable: Bool
  /// The value, as JSON, that is used for a library that is older than the column.
  package let absent: String

  /// Creates the map for a member's column; returns nil for a member without a column.
  fileprivate init?(_ member: ShapeMember) {
    guard let column = member.field.column, let kind = ColumnKind(member, column) else { return nil }
    self.column = column.name
    oldColumn = column.oldName
    self.member = member.nameText
    self.kind = kind
    nullable = column.isNullable
    absent = String(decoding: member.literal, as: UTF8.self)
  }
}

/// One of the app's tables and the shape of its rows in bundles. The columns are in the order of the bundle's members.
package struct TableMap: Sendable {
  package let table: String
  package let columns: [ColumnMap]

  package init(table: String, columns: [ColumnMap]) {
    self.table = table
    self.columns = columns
  }

  /// Creates the map for a table whose columns hold the members of a shape.
  fileprivate init(_ table: String, _ shape: Shape) {
    self.init(table: table, columns: shape.members.compactMap { ColumnMap($0) })
  }

  /// Returns the column whose member is `name`, or nil.
  package func column(ofMember name: String) -> ColumnMap? { columns.first { $0.member == name } }
}

/// The app's six tables.
///
/// - Source: formats/sqlite-library.md, "Tables"
package enum TableMaps {
  package static let charters = TableMap("charters", Shapes.charter)
  package static let content = TableMap("library_content", Shapes.item)
  package static let checklists = TableMap("checklists", Shapes.checklist)
  package static let practiceGuides = TableMap("practice_guides", Shapes.practiceGuide)
  package static let executions = TableMap("checklistExecutionStates", Shapes.execution)
  package static let queue = TableMap("sync_queue", Shapes.syncOperation)

  package static let all = [charters, content, checklists, practiceGuides, executions, queue]
}

/// The tables and columns that a library actually has, regardless of its migrations.
package struct LibrarySchema: Sendable {
  /// The columns of each existing table, in order.
  package let tables: [String: [String]]
  /// The tables that are not in the app's schema.
  package let unknownTables: [String]
  /// Generated columns and computed indexes, which the app never creates: `column 'total' of 'charters'`. They are not
  /// read. A library that has them is not written to, because SQLite would evaluate expressions from an unknown author.
  package let computed: [(table: String, what: String)]
  /// The migrations that have run, in order.
  package let migrations: [String]

  /// The newest schema version whose migration has run, such as `1.4.0`; nil if no migration has run.
  package var version: String? {
    AppSchema.migrations.last { migrations.contains($0) }.map(Self.version)
  }

  /// The migrations that this version of FleetKit does not recognize.
  package var unknownMigrations: [String] { migrations.filter { !AppSchema.migrations.contains($0) } }

  /// Whether a newer version of the app wrote the library.
  package var isNewer: Bool { !unknownMigrations.isEmpty }

  /// Returns the version part of a migration's identifier: `1.4.0` for `v1.4.0_createPracticeGuidesTable`.
  package static func version(_ migration: String) -> String {
    String(migration.prefix { $0 != "_" }.drop { $0 == "v" })
  }

  /// Whether the queue has the column names of an early build.
  package var hasOldQueue: Bool {
    guard let columns = tables["sync_queue"] else { return false }
    return columns.contains("content_id") && !columns.contains("contentID")
  }

  /// Reads the schema of an open library.
  /// - Throws: `RunFailure` if the database is not a library or cannot be trusted, `SQLiteError` if it cannot be
  ///   read.
  package static func read(_ connection: SQLiteConnection, file: String) throws -> LibrarySchema {
    let objects = try SchemaObjects(connection)
    if let other = objects.others.first {
      throw RunFailure(
        .failed, "read library '\(file)': it has a \(other.kind) '\(other.name)', which the app never creates; refused",
        advice: "It could hide or change the library's content. If you know its purpose, remove it.")
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
        .failed, "read library '\(file)': this is an SQLite database, but not AnyFleet's library (no table 'charters')",
        advice: "Check that it is the app's anyfleet.sqlite."
          + (objects.tables.isEmpty ? " It has no tables; copy '\(name)-wal' and '\(name)-journal' as well." : ""))
    }
    var migrations: [String] = []
    if tables["grdb_migrations"]?.contains("identifier") ?? false {
      migrations = try connection.rows("SELECT identifier FROM grdb_migrations ORDER BY rowid").compactMap { $0[0] }
    }
    return LibrarySchema(tables: tables, unknownTables: unknown, computed: computed, migrations: migrations)
  }

  /// Refuses a library for which SQLite would evaluate foreign expressions whenever a row changes.
  /// - Parameter doing: the beginning of the error message, such as `change library 'x.sqlite'`.
  /// - Throws: `RunFailure` with status 4.
  package func refuseComputed(_ doing: String) throws {
    guard let first = computed.first else { return }
    throw RunFailure(
      .refused, "\(doing): it has \(first.what), which the app never creates; nothing was changed",
      advice: "SQLite would evaluate it at every change. If you know its purpose, remove it. "
        + "FleetKit ignores it when it reads the library.")
  }

  /// Reports the findings about the schema itself.
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

  /// Returns the unknown columns of a table.
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
      messages.append("practice_guides exists, but its migration is not listed")
    }
    if tables["sync_queue"] != nil, !migrations.contains("v1.6.0_createSyncQueueTable"), missing.isEmpty {
      messages.append("sync_queue exists, but its migration is not listed")
    }
    for message in messages {
      log.report(Diagnostic(.migrationsIncomplete, message, at: Place(file: file + "#grdb_migrations")))
    }
  }

  /// Refuses a library that does not have the newest schema. Every table is compared.
  /// - Parameters:
  ///   - doing: the beginning of error messages, such as `import into 'x.sqlite'`.
  ///   - path: the library's path as the user typed it.
  ///   - outcome: the end of error messages, such as `nothing was imported`.
  /// - Throws: `RunFailure`: 6 if a newer version of the app wrote the library, 4 if the library is older or lacks
  ///   a column.
  package func demandNewest(_ doing: String, _ path: String, outcome: String) throws {
    if isNewer {
      throw RunFailure(
        .newer, "\(doing): a newer version of the app wrote it (\(unknownMigrations.joined(separator: ", ")))",
        advice: "Update FleetKit.")
    }
    if version != AppSchema.newestVersion {
      throw RunFailure(
        .refused,
        "\(doing): its schema is \(version.map { "v\($0)" } ?? "unknown"), but the newest is "
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
