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
