/// The schema of the app's newest library, text for text and in the order in which the app makes it.
///
/// - Source: `sqlite_schema` of a library that the app made; formats/sqlite-library.md, "Schema"
enum AppSchema {
  /// One table or index.
  struct Object {
    let name: String
    /// The statement that makes it; nil for what SQLite makes by itself.
    let sql: String?
    let isIndex: Bool
  }

  /// Everything in `sqlite_schema`, in the app's order.
  static let objects: [Object] = [
    Object(
      name: "grdb_migrations",
      sql: #"""
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
        """#,
      isIndex: false),
    Object(
      name: "sqlite_autoindex_grdb_migrations_1",
      sql: nil,
      isIndex: true),
    Object(
      name: "charters",
      sql: #"""
        CREATE TABLE "charters" ("id" TEXT PRIMARY KEY NOT NULL, "name" TEXT NOT NULL, "boatName" TEXT, "location" TEXT, "startDate" DATETIME NOT NULL, "endDate" DATETIME NOT NULL, "checkInChecklistID" TEXT, "createdAt" DATETIME NOT NULL, "updatedAt" DATETIME NOT NULL, "syncStatus" TEXT NOT NULL DEFAULT 'pending', "serverID" TEXT, "visibility" TEXT NOT NULL DEFAULT 'private', "needsSync" BOOLEAN NOT NULL DEFAULT 0, "lastSyncedAt" DATETIME, "latitude" DOUBLE, "longitude" DOUBLE, "locationPlaceID" TEXT, "onBehalfOfVirtualCaptainID" TEXT)
        """#,
      isIndex: false),
    Object(
      name: "sqlite_autoindex_charters_1",
      sql: nil,
      isIndex: true),
    Object(
      name: "idx_charters_startDate",
      sql: #"""
        CREATE INDEX "idx_charters_startDate" ON "charters"("startDate")
        """#,
      isIndex: true),
    Object(
      name: "checklistExecutionStates",
      sql: #"""
        CREATE TABLE "checklistExecutionStates" ("id" TEXT PRIMARY KEY NOT NULL, "checklistID" TEXT NOT NULL, "charterID" TEXT NOT NULL, "itemStates" TEXT NOT NULL DEFAULT '{}', "progressPercentage" REAL, "createdAt" DATETIME NOT NULL, "lastUpdated" DATETIME NOT NULL, "completedAt" DATETIME, "syncStatus" TEXT NOT NULL DEFAULT 'pending', UNIQUE ("checklistID", "charterID"), FOREIGN KEY ("charterID") REFERENCES "charters"("id") ON DELETE CASCADE ON UPDATE CASCADE)
        """#,
      isIndex: false),
    Object(
      name: "sqlite_autoindex_checklistExecutionStates_1",
      sql: nil,
      isIndex: true),
    Object(
      name: "sqlite_autoindex_checklistExecutionStates_2",
      sql: nil,
      isIndex: true),
    Object(
      name: "idx_executionStates_charter",
      sql: #"""
        CREATE INDEX "idx_executionStates_charter" ON "checklistExecutionStates"("charterID")
        """#,
      isIndex: true),
    Object(
      name: "idx_executionStates_checklist",
      sql: #"""
        CREATE INDEX "idx_executionStates_checklist" ON "checklistExecutionStates"("checklistID")
        """#,
      isIndex: true),
    Object(
      name: "idx_executionStates_updated",
      sql: #"""
        CREATE INDEX "idx_executionStates_updated" ON "checklistExecutionStates"("lastUpdated")
        """#,
      isIndex: true),
    Object(
      name: "sync_queue",
      sql: #"""
        CREATE TABLE "sync_queue" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "contentID" TEXT NOT NULL, "operation" TEXT NOT NULL, "visibilityState" TEXT NOT NULL, "payload" TEXT, "createdAt" DATETIME NOT NULL, "retryCount" INTEGER NOT NULL DEFAULT 0, "lastError" TEXT, "syncedAt" DATETIME, "nextRetryAt" DATETIME, FOREIGN KEY ("contentID") REFERENCES "library_content"("id") ON DELETE CASCADE)
        """#,
      isIndex: false),
    Object(
      name: "sqlite_sequence",
      sql: nil,
      isIndex: false),
    Object(
      name: "idx_sync_queue_pending",
      sql: #"""
        CREATE INDEX idx_sync_queue_pending
            ON sync_queue(createdAt)
            WHERE syncedAt IS NULL
        """#,
      isIndex: true),
    Object(
      name: "idx_sync_queue_content",
      sql: #"""
        CREATE INDEX "idx_sync_queue_content" ON "sync_queue"("contentID")
        """#,
      isIndex: true),
    Object(
      name: "idx_charters_visibility",
      sql: #"""
        CREATE INDEX "idx_charters_visibility" ON "charters"("visibility")
        """#,
      isIndex: true),
    Object(
      name: "library_content",
      sql: #"""
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
            , "originalAuthorUserId" TEXT)
        """#,
      isIndex: false),
    Object(
      name: "sqlite_autoindex_library_content_1",
      sql: nil,
      isIndex: true),
    Object(
      name: "idx_library_content_creator",
      sql: #"""
        CREATE INDEX idx_library_content_creator ON library_content (creatorID)
        """#,
      isIndex: true),
    Object(
      name: "idx_library_content_type",
      sql: #"""
        CREATE INDEX idx_library_content_type ON library_content (type)
        """#,
      isIndex: true),
    Object(
      name: "idx_library_content_updated",
      sql: #"""
        CREATE INDEX idx_library_content_updated ON library_content (updatedAt)
        """#,
      isIndex: true),
    Object(
      name: "idx_library_content_pinned",
      sql: #"""
        CREATE INDEX idx_library_content_pinned ON library_content (isPinned, pinnedOrder, updatedAt)
        """#,
      isIndex: true),
    Object(
      name: "checklists",
      sql: #"""
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
      isIndex: false),
    Object(
      name: "sqlite_autoindex_checklists_1",
      sql: nil,
      isIndex: true),
    Object(
      name: "idx_checklists_creator",
      sql: #"""
        CREATE INDEX idx_checklists_creator ON checklists (creatorID)
        """#,
      isIndex: true),
    Object(
      name: "idx_checklists_updated",
      sql: #"""
        CREATE INDEX idx_checklists_updated ON checklists (updatedAt)
        """#,
      isIndex: true),
    Object(
      name: "practice_guides",
      sql: #"""
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
      isIndex: false),
    Object(
      name: "sqlite_autoindex_practice_guides_1",
      sql: nil,
      isIndex: true),
    Object(
      name: "idx_practice_guides_creator",
      sql: #"""
        CREATE INDEX idx_practice_guides_creator ON practice_guides (creatorID)
        """#,
      isIndex: true),
    Object(
      name: "idx_practice_guides_updated",
      sql: #"""
        CREATE INDEX idx_practice_guides_updated ON practice_guides (updatedAt)
        """#,
      isIndex: true),
  ]

  /// The app's migrations, in order; all of them have run in a library of the newest schema.
  static let migrations = [
    "v1.0.0_createInitialSchema",
    "v1.1.0_createLibrarySchema",
    "v1.2.0_createChecklistExecutionSchema",
    "v1.3.0_addPinnedColumnsToLibrary",
    "v1.4.0_createPracticeGuidesTable",
    "v1.5.0_addVisibilityFields",
    "v1.6.0_createSyncQueueTable",
    "v1.7.0_addForkAttributionColumns",
    "v1.8.0_addCharterSyncAndGeoFields",
    "v1.9.0_makeCreatorIDNullable",
    "v2.0.0_addNextRetryAtToSyncQueue",
    "v2.1.0_addOriginalAuthorUserId",
    "v2.2.0_addOnBehalfOfVirtualCaptainToCharters",
  ]

  /// The newest schema that FleetKit knows.
  static let newestVersion = "2.2.0"

  /// Tables that hold content, in the order in which they can be filled.
  static let contentTables = [
    "charters", "library_content", "checklists", "practice_guides", "checklistExecutionStates", "sync_queue",
  ]
}
