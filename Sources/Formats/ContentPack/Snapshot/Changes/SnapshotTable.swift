import SQLiteIO

/// One table of a library as comparing and changing its rows needs it.
struct SnapshotTable: Sendable, Hashable {
  /// How a row is found again.
  enum Key: Sendable, Hashable {
    /// By its rowid, under the one of its names that no column has.
    case rowid(String)
    /// By the columns of its primary key: the table has no rowids.
    case columns([String])
  }

  /// Its name.
  let name: String
  /// The columns that are written, in the table's order.
  let columns: [String]
  /// Columns that SQLite computes and stores: compared, never written.
  let computed: [String]
  /// How a row is found again.
  let key: Key

  /// Why a table cannot be compared row by row.
  struct Incomparable: Error {
    /// The reason, as the end of a sentence.
    let reason: String
  }

  /// Looks at a table.
  /// - Throws: `Incomparable`, or `SQLiteError`.
  init(_ name: String, in connection: SQLiteConnection) throws {
    self.name = name
    let kinds = try connection.rows(
      "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", [name])
    guard let kind = kinds.first, kind[0] == "table" else {
      throw Incomparable(reason: "the table '\(name)' is no ordinary table")
    }
    var columns: [String] = []
    var computed: [String] = []
    var primary: [(place: Int, name: String)] = []
    let rows = try connection.rows("SELECT name, hidden, pk FROM pragma_table_xinfo(?) ORDER BY cid", [name])
    for row in rows {
      guard let column = row[0] else { continue }
      // 2 is computed when it is read; there is nothing to keep of it.
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
      throw Incomparable(reason: "the columns of the table '\(name)' hide its rowids")
    }
    key = .rowid(free)
  }

  /// The name as SQL.
  var quoted: String { Self.quoted(name) }

  /// A name as SQL.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// The table in which SQLite counts; it is kept as a whole, because other tables change it.
  var isSequence: Bool { name == "sqlite_sequence" }

  /// Reads every row: the key first, then columns, then computed ones; rowid tables in the order of rowids.
  var selectAll: String {
    let all = (columns + computed).map(Self.quoted)
    switch key {
    case .rowid(let rowid): return "SELECT \(([rowid] + all).joined(separator: ", ")) FROM \(quoted) ORDER BY \(rowid)"
    case .columns: return "SELECT \((["0"] + all).joined(separator: ", ")) FROM \(quoted)"
    }
  }

  /// Finds the row of a key whose values are bound in order.
  var condition: String {
    switch key {
    case .rowid(let rowid): return rowid + " = ?"
    case .columns(let names): return names.map { Self.quoted($0) + " IS ?" }.joined(separator: " AND ")
    }
  }

  /// Where the columns of the key stand among `columns`; empty for rowids.
  var keyIndexes: [Int] {
    guard case .columns(let names) = key else { return [] }
    return names.compactMap { columns.firstIndex(of: $0) }
  }

  /// Writes a row whose values are bound in order, the rowid first if there are rowids.
  var insert: String {
    var names = columns.map(Self.quoted)
    if case .rowid(let rowid) = key { names.insert(rowid, at: 0) }
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    // What a constraint of the table would do instead is none of a copy's business.
    return "INSERT OR ABORT INTO \(quoted) (\(names.joined(separator: ", "))) VALUES (\(marks))"
  }
}
