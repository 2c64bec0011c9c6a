import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Joins rows that belong together and separates rows with the same id, before records are checked one by one.
///
/// Metadata and a body whose ids differ only in letter case are one item. A second listing that was made by pinning
/// (the app cannot find a lower-case row, so it inserts another) goes to the quarantine. A second body gets a new id.
struct RowMatching {
  let connection: SQLiteConnection
  let schema: LibrarySchema
  let file: String
  let quarantine: QuarantineWriter

  private static let bodies = ["checklists", "practice_guides"]

  func run() throws {
    guard schema.tables["library_content"] != nil else { return }
    try moveSecondBodies()
    try joinBodies()
    try joinMetadata()
  }

  private var tables: [String] { Self.bodies.filter { schema.tables[$0] != nil } }

  private func exists(_ id: String, _ tables: [String]) throws(SQLiteError) -> Bool {
    for table in tables where try connection.number("SELECT count(*) FROM \"\(table)\" WHERE id = ?", [id]) > 0 {
      return true
    }
    return false
  }

  private func rename(_ id: String, to new: String, in table: String) throws(SQLiteError) {
    _ = try connection.rows("UPDATE \"\(table)\" SET id = ? WHERE id = ?", [new, id])
  }

  // MARK: Two bodies

  private func moveSecondBodies() throws(SQLiteError) {
    guard tables.count == 2 else { return }
    let twins = try connection.rows(
      """
      SELECT c.id, (SELECT type FROM library_content m WHERE m.id = c.id)
      FROM checklists c JOIN practice_guides g ON g.id = c.id ORDER BY c.id
      """)
    for twin in twins {
      guard let id = twin[0] else { continue }
      let table = twin[1] == ContentType.practiceGuide.rawValue ? "checklists" : "practice_guides"
      var new = CanonicalUUID.derived(["other body", id])
      while try exists(new, tables + ["library_content"]) { new = CanonicalUUID.derived(["other body", new]) }
      // Without metadata, the body becomes an item again as soon as records are checked.
      try rename(id, to: new, in: table)
    }
  }

  // MARK: Letter case

  /// Returns the UUIDs of a table that are not in upper case.
  private func otherCases(_ table: String) throws(SQLiteError) -> [String] {
    try connection.rows("SELECT id FROM \"\(table)\" WHERE id <> upper(id) AND length(id) = 36 ORDER BY id")
      .compactMap { $0[0] }.filter { CanonicalUUID.form(of: $0) == .otherCase }
  }

  /// Joins bodies with lower-case ids to their metadata with upper-case ids.
  private func joinBodies() throws(SQLiteError) {
    for table in tables {
      for id in try otherCases(table) {
        let upper = id.uppercased()
        if try exists(id, ["library_content"]) { continue }
        if try exists(upper, ["library_content"]), try !exists(upper, tables) { try rename(id, to: upper, in: table) }
      }
    }
  }

  /// Joins metadata with lower-case ids to their bodies with upper-case ids, and removes second listings of items.
  private func joinMetadata() throws {
    var seconds: [String: String] = [:]
    for id in try otherCases("library_content") {
      let upper = id.uppercased()
      if try exists(id, tables) {
        if try exists(upper, ["library_content"]), try !exists(upper, tables) { seconds[upper] = id }
      } else if try exists(upper, tables), try !exists(upper, ["library_content"]) {
        try rename(id, to: upper, in: "library_content")
      }
    }
    guard !seconds.isEmpty else { return }
    var rows: [LibraryScan.Row] = []
    try LibraryScan(connection, schema, file: file).run { found in
      guard found.kind == .item, found.rows.count == 1, let row = found.rows.first,
        row.table == "library_content", seconds[row.id] != nil
      else { return }
      try quarantine.add(found.line, because: "it was a second listing of the same item, without a body")
      rows.append(row)
    }
    for row in rows {
      // The second listing was made to hold the pin.
      if let id = seconds[row.id], schema.tables["library_content"]?.contains("isPinned") ?? false {
        _ = try connection.rows(
          """
          UPDATE library_content SET isPinned = 1,
            pinnedOrder = coalesce(pinnedOrder, (SELECT pinnedOrder FROM library_content WHERE id = ?1))
          WHERE id = ?2 AND (SELECT isPinned FROM library_content WHERE id = ?1) = 1
          """, [row.id, id])
      }
      _ = try connection.rows("DELETE FROM library_content WHERE id = ?", [row.id])
    }
  }
}
