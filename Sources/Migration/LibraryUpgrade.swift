import CSQLite
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Writes a new file in the current schema with every row of an old library.
///
/// The app rebuilds its tables in place. Here, the rows go into an empty library that was made with the app's own
/// statements, so the result has no gaps and the old file is only read.
struct LibraryUpgrade {
  /// The file that is being made.
  let connection: SQLiteConnection
  /// The old library's schema.
  let schema: LibrarySchema
  private let newest: AppSchema

  /// The page size of a large library, in bytes.
  static let largePage: Int64 = 16_384

  /// Makes an empty library with the current schema and attaches the old library read-only as `old`.
  /// - Parameters:
  ///   - path: an empty or missing file.
  ///   - source: the old library as an SQLite URI.
  ///   - encoding: the old library's encoding. SQLite only attaches files with the same encoding.
  ///   - largerPages: whether the new file gets pages of 16 KB, which make writing large libraries faster.
  init(
    into path: String, from source: String, encoding: String, largerPages: Bool, _ schema: LibrarySchema
  ) throws(SQLiteError) {
    self.schema = schema
    newest = try AppSchema.newest()
    connection = try SQLiteConnection(path, .create, .own)
    try connection.execute("PRAGMA encoding = '\(encoding)'")
    let attach = try connection.prepare("ATTACH ? AS old", as: "open the old library")
    attach.bind(source, at: 1)
    try attach.run()
    // Settings that belong to the file and not to the schema are kept.
    let oldSize = try connection.number("PRAGMA old.page_size")
    let pageSize = largerPages ? max(oldSize, Self.largePage) : oldSize
    try connection.execute(
      """
      PRAGMA main.page_size = \(pageSize);
      PRAGMA main.auto_vacuum = \(try connection.number("PRAGMA old.auto_vacuum"));
      PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF; PRAGMA main.cache_size = -24576;
      PRAGMA old.mmap_size = 1099511627776; PRAGMA threads = 2;
      PRAGMA secure_delete = OFF; PRAGMA foreign_keys = OFF; BEGIN
      """, as: "prepare the new file")
  }

  /// Copies all tables and indexes.
  /// - Parameter step: called with the name of each table before it is copied.
  func run(_ step: (String) throws -> Void) throws {
    try newest.makeTables(connection)
    for table in AppSchema.contentTables where schema.tables[table] != nil {
      try step(table)
      try copy(table)
    }
    if schema.tables["sync_queue"] != nil {
      // The numbers of deleted operations must not be assigned again.
      try connection.execute(
        "DELETE FROM sqlite_sequence; INSERT INTO sqlite_sequence SELECT * FROM old.sqlite_sequence")
    }
    try step("indexes")
    // Creating an index reads its table once more.
    try connection.execute("PRAGMA main.mmap_size = 1099511627776")
    try newest.makeIndexes(connection)
    try copyUnknown()
    for number in ["user_version", "application_id"] {
      try connection.execute("PRAGMA main.\(number) = \(try connection.number("PRAGMA old.\(number)"))")
    }
    try connection.execute("COMMIT", as: "write the new file")
  }

  /// Returns the columns that a table has in both files, with the name in the old and in the new file.
  func columns(_ table: String) -> [(old: String, new: String)] {
    let present = schema.tables[table] ?? []
    let map = TableMaps.all.first { $0.table == table }
    var pairs: [(old: String, new: String)] = []
    for name in newest.columns[table] ?? [] {
      if present.contains(name) {
        pairs.append((name, name))
      } else if let old = map?.columns.first(where: { $0.column == name })?.oldColumn, present.contains(old) {
        pairs.append((old, name))
      }
    }
    return pairs + (map.map(schema.unknownColumns) ?? []).map { ($0, $0) }
  }

  /// Whether this table of the old library uses an all-zero creator for "no creator".
  func hasZeroCreators(_ table: String) -> Bool {
    !schema.migrations.contains("v1.9.0_makeCreatorIDNullable") && Self.rebuilt.contains(table)
  }

  /// The tables that the app's step to v1.9.0 rebuilds, which gives their rows new numbers.
  static let rebuilt = ["library_content", "checklists", "practice_guides"]

  private func copy(_ table: String) throws(SQLiteError) {
    let name = RowCursor.quoted(table)
    if let map = TableMaps.all.first(where: { $0.table == table }) {
      for column in schema.unknownColumns(map) {
        let type = try connection.rows("SELECT type FROM pragma_table_info(?, 'old') WHERE name = ?", [table, column])
        let declared = type.first?.first.flatMap { $0 } ?? ""
        try connection.execute("ALTER TABLE main.\(name) ADD COLUMN \(RowCursor.quoted(column)) \(declared)")
      }
    }
    let pairs = columns(table)
    let keepsRows = !hasZeroCreators(table)
    var new = pairs.map { RowCursor.quoted($0.new) }
    var old = pairs.map { pair in
      let column = RowCursor.quoted(pair.old)
      return pair.new == "creatorID" && hasZeroCreators(table) ? "nullif(\(column), '\(MigrationPlan.zero)')" : column
    }
    // If an id is a number, it is already the row's number.
    if keepsRows, table != "sync_queue" {
      new.insert("rowid", at: 0)
      old.insert("rowid", at: 0)
    }
    try connection.execute(
      """
      INSERT INTO main.\(name) (\(new.joined(separator: ", ")))
      SELECT \(old.joined(separator: ", ")) FROM old.\(name) NOT INDEXED ORDER BY rowid
      """, as: "copy the table '\(table)'")
  }

