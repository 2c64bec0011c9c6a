import Content

/// What a column of the app holds.
package enum ColumnKind: Sendable {
  /// The row's id.
  case id
  /// The id of another record, with the tables that it may lead to.
  case reference
  case text
  /// Text of a closed list; others are kept and reported.
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
  /// What the app knows about a publication.
  case publicMetadata
  /// What a queued operation sends.
  case payload
}

/// One column of a table and the member that it is in bundles.
package struct ColumnMap: Sendable {
  /// The app's name.
  package let column: String
  /// The name of an early build, where it differs.
  package let oldColumn: String?
  /// The member of the record or document.
  package let member: String
  package let kind: ColumnKind
  /// Whether the app's schema allows NULL.
  package let nullable: Bool
  /// What a library has that is older than the column, as JSON.
  package let absent: String

  init(
    _ column: String, _ member: String, _ kind: ColumnKind, nullable: Bool = true, absent: String = "null",
    old: String? = nil
  ) {
    self.column = column
    self.member = member
    self.kind = kind
    self.nullable = nullable
    self.absent = absent
    oldColumn = old
  }
}

/// A table of the app and what its rows are in bundles. Columns stand in the order of the bundle's members.
package struct TableMap: Sendable {
  package let table: String
  package let columns: [ColumnMap]

  /// Index of the column whose member is `name`, or nil.
  package func column(ofMember name: String) -> ColumnMap? { columns.first { $0.member == name } }
}

