import Content
import SQLiteIO

/// The structure of a library table, for comparing and changing its rows.
struct SnapshotTable: Sendable, Hashable {
  /// The way in which a row is identified.
  enum Key: Sendable, Hashable {
    /// By its rowid, under one of the rowid's names that is not also a column name.
    case rowid(String)
    /// By the columns of its primary key, in a table without rowids.
    case columns([String])
  }

  /// The table's name.
  let name: String
  /// The columns that are written, in the table's order.
  let columns: [String]
  /// The columns that SQLite computes and stores. They are compared but never written.
  let computed: [String]
  /// The way in which a row is identified.
  let key: Key

  /// The error for a table that cannot be compared row by row.
  struct Incomparable: Error {
    /// The reason, as the end of a sentence.
    let reason: String
  }

  /// Reads the structure of a table.
  /// - Throws: `Incomparable`, or `SQLiteError`.
  init(_ name: String, in connection: SQLiteConnection) throws {
    self.name = name
    let kinds = try connection.rows(
      "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", [name])
    guard let kind = kinds.first, kind[0] == "table" else {
      throw Incomparable(reason: "the table '\(name)' is not an ordinary table")
    }
    var columns: [String] = []
    var computed: [String] = []
    var primary: [(place: Int, name: String)] = []
    let rows = try connection.rows("SELECT name, hidden, pk FROM pragma_table_xinfo(?) ORDER BY cid", [name])
    for row in rows {
      guard let column = row[0] else { continue }
      // The value 2 marks a column that is computed when it is read, so no value is stored.
      if row[1] == "0" { columns.append(column) }
      if row[1] == "3" { computed.append(column) }
      if let place = row[2].flatMap({ Int($0) }), place > 0 { primary.append((place, column)) }
    }
    self.columns = columns
    self.computed = computed
    if kind[1] == "1" {
      key = .columns(primary.sorted { $0.place < $1.place }.map(\.name))
      return
    }
    let taken = Set(rows.compactMap { $0[0]?.lowercased() })
    guard let free = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0) }) else {
      throw Incomparable(reason: "columns of the table '\(name)' hide its rowids")
    }
    key = .rowid(free)
  }

  /// The table's name, quoted for SQL.
  var quoted: String { Self.quoted(name) }

  /// Returns a name quoted for SQL.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// Whether this is the table of SQLite's AUTOINCREMENT counters. It is stored as a whole, because changes to other
  /// tables change it.
  var isSequence: Bool { name == "sqlite_sequence" }

  /// The query for all rows. It returns the key, the columns, and then the computed columns. Rowid tables are read in
  /// rowid order.
  var selectAll: String {
    let all = (columns + computed).map(Self.quoted)
    switch key {
    case .rowid(let rowid): return "SELECT \(([rowid] + all).joined(separator: ", ")) FROM \(quoted) ORDER BY \(rowid)"
    case .columns: return "SELECT \((["0"] + all).joined(separator: ", ")) FROM \(quoted)"
    }
  }

  /// The condition that finds the row with a key. The key's values are bound in order.
  var condition: String {
    switch key {
    case .rowid(let rowid): return rowid + " = ?"
    case .columns(let names): return names.map { Self.quoted($0) + " IS ?" }.joined(separator: " AND ")
    }
  }

  /// The positions of the key columns in `columns`; empty for rowids.
  var keyIndexes: [Int] {
    guard case .columns(let names) = key else { return [] }
    return names.compactMap { columns.firstIndex(of: $0) }
  }

  /// The statement that inserts a row. Its values are bound in order, beginning with the rowid if the table has rowids.
  var insert: String {
    var names = columns.map(Self.quoted)
    if case .rowid(let rowid) = key { names.insert(rowid, at: 0) }
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    // Copying rows must not trigger a constraint's conflict clause.
    return "INSERT OR ABORT INTO \(quoted) (\(names.joined(separator: ", "))) VALUES (\(marks))"
  }
}

/// The properties that two databases must share for one to be expressed as row changes to the other.
struct DatabaseShape {
  /// The content of `sqlite_schema`, in a fixed order.
  let schema: [[String?]]
  let pageSize: Int64
  let encoding: String
  let autoVacuum: Int64
  /// The tables and other objects in the schema.
  private let objects: SchemaObjects

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    objects = try SchemaObjects(connection)
    schema = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    pageSize = try connection.number("PRAGMA page_size")
    encoding = try connection.rows("PRAGMA encoding").first?.first.flatMap { $0 } ?? ""
    autoVacuum = try connection.number("PRAGMA auto_vacuum")
  }

  /// The names of all tables, including SQLite's internal tables.
  var tables: [String] { objects.tables.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// The first object that is neither a table nor an index; nil if no such object exists. The app never creates such
  /// objects.
  var foreignObject: String? { objects.others.first.map { "a \($0.kind) '\($0.name)'" } }

  /// Whether the schema is free of columns and indexes that SQLite computes.
  var computesNothing: Bool { objects.computesNothing }

  /// Whether text is stored in the file as UTF-16.
  var isWide: Bool { encoding.hasPrefix("UTF-16") }

  /// Returns the reason why row changes cannot express the difference from another database; nil if they can.
  func difference(from other: DatabaseShape) -> String? {
    if pageSize != other.pageSize { return "its page size was changed" }
    if encoding != other.encoding { return "its text encoding was changed" }
    if autoVacuum != other.autoVacuum { return "its auto-vacuum setting was changed" }
    // Hashes are compared because equal-looking names may have different bytes.
    return sha256 == other.sha256 ? nil : "its schema was changed"
  }

  /// The SHA-256 of all properties.
  var sha256: String {
    var text = "\(pageSize) \(encoding) \(autoVacuum)\n"
    for row in schema {
      for value in row { text += value.map { "\($0.utf8.count):\($0)" } ?? "-" }
      text += "\n"
    }
    return Digest.hex(Digest.sha256(text.utf8.span))
  }
}