  /// Copies tables and indexes that are not part of the app's schema.
  private func copyUnknown() throws(SQLiteError) {
    let objects = try connection.rows(
      """
      SELECT name, sql, lower(type), tbl_name FROM old.sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
      """)
    let known = Set(try connection.rows("SELECT name FROM main.sqlite_schema").compactMap { $0[0] })
    for object in objects where object[2] == "table" {
      guard let name = object[0], let sql = object[1], !known.contains(name) else { continue }
      // Only a single statement is prepared, because the SQL of a schema may be followed by other statements.
      try connection.prepare(sql, as: "make the table '\(name)'").run()
      try connection.execute(
        "INSERT INTO main.\(RowCursor.quoted(name)) SELECT * FROM old.\(RowCursor.quoted(name))",
        as: "copy the table '\(name)'")
    }
    for object in objects where object[2] == "index" {
      guard let name = object[0], let sql = object[1], !known.contains(name) else { continue }
      try connection.prepare(sql, as: "make the index '\(name)'").run()
    }
  }
}

/// Proves that an upgraded library has the same content as the old one: schema, references, and every value of every
/// row.
struct UpgradeCheck {
  private let upgrade: LibraryUpgrade
  private let connection: SQLiteConnection

  init(_ upgrade: LibraryUpgrade) {
    self.upgrade = upgrade
    connection = upgrade.connection
  }

  /// Describes the first failed check, or returns nil if all checks succeed.
  /// - Parameter step: called with the name of each step before it starts.
  func firstProblem(_ step: (String) throws -> Void) throws -> String? {
    try connection.execute("PRAGMA main.mmap_size = 1099511627776")
    if let row = try connection.rows("PRAGMA main.foreign_key_check").first {
      return "a row of \(row[0] ?? "") refers to a missing row of \(row[2] ?? "")"
    }
    if let problem = try schemaProblem() { return problem }
    for table in AppSchema.contentTables where upgrade.schema.tables[table] != nil {
      try step(table)
      if let problem = try compare(table) { return problem }
      if let problem = try defaultsProblem(table) { return problem }
    }
    return nil
  }

  private func schemaProblem() throws(SQLiteError) -> String? {
    let newest = try AppSchema.newest()
    let made = try connection.rows("SELECT name, sql FROM main.sqlite_schema ORDER BY rowid")
    for (index, object) in newest.objectTexts.enumerated() {
      guard index < made.count, made[index][0] == object.name else { return "'\(object.name)' is out of order" }
      let hasUnknownColumns = TableMaps.all.contains {
        $0.table == object.name && !upgrade.schema.unknownColumns($0).isEmpty
      }
      if made[index][1] != object.sql, !hasUnknownColumns { return "the schema of '\(object.name)' is different" }
    }
    let listed = try connection.rows("SELECT identifier FROM main.grdb_migrations ORDER BY rowid").compactMap { $0[0] }
    return listed == AppSchema.migrations ? nil : "the list of migrations is different"
  }

  /// Reads both tables in parallel and compares every value by its type and its bytes.
  private func compare(_ table: String) throws(SQLiteError) -> String? {
    let pairs = upgrade.columns(table)
    let name = RowCursor.quoted(table)
    func rows(_ database: String, _ columns: [String]) throws(SQLiteError) -> SQLiteStatement {
      try connection.prepare(
        "SELECT \(columns.map(RowCursor.quoted).joined(separator: ", ")) FROM \(database).\(name) NOT INDEXED ORDER BY rowid",
        as: "compare the table '\(table)'")
    }
    let before = try rows("old", pairs.map(\.old))
    let after = try rows("main", pairs.map(\.new))
    let creator = upgrade.hasZeroCreators(table) ? pairs.firstIndex { $0.new == "creatorID" } ?? -1 : -1
    var count = 0
    while true {
      let hasOld = try before.step()
      let hasNew = try after.step()
      if !hasOld, !hasNew { return nil }
      guard hasOld, hasNew else { return "'\(table)' has \(hasOld ? "fewer" : "more") rows than before" }
      count += 1
      for index in pairs.indices where !Self.same(before, after, index) {
        if index == creator, after.storage(at: index) == .null, before.text(at: index) == MigrationPlan.zero {
          continue
        }
        return "'\(pairs[index].new)' in row \(count) of '\(table)' is not the same as before"
      }
    }
  }

  @inline(__always)
  private static func same(_ left: SQLiteStatement, _ right: SQLiteStatement, _ index: Int) -> Bool {
    let storage = left.storage(at: index)
    guard storage == right.storage(at: index) else { return false }
    switch storage {
    case .null: return true
    case .integer: return left.integer(at: index) == right.integer(at: index)
    case .real: return left.double(at: index).bitPattern == right.double(at: index).bitPattern
    case .text, .blob:
      let mine = storage == .text ? left.bytes(at: index) : left.blob(at: index)
      let theirs = storage == .text ? right.bytes(at: index) : right.blob(at: index)
      guard mine.count == theirs.count else { return false }
      guard let first = mine.baseAddress, let second = theirs.baseAddress else { return mine.isEmpty }
      return memcmp(first, second, mine.count) == 0
    }
  }

  /// Checks that columns that the old library did not have hold their default values.
  private func defaultsProblem(_ table: String) throws(SQLiteError) -> String? {
    let present = Set(upgrade.columns(table).map(\.new))
    let columns = try connection.rows("SELECT name, dflt_value FROM pragma_table_info(?, 'main')", [table])
    for column in columns {
      guard let name = column[0], !present.contains(name) else { continue }
      let odd = try connection.number(
        "SELECT count(*) FROM main.\(RowCursor.quoted(table)) WHERE \(RowCursor.quoted(name)) IS NOT \(column[1] ?? "NULL")"
      )
      if odd > 0 { return "'\(name)' of '\(table)' does not hold its default value" }
    }
    return nil
  }
}
