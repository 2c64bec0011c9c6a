import SQLiteIO

/// A table whose rows a journal keeps.
package struct JournalTable: Sendable, Equatable {
  /// Its name.
  package let name: String
  /// Whether it is one of the store beside the library.
  package let isBeside: Bool
  /// Its columns, in the table's order; of a table beside, those that count.
  package let columns: [String]
  /// Which of the columns tell rows apart; none when only the row's number does.
  package let keys: [Int]
  /// Whether rows have numbers.
  package let hasRows: Bool

  init(name: String, isBeside: Bool = false, columns: [String], keys: [Int], hasRows: Bool) {
    self.name = name
    self.isBeside = isBeside
    self.columns = columns
    self.keys = keys
    self.hasRows = hasRows
  }

  /// A table of a library as it is now; nil when it is not there.
  init?(_ name: String, in connection: SQLiteConnection) throws(SQLiteError) {
    let rows = try connection.rows("SELECT name, pk, type FROM pragma_table_info(?) ORDER BY cid", [name])
    guard !rows.isEmpty else { return nil }
    let keys = rows.indices.filter { rows[$0][1] != "0" }
    let isPlain =
      try connection.rows(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", [name]
      ).first?[0] != "1"
    // A whole number as the key is the row's number itself.
    let isRow = isPlain && keys.count == 1 && (rows[keys[0]][2] ?? "").uppercased() == "INTEGER"
    self.init(name: name, columns: rows.map { $0[0] ?? "" }, keys: isRow ? [] : keys, hasRows: isPlain)
  }

  /// Names quoted for SQL.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
  var sql: String { Self.quoted(name) }
  var columnList: String { columns.map(Self.quoted).joined(separator: ", ") }

  /// Tables of the store that a journal knows; the key first.
  static let ledger = JournalTable(
    name: "ledger", isBeside: true, columns: ["source", "kind", "id", "file", "target", "hash", "run", "base"],
    keys: [0, 1, 2, 3], hasRows: false)
  static let records = JournalTable(
    name: "records", isBeside: true, columns: ["kind", "id", "line"], keys: [0, 1], hasRows: false)
  static let packs = JournalTable(
    name: "packs", isBeside: true, columns: ["name", "version", "sha256", "key"], keys: [0], hasRows: false)
  static let sources = JournalTable(
    name: "sources", isBeside: true, columns: ["id", "name"], keys: [0], hasRows: false)
  static let files = JournalTable(
    name: "files", isBeside: true, columns: ["id", "source", "path"], keys: [0], hasRows: false)
  static let publications = JournalTable(
    name: "publications", isBeside: true, columns: ["content_id", "public_id", "registry_id", "digest", "synced_at"],
    keys: [0], hasRows: false)
  static let beside = [ledger, records, packs, sources, files, publications]

  /// Columns of the ledger that say what a run left; where its base text lies may change by tidying up.
  func counts(_ column: Int) -> Bool { self != Self.ledger || column != 7 }
}
