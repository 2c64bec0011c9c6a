/// A row of the schema: a table, an index, a view or a trigger.
package struct SchemaRow: Equatable, Sendable {
  /// `table`, `index`, `view` or `trigger`.
  package let type: String
  /// The object's own name.
  package let name: String
  /// The name of the table, or of the table to which the object belongs.
  package let tableName: String
  /// The root page of the object's tree; 0 if it has none.
  package let rootPage: UInt32
  /// The object's SQL statement; nil for objects that SQLite creates implicitly.
  package let sql: String?
  /// The page in which the row was found.
  package let page: UInt32
  /// The place where the row was found, which determines how far it can be trusted.
  package let origin: RecoveryOrigin

  /// Whether the object is a table WITHOUT ROWID, which is stored like an index.
  package var isWithoutRowid: Bool {
    guard type == "table", let sql, let end = sql.lastIndex(of: ")") else { return false }
    let words = sql[end...].dropFirst().uppercased().split { " \t\n\r,;".contains($0) }
    return zip(words, words.dropFirst()).contains { $0 == "WITHOUT" && $1 == "ROWID" }
  }

  init?(_ row: RecoveredRow) {
    guard row.values.count == 5, case .text(let type) = row.values[0], case .text(let name) = row.values[1],
      case .text(let table) = row.values[2]
    else { return nil }
    self.type = String(decoding: type, as: UTF8.self)
    self.name = String(decoding: name, as: UTF8.self)
    tableName = String(decoding: table, as: UTF8.self)
    if case .integer(let root) = row.values[3] { rootPage = UInt32(exactly: root) ?? 0 } else { rootPage = 0 }
    if case .text(let sql) = row.values[4] { self.sql = String(decoding: sql, as: UTF8.self) } else { sql = nil }
    page = row.page
    origin = row.origin
  }
}

extension DatabaseImage {
  /// Reads the schema.
  ///
  /// If the schema's tree is damaged, all pages are searched for its rows. At most 10 000 rows are read.
  /// - Returns: the rows that can be decoded, and whether they are complete, which is false if a page of the tree or a
  ///   row is broken.
  package func schemaRows() -> (rows: [SchemaRow], isComplete: Bool) {
    struct Enough: Error {}
    var rows: [SchemaRow] = []
    var isComplete = pageCount > 0
    do {
      try RecoveryScan.schema(self) { event in
        switch event {
        case .row(let row):
          guard rows.count < 10_000 else { throw Enough() }
          if let row = SchemaRow(row) { rows.append(row) }
        case .damage(let damage) where damage.name != nil && damage.reason != .neverUsed: isComplete = false
        default: break
        }
      }
    } catch {
      isComplete = false
    }
    return (rows, isComplete)
  }
}
