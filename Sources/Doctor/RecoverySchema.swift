import Content
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary
import SQLiteRecovery

/// The tables that a damaged library has or had, and the SQL statements that create them in a new library.
///
/// The library's own statements are used if they can be read and define only plain tables and indexes. The app's
/// statements are used for missing tables and indexes.
struct RecoverySchema {
  /// A table, and the known facts about its rows.
  struct Table {
    let name: String
    /// The SQL statement that creates the table.
    let sql: String
    let columns: [String]
    let shape: RecoveredTableShape
    /// The column that is the rowid, if any.
    let rowidColumn: Int?
    var indexes: [Index] = []
  }

  /// An index of a table.
  struct Index {
    let name: String
    /// The SQL statement that creates the index; nil for an index that SQLite creates with its table.
    let sql: String?
    /// The table's columns that the index lists, by position.
    let columns: [Int]
    let isUnique: Bool
    let shape: IndexShape
  }

  private(set) var tables: [Table] = []
  /// The app's schema, for missing parts of the library's own.
  let app: AppSchema
  /// Whether the whole schema could be read, so that every tree has a name.
  let isComplete: Bool
  /// Tables and indexes of the library that are not created in the new one, with the reasons.
  private(set) var refused: [(name: String, reason: String)] = []

  /// Reads the schema of a damaged library.
  /// - Parameter version: the version to use if the library does not contain its version.
  /// - Throws: `SQLiteError` if memory runs out.
  init(_ image: DatabaseImage, version: String? = nil) throws {
    let (rows, isComplete) = image.schemaRows()
    let model = try SQLiteConnection.inMemory()
    var roots: [String: UInt32] = [:]
    var statements: [String: String] = [:]
    var refused: [(name: String, reason: String)] = []
    let newest = try AppSchema.newest()
    // These are tables of the app with a damaged definition. They are created from the app's definition.
    var damaged: Set<String> = []
    for row in rows where row.type == "table" && !row.name.hasPrefix("sqlite_") {
      roots[row.name.lowercased()] = row.rootPage
      let isApps = row.name == "grdb_migrations" || AppSchema.contentTables.contains(row.name)
      if !row.isWithoutRowid, let sql = row.sql, try Self.define(row.name, sql, newest, model) {
        statements[row.name] = sql
      } else if isApps {
        damaged.insert(row.name)
      } else {
        refused.append((row.name, row.isWithoutRowid ? "a table without rowids" : "its definition cannot be read"))
      }
    }
    let present = try SchemaObjects(model).tables
    let app = try AppSchema.of(version ?? Self.version(of: present.map { ($0.name, $0.columns) })) ?? newest
    self.app = app
    func isLost(_ name: String) -> Bool {
      statements[name] == nil && (!isComplete || present.isEmpty || damaged.contains(app.table(of: name) ?? name))
    }
    for (name, sql) in app.objectTexts where app.table(of: name) == name && isLost(name) {
      if let sql, (try? model.define(sql)) != nil { statements[name] = sql }
    }
    for row in rows where row.type == "index" {
      roots[row.name.lowercased()] = row.rootPage
      guard let sql = row.sql, statements.keys.contains(row.tableName), statements[row.name] == nil else { continue }
      if (try? model.define(sql)) != nil {
        statements[row.name] = sql
      } else if app.table(of: row.name) == nil {
        refused.append((row.name, "its definition cannot be read"))
      } else {
        damaged.insert(row.tableName)
      }
    }
    for (name, sql) in app.objectTexts where app.table(of: name) != name && isLost(name) {
      if let sql, (try? model.define(sql)) != nil { statements[name] = sql }
    }
    if statements["grdb_migrations"] == nil, (try? model.define(AppSchema.migrationList)) != nil {
      statements["grdb_migrations"] = AppSchema.migrationList
    }
    self.isComplete = isComplete && !rows.isEmpty
    self.refused = refused
    // Tables are listed in the order in which they can be filled, the app's tables first.
    let order = ["grdb_migrations"] + AppSchema.contentTables
    let names = try SchemaObjects(model).tables.map(\.name).filter { !$0.hasPrefix("sqlite_") }
    for name in order.filter(names.contains) + names.filter({ !order.contains($0) }).sorted() {
      guard let sql = statements[name] else { continue }
      tables.append(try Self.table(name, sql, statements, roots, model))
    }
  }

  /// Creates a table of the damaged library in the model. Returns false if the table's definition is invalid or
  /// computes values.
  private static func define(
    _ name: String, _ sql: String, _ newest: AppSchema, _ model: SQLiteConnection
  ) throws(SQLiteError) -> Bool {
    guard (try? model.define(sql)) != nil else { return false }
    guard let table = try SchemaObjects(model).tables.first(where: { $0.name == name }) else { return false }
    // A newer app's table has more columns than the current one. A table with the same number of columns but different
    // names is damaged.
    let known = newest.columns[name] ?? []
    let isOldQueue = name == "sync_queue" && table.columns.contains("content_id")
    let isOdd =
      !known.isEmpty && !isOldQueue && table.columns.count <= known.count && !Set(table.columns).isSubset(of: known)
    guard !table.generated.isEmpty || isOdd else { return true }
    try model.execute("DROP TABLE \(RowCursor.quoted(name))")
    return false
  }

