import CSQLite
import Interchange

/// The content of a database's schema as SQLite parses it, regardless of how its statements are written.
///
/// Reading the schema does not evaluate any expression in it.
public struct SchemaObjects: Sendable {
  /// A table.
  public struct Table: Sendable {
    /// Its name.
    public let name: String
    /// The columns that are stored in a row, in order.
    public let columns: [String]
    /// The generated columns, whose values SQLite computes.
    public let generated: [String]
  }

  /// An index for which SQLite evaluates an expression whenever a row changes: a key, or a condition of a partial
  /// index.
  public struct ComputedIndex: Sendable {
    /// Its name.
    public let name: String
    /// The table that the index belongs to.
    public let table: String
    /// Whether the only expression is a test for NULL.
    public let isNullTest: Bool
  }

  /// An object that is neither an ordinary table nor an index.
  public struct Other: Sendable {
    /// `trigger`, `view`, `virtual table`, or the type in the schema.
    public let kind: String
    /// Its name.
    public let name: String
  }

  /// All ordinary tables, including the ones that SQLite creates for its own use.
  public let tables: [Table]
  /// All indexes with expressions, and all partial indexes.
  public let computedIndexes: [ComputedIndex]
  /// All triggers, views and virtual tables, and schema rows that do not define an object of the type they name.
  public let others: [Other]

  /// Reads the schema of a connection's main database.
  /// - Throws: `SQLiteError` if the schema cannot be read.
  public init(_ connection: SQLiteConnection) throws(SQLiteError) {
    let rows = try connection.rows("SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY rowid")
    var others: [Other] = []
    for row in rows {
      let kind = row[0]?.lowercased() ?? ""
      let hasPages = row[2].map { $0 != "0" } ?? false
      if kind == "table", !hasPages {
        others.append(Other(kind: "virtual table", name: row[1] ?? ""))
      } else if kind != "table", kind != "index" || !hasPages {
        others.append(Other(kind: kind.isEmpty ? "unknown object" : kind, name: row[1] ?? ""))
      }
    }
    // Merely listing the tables would query virtual tables for their columns.
    if !others.isEmpty {
      self.others = others
      tables = []
      computedIndexes = []
      return
    }
    var tables: [Table] = []
    var indexes: [ComputedIndex] = []
    var known: Set<String> = []
    for row in try connection.rows("SELECT name, type FROM pragma_table_list WHERE schema = 'main'") {
      guard let name = row[0], name != "sqlite_schema" else { continue }
      guard row[1] == "table" else {
        others.append(Other(kind: row[1].map { "\($0) table" } ?? "unknown object", name: name))
        continue
      }
      known.insert("table " + name.lowercased())
      let columns = try connection.rows("SELECT name, hidden FROM pragma_table_xinfo(?) ORDER BY cid", [name])
      tables.append(
        Table(
          name: name, columns: columns.filter { $0[1] == "0" }.compactMap { $0[0] },
          generated: columns.filter { $0[1] != "0" }.compactMap { $0[0] }))
      for index in try connection.rows("SELECT name, partial FROM pragma_index_list(?)", [name]) {
        guard let indexName = index[0] else { continue }
        known.insert("index " + indexName.lowercased())
        // A column id of -2 marks an expression.
        let hasExpression =
          try connection.number("SELECT count(*) FROM pragma_index_xinfo(?) WHERE cid = -2", [indexName]) > 0
        if hasExpression || index[1] != "0" {
          let sql = rows.first { $0[1] == indexName }?[3] ?? ""
          let isNullTest = !hasExpression && Self.endsWithNullTest(sql)
          indexes.append(ComputedIndex(name: indexName, table: name, isNullTest: isNullTest))
        }
      }
    }
    for row in rows where !known.contains("\(row[0]?.lowercased() ?? "") \(row[1]?.lowercased() ?? "")") {
      others.append(Other(kind: "unknown object", name: row[1] ?? ""))
    }
    self.tables = tables
    computedIndexes = indexes
    self.others = others
  }

