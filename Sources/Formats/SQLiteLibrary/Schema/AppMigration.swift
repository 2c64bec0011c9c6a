/// One step of the app's own migrator: what it is called and what it runs, statement for statement.
///
/// Running the first *n* steps on an empty database gives the schema of that version, text for text and in the
/// app's order (tests compare every version with files that the app wrote).
/// - Source: `sqlite_schema` of libraries of every version; formats/sqlite-library.md, "Schema"
struct AppMigration {
  /// The name in `grdb_migrations`.
  let identifier: String
  /// What the step does to the schema, in order.
  let statements: [String]

  /// `1.4.0`.
  var version: String { LibrarySchema.version(identifier) }

  init(_ identifier: String, _ statements: String...) {
    self.identifier = identifier
    self.statements = statements
  }

  /// The list of steps that have run.
  static let listTable = "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"

  /// All steps, in order.
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

  /// The step that lets nobody be the creator: the app makes three tables anew.
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
