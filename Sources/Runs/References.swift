import SQLiteIO

/// Finds broken references inside a library that did not exist before a run.
struct References {
  /// A row that refers to a missing row.
  struct Broken: Hashable {
    let childKind: String
    let child: String
    let parentKind: String
    let parent: String
  }

  private let before: Set<Broken>

  /// Records the broken references of a library before it is changed.
  init(_ connection: SQLiteConnection) throws(SQLiteError) { before = try Self.all(connection) }

  /// Returns the references that are broken now and were not before.
  func broken(_ connection: SQLiteConnection) throws(SQLiteError) -> [Broken] {
    try Self.all(connection).filter { !before.contains($0) }.sorted { $0.parent < $1.parent }
  }

  /// The references that the app follows. It declares only some of them as foreign keys.
  private static let all = [
    (child: "checklistExecutionStates", column: "charterID", parent: "charters"),
    (child: "checklistExecutionStates", column: "checklistID", parent: "checklists"),
    (child: "charters", column: "checkInChecklistID", parent: "checklists"),
    (child: "sync_queue", column: "contentID", parent: "library_content"),
  ]

  private static func all(_ connection: SQLiteConnection) throws(SQLiteError) -> Set<Broken> {
    var found = Set<Broken>()
    for one in all {
      let known = try connection.number(
        "SELECT count(*) FROM pragma_table_info(?) WHERE name IN ('id', ?)", [one.child, one.column])
      let parent = try connection.number("SELECT count(*) FROM pragma_table_info(?)", [one.parent])
      guard known == 2, parent > 0 else { continue }
      let rows = try connection.rows(
        """
        SELECT id, "\(one.column)" FROM "\(one.child)" WHERE "\(one.column)" IS NOT NULL
        AND "\(one.column)" NOT IN (SELECT id FROM "\(one.parent)" WHERE id IS NOT NULL)
        """)
      for row in rows {
        found.insert(
          Broken(
            childKind: UndoAttempt.kind(of: one.child), child: row[0] ?? "",
            parentKind: UndoAttempt.kind(of: one.parent), parent: row[1] ?? ""))
      }
    }
    return found
  }
}