  /// Returns whether the statement of a partial index ends with `WHERE column IS NULL` or `IS NOT NULL` and contains
  /// only names before that condition.
  private static func endsWithNullTest(_ sql: String) -> Bool {
    var words: [String] = []
    var isInWord = false
    for character in sql.lowercased() {
      switch character {
      case "a"..."z", "0"..."9", "_", "\"":
        if isInWord { words[words.count - 1].append(character) } else { words.append(String(character)) }
        isInWord = true
      case " ", "\t", "\n", "\r", "(", ")", ",": isInWord = false
      default: return false
      }
    }
    guard words.filter({ $0 == "where" }).count == 1, let at = words.firstIndex(of: "where") else { return false }
    let test = words[(at + 1)...].dropFirst()
    return test.elementsEqual(["is", "null"]) || test.elementsEqual(["is", "not", "null"])
  }

  /// The tables whose rows SQLite can check without evaluating an expression of the schema.
  fileprivate var plainTables: [Table] {
    tables.filter { table in
      table.generated.isEmpty && !computedIndexes.contains { $0.table == table.name && !$0.isNullTest }
    }
  }

  /// Whether SQLite can check all rows without evaluating an expression of the schema.
  public var computesNothing: Bool { plainTables.count == tables.count }
}

extension SQLiteConnection {
  /// Runs a statement of a foreign schema in one of FleetKit's own databases. Only `CREATE TABLE` and `CREATE INDEX`
  /// are allowed.
  ///
  /// SQLite rejects the statement before it runs if it would do anything else, such as read a table, open a file or
  /// call a function.
  /// - Throws: `SQLiteError` if it is a different statement or if SQLite cannot parse it.
  public func define(_ sql: String) throws(SQLiteError) {
    guard sql.utf8.count <= 1 << 16 else { throw error(SQLITE_TOOBIG, "define a table") }
    sqlite3_set_authorizer(
      handle,
      { _, action, _, _, _, _ in
        switch action {
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_READ, SQLITE_REINDEX:
          SQLITE_OK
        default: SQLITE_DENY
        }
      }, nil)
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    try prepare(sql, as: "define a table").run()
  }
}

/// Checks a database on another thread.
///
/// The check never evaluates an expression of a foreign schema. If some tables have generated columns or indexes with
/// expressions, only the other tables are checked.
package final class IntegrityCheck: Sendable {
  private let work: BackgroundWork<String?, SQLiteError>

  /// The extent of the check.
  package enum Depth: String, Sendable {
    /// Checks every page, and whether rows meet the constraints of their table.
    case quick = "quick_check"
    /// Also checks whether indexes list every row.
    case full = "integrity_check"
  }

  /// Starts the check.
  /// - Parameter setting: the pragmas to run first.
  package init(
    path: String, access: SQLiteConnection.Access, _ profile: SQLiteProfile, depth: Depth = .quick,
    setting: String = IntegrityCheck.smallCache
  ) {
    work = BackgroundWork { () throws(SQLiteError) in
      let connection = try SQLiteConnection(path, access, profile)
      try connection.execute(setting)
      return try Self.complaint(connection, depth)
    }
  }

  /// A pragma that makes SQLite's cache fit in the processor's cache. A reader that reads every page only once needs no
  /// larger one.
  package static let smallCache = "PRAGMA cache_size = -256"

  /// Checks a database now.
  /// - Returns: nil if the database is sound; otherwise the first problem.
  /// - Throws: `SQLiteError` if the check could not run.
  package static func complaint(_ connection: SQLiteConnection, _ depth: Depth) throws(SQLiteError) -> String? {
    let schema = try SchemaObjects(connection)
    if schema.others.isEmpty, schema.computesNothing { return try complaint(connection, "PRAGMA \(depth.rawValue)(1)") }
    // SQLite would interpret a number as the number of problems to list.
    for table in schema.plainTables where Int(table.name) == nil {
      let name = table.name.replacing("\"", with: "\"\"")
      if let complaint = try complaint(connection, "PRAGMA \(depth.rawValue)(\"\(name)\")") { return complaint }
    }
    return nil
  }

  private static func complaint(_ connection: SQLiteConnection, _ check: String) throws(SQLiteError) -> String? {
    let answer = try connection.rows(check).first?.first ?? nil
    if answer == "ok" { return nil }
    // The line "*** in database main ***" is dropped, because there is only one database.
    let complaint = answer.map { $0.split(separator: "\n").filter { !$0.hasPrefix("***") }.joined(separator: "; ") }
    return complaint ?? "\(check) returned nothing"
  }

  /// Waits for the end of the check. Returns nil if the file is sound; otherwise the problem.
  /// - Throws: `SQLiteError` if the check could not run.
  package func wait() throws(SQLiteError) -> String? { try work.wait() }
}