  /// Returns the app's newest version that has all columns of the tables.
  private static func version(of tables: [(name: String, columns: [String])]) throws(SQLiteError) -> String {
    guard !tables.isEmpty else { return AppSchema.newestVersion }
    for version in AppSchema.versions.reversed() {
      guard let schema = try AppSchema.of(version) else { continue }
      let isThere = tables.allSatisfy { table in
        guard let known = schema.columns[table.name] else { return !AppSchema.contentTables.contains(table.name) }
        return known.count <= table.columns.count
      }
      if isThere { return version }
    }
    return AppSchema.newestVersion
  }

  private static func table(
    _ name: String, _ sql: String, _ statements: [String: String], _ roots: [String: UInt32], _ model: SQLiteConnection
  ) throws -> Table {
    let info = try model.rows("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?) ORDER BY cid", [name])
    let keys = info.filter { $0[3] != "0" }.count
    var columns: [ColumnShape] = []
    var rowidColumn: Int?
    for (index, column) in info.enumerated() {
      let type = (column[1] ?? "").uppercased()
      let isRowid = keys == 1 && column[3] != "0" && type == "INTEGER"
      if isRowid { rowidColumn = index }
      let isText = ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) && !type.contains("INT")
      let isReal = ["REAL", "FLOA", "DOUB"].contains(where: type.contains) && !type.contains("INT") && !isText
      var classes: StorageClasses = isText ? [.text, .blob, .null] : .any
      if column[2] == "1" || column[3] != "0" { classes.remove(.null) }
      columns.append(ColumnShape(classes, isRowid: isRowid, isReal: isReal))
    }
    let names = info.compactMap { $0[0] }
    let plausible = RowPlausibility(table: name, columns: names)
    var table = Table(
      name: name, sql: sql, columns: names,
      shape: RecoveredTableShape(
        name: name, root: roots[name.lowercased()], columns: columns,
        minimumColumns: min(columns.count, Self.fewestColumns[name] ?? columns.count),
        check: { plausible.allows($0) }),
      rowidColumn: rowidColumn)
    for index in try model.rows("SELECT name, \"unique\", partial FROM pragma_index_list(?) ORDER BY seq DESC", [name])
    {
      guard let indexName = index[0] else { continue }
      let listed = try model.rows("SELECT cid FROM pragma_index_info(?) ORDER BY seqno", [indexName])
        .compactMap { $0[0].flatMap(Int.init) }
      guard listed.allSatisfy({ $0 >= 0 }), !listed.isEmpty else { continue }
      let first = listed[0] == 0
      table.indexes.append(
        Index(
          name: indexName, sql: statements[indexName], columns: listed, isUnique: index[1] == "1",
          shape: IndexShape(
            table: name, name: indexName, root: roots[indexName.lowercased()], keyCount: listed.count,
            check: { keys in !first || RowPlausibility.isID(keys[0]) })))
    }
    return table
  }

  /// SQLite's own table of the highest number that each AUTOINCREMENT table has assigned.
  static let sequences = RecoveredTableShape(
    name: "sqlite_sequence", root: nil, columns: [ColumnShape(.text), ColumnShape(.integer)])

  /// The number of columns in the oldest rows of tables that `ALTER TABLE` has extended.
  private static let fewestColumns = ["charters": 10, "library_content": 15, "sync_queue": 9]
}

/// Checks whether values found on an unreachable page can be a row of the app.
struct RowPlausibility: Sendable {
  private enum Test: Sendable { case any, id, reference, word, date, number, array, object, text }

  private let tests: [Test]

  /// - Parameter columns: the table's columns in their order.
  init(table: String, columns: [String]) {
    let map = TableMaps.all.first { $0.table == table }
    tests = columns.enumerated().map { index, name in
      guard let column = map?.columns.first(where: { $0.column == name || $0.oldColumn == name }) else {
        return table == "grdb_migrations" ? .word : .any
      }
      switch column.kind {
      case .id: return index == 0 && table != "sync_queue" ? .id : .any
      case .reference: return .reference
      case .choice: return .word
      case .date: return .date
      case .bool, .integer, .real: return .number
      case .tags, .sections: return .array
      case .itemStates, .publicMetadata, .payload: return .object
      case .text: return .text
      }
    }
  }

  /// Whether the values can be the first values of a row.
  func allows(_ values: [RecoveredValue]) -> Bool {
    zip(tests, values).allSatisfy { test, value in
      if value == .null { return test != .id }
      switch (test, value) {
      case (.any, _): return true
      case (.id, _): return Self.isID(value)
      case (.reference, .text(let bytes)): return bytes.count <= 200 && Self.isText(bytes)
      case (.word, .text(let bytes)):
        return bytes.count <= 100 && bytes.allSatisfy { $0 >= 0x21 && $0 < 0x7F && $0 != UInt8(ascii: "[") }
      case (.date, .text(let bytes)):
        return bytes.count <= 40 && Timestamp.parse(bytes.span) != nil
      case (.date, .integer), (.date, .real), (.number, .integer), (.number, .real): return true
      case (.array, .text(let bytes)), (.object, .text(let bytes)), (.text, .text(let bytes)): return Self.isText(bytes)
      default: return false
      }
    }
  }

  /// Whether a value is an id that the app or a person could have assigned.
  static func isID(_ value: RecoveredValue) -> Bool {
    guard case .text(let bytes) = value, !bytes.isEmpty, bytes.count <= 200 else { return false }
    return isText(bytes) && !bytes.contains { $0 < 0x20 }
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    !bytes.contains(0) && UTF8Check.firstInvalid(in: bytes.span) == nil
  }
}