/// The app's six tables.
///
/// - Source: formats/sqlite-library.md, "Tables"
package enum TableMaps {
  private static let contentStatus = ColumnKind.choice(
    ["pending", "queued", "syncing", "synced", "failed"], fallback: "pending")

  package static let charters = TableMap(
    table: "charters",
    columns: [
      ColumnMap("id", "id", .id, nullable: false),
      ColumnMap("name", "name", .text, nullable: false),
      ColumnMap("boatName", "boat_name", .text),
      ColumnMap("location", "location", .text),
      ColumnMap("startDate", "start_date", .date, nullable: false),
      ColumnMap("endDate", "end_date", .date, nullable: false),
      ColumnMap("checkInChecklistID", "check_in_checklist_id", .reference),
      ColumnMap("createdAt", "created_at", .date, nullable: false),
      ColumnMap("updatedAt", "updated_at", .date, nullable: false),
      ColumnMap("syncStatus", "sync_status", .text, nullable: false, absent: "\"pending\""),
      ColumnMap("serverID", "server_id", .text),
      ColumnMap(
        "visibility", "visibility", .choice(["private", "community", "public", "unknown"], fallback: "private"),
        nullable: false, absent: "\"private\""),
      ColumnMap("needsSync", "needs_sync", .bool, nullable: false, absent: "false"),
      ColumnMap("lastSyncedAt", "last_synced_at", .date),
      ColumnMap("latitude", "latitude", .real),
      ColumnMap("longitude", "longitude", .real),
      ColumnMap("locationPlaceID", "location_place_id", .text),
      ColumnMap("onBehalfOfVirtualCaptainID", "on_behalf_of_virtual_captain_id", .text),
    ])

  package static let content = TableMap(
    table: "library_content",
    columns: [
      ColumnMap("id", "id", .id, nullable: false),
      ColumnMap("type", "content_type", .text, nullable: false),
      ColumnMap("title", "title", .text, nullable: false),
      ColumnMap("description", "description", .text),
      ColumnMap("tags", "tags", .tags, nullable: false, absent: "[]"),
      ColumnMap("language", "language", .text, nullable: false, absent: "\"en\""),
      ColumnMap(
        "visibility", "visibility", .choice(["private", "unlisted", "public", "unknown"], fallback: "private"),
        nullable: false, absent: "\"private\""),
      ColumnMap("syncStatus", "sync_status", contentStatus, nullable: false, absent: "\"pending\""),
      ColumnMap("creatorID", "creator_id", .reference),
      ColumnMap("forkedFromID", "forked_from_id", .reference),
      ColumnMap("forkCount", "fork_count", .integer, nullable: false, absent: "0"),
      ColumnMap("originalAuthorUsername", "original_author_username", .text),
      ColumnMap("originalAuthorUserId", "original_author_user_id", .reference),
      ColumnMap("originalContentPublicID", "original_content_public_id", .text),
      ColumnMap("ratingAverage", "rating_average", .real),
      ColumnMap("ratingCount", "rating_count", .integer, nullable: false, absent: "0"),
      ColumnMap("isPinned", "is_pinned", .bool, nullable: false, absent: "false"),
      ColumnMap("pinnedOrder", "pinned_order", .integer),
      ColumnMap("createdAt", "created_at", .date, nullable: false),
      ColumnMap("updatedAt", "updated_at", .date, nullable: false),
      ColumnMap("publishedAt", "published_at", .date),
      ColumnMap("publicID", "public_id", .text),
      ColumnMap("publicMetadata", "public_metadata", .publicMetadata),
    ])

  private static let bodyHead = [
    ColumnMap("id", "id", .id, nullable: false),
    ColumnMap("title", "title", .text, nullable: false),
    ColumnMap("description", "description", .text),
  ]
  private static let bodyTail = [
    ColumnMap("tags", "tags", .tags, nullable: false, absent: "[]"),
    ColumnMap("creatorID", "creatorID", .reference),
    ColumnMap("createdAt", "createdAt", .date, nullable: false),
    ColumnMap("updatedAt", "updatedAt", .date, nullable: false),
    ColumnMap("syncStatus", "syncStatus", contentStatus, nullable: false, absent: "\"pending\""),
  ]

  package static let checklists = TableMap(
    table: "checklists",
    columns: bodyHead + [
      ColumnMap(
        "checklistType", "checklistType",
        .choice(
          [
            "pre_charter", "check_in", "daily", "post_charter", "emergency", "general", "maintenance", "safety",
            "provisioning",
          ], fallback: "general"), nullable: false, absent: "\"general\""),
      ColumnMap("content", "sections", .sections, nullable: false, absent: "[]"),
    ] + bodyTail)

  package static let practiceGuides = TableMap(
    table: "practice_guides",
    columns: bodyHead + [ColumnMap("markdown", "markdown", .text, nullable: false, absent: "\"\"")] + bodyTail)

  package static let executions = TableMap(
    table: "checklistExecutionStates",
    columns: [
      ColumnMap("id", "id", .id, nullable: false),
      ColumnMap("checklistID", "checklist_id", .reference, nullable: false),
      ColumnMap("charterID", "charter_id", .reference, nullable: false),
      ColumnMap("itemStates", "item_states", .itemStates, nullable: false, absent: "{}"),
      ColumnMap("progressPercentage", "progress_percentage", .real),
      ColumnMap("createdAt", "created_at", .date, nullable: false),
      ColumnMap("lastUpdated", "last_updated", .date, nullable: false),
      ColumnMap("completedAt", "completed_at", .date),
      ColumnMap(
        "syncStatus", "sync_status", .choice(["pending", "synced", "error"], fallback: "pending"),
        nullable: false, absent: "\"pending\""),
    ])

  package static let queue = TableMap(
    table: "sync_queue",
    columns: [
      ColumnMap("id", "id", .integer, nullable: false),
      ColumnMap("contentID", "content_id", .reference, nullable: false, old: "content_id"),
      ColumnMap("operation", "operation", .text, nullable: false),
      ColumnMap("visibilityState", "visibility_state", .text, nullable: false, old: "visibility_state"),
      ColumnMap("payload", "payload", .payload),
      ColumnMap("createdAt", "created_at", .date, nullable: false, old: "created_at"),
      ColumnMap("retryCount", "retry_count", .integer, nullable: false, absent: "0", old: "retry_count"),
      ColumnMap("lastError", "last_error", .text, old: "last_error"),
      ColumnMap("syncedAt", "synced_at", .date, old: "synced_at"),
      ColumnMap("nextRetryAt", "next_retry_at", .date, old: "next_retry_at"),
    ])

  package static let all = [charters, content, checklists, practiceGuides, executions, queue]
}
