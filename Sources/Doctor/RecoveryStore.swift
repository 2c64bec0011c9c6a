import Content
import Foundation
import Interchange
import SQLiteIO
import SQLiteRecovery

/// A temporary database of everything that a scan finds: rows with their positions, and entries of indexes.
final class RecoveryStore {
  /// The outcome of a row.
  enum State: Int64 { case open, restored, uncertain, repeated }

  let connection: SQLiteConnection
  private let folder: TemporaryFolder
  private let schema: RecoverySchema
  private var inserts: [SQLiteStatement] = []
  private let entry: SQLiteStatement
  private var tables: [String: Int] = [:]
  private var indexes: [String: (table: Int, index: Int)] = [:]
  /// The highest number that each AUTOINCREMENT table has assigned.
  private(set) var sequences: [String: Int64] = [:]

  /// - Throws: `SQLiteError`; `RunFailure` if the disk has no room for temporary files.
  init(_ schema: RecoverySchema) throws {
    self.schema = schema
    folder = try TemporaryFolder()
    connection = try SQLiteConnection(folder.path + "/found.sqlite", .create, .own)
    try connection.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; PRAGMA locking_mode = EXCLUSIVE; BEGIN"
    )
    for (number, table) in schema.tables.enumerated() {
      tables[table.name] = number
      let columns = table.columns.indices.map { "c\($0)" }.joined(separator: ", ")
      try connection.execute(
        """
        CREATE TABLE r\(number) (
          seq INTEGER PRIMARY KEY, rid INTEGER, origin TEXT, page INTEGER, n INTEGER, hash INTEGER, state INTEGER,
          id INTEGER,
          \(columns));
        """)
      let marks = Array(repeating: "?", count: table.columns.count + 7).joined(separator: ", ")
      inserts.append(
        try connection.prepare(
          "INSERT INTO r\(number) (rid, origin, page, n, hash, state, id, \(columns)) VALUES (\(marks))"))
      for (position, index) in table.indexes.enumerated() { indexes[index.name] = (number, position) }
    }
    try connection.execute("CREATE TABLE e (t INTEGER, i INTEGER, rid INTEGER, origin TEXT, hash INTEGER, k TEXT)")
    entry = try connection.prepare("INSERT INTO e VALUES (?, ?, ?, ?, ?, ?)")
  }

  /// Stores the beginning of a row whose end was lost. Such a row is uncertain, whatever else is found.
  func add(_ damage: RecoveryDamage) throws(SQLiteError) {
    guard let name = damage.name, let number = tables[name], let rowid = damage.rowid, damage.values.count > 1,
      damage.values.count <= schema.tables[number].columns.count,
      case .text(let id) = damage.values[0], RowPlausibility.isID(.text(id))
    else { return }
    try add(
      RecoveredRow(table: name, rowid: rowid, values: damage.values, page: damage.page, origin: .damagedPage),
      .uncertain)
  }

  /// Stores a row.
  func add(_ row: RecoveredRow, _ state: State = .open) throws(SQLiteError) {
    if row.table == RecoverySchema.sequences.name, row.origin == .tree, row.values.count == 2,
      case .text(let name) = row.values[0], case .integer(let number) = row.values[1]
    {
      sequences[String(decoding: name, as: UTF8.self)] = number
    }
    guard let number = tables[row.table] else { return }
    let insert = inserts[number]
    insert.bind(row.rowid, at: 1)
    insert.bind(row.origin.rawValue, at: 2)
    insert.bind(Int64(row.page), at: 3)
    insert.bind(Int64(row.values.count), at: 4)
    insert.bind(Self.hash(row.values), at: 5)
    insert.bind(state.rawValue, at: 6)
    insert.bind(Self.hash(Array(row.values.prefix(1))), at: 7)
    for index in schema.tables[number].columns.indices {
      Self.bind(index < row.values.count ? row.values[index] : .null, insert, at: 8 + index)
    }
    try insert.run()
  }

  /// Stores an entry of an index. If the entry may belong to several indexes, it is stored for each of them.
  func add(_ found: RecoveredIndexEntry) throws(SQLiteError) {
    for name in found.indexes {
      guard let index = indexes[name] else { continue }
      entry.bind(Int64(index.table), at: 1)
      entry.bind(Int64(index.index), at: 2)
      entry.bind(found.rowid, at: 3)
      entry.bind(found.origin.rawValue, at: 4)
      entry.bind(Self.hash(found.keys), at: 5)
      if schema.tables[index.table].indexes[index.index].columns == [0] {
        Self.bind(found.keys[0], entry, at: 6)
      } else {
        entry.bindNull(at: 6)
      }
      try entry.run()
    }
  }

  /// Ends the scan, so that the rows can be queried.
  func finish() throws(SQLiteError) {
    for number in schema.tables.indices {
      try connection.execute("CREATE INDEX r\(number)_rid ON r\(number) (rid, state)")
    }
    try connection.execute("CREATE INDEX e_rid ON e (t, rid)")
  }

  /// Calls `body` for the rows of a table in the given states, in the order in which they were found.
  /// - Parameter body: receives a statement with the columns seq, rid, origin, page, n, hash and the values.
  func rows(_ number: Int, _ condition: String, _ body: (SQLiteStatement) throws -> Void) throws {
    let columns = schema.tables[number].columns.indices.map { "c\($0)" }.joined(separator: ", ")
    let select = try connection.prepare(
      "SELECT seq, rid, origin, page, n, hash, \(columns) FROM r\(number) WHERE \(condition) ORDER BY seq")
    while try select.step() { try body(select) }
  }

  func set(_ number: Int, _ seq: Int64, _ state: State) throws(SQLiteError) {
    try connection.execute("UPDATE r\(number) SET state = \(state.rawValue) WHERE seq = \(seq)")
  }

  /// Returns the number of rows of a table that were found.
  func count(_ number: Int) throws(SQLiteError) -> Int64 {
    try connection.number("SELECT count(*) FROM r\(number)")
  }

  // MARK: Evaluating a row

  /// Returns the rows of the table's tree whose id is missing from the index of the primary key, so that either the id
  /// or the index is damaged.
  func unlisted(_ number: Int) throws(SQLiteError) -> Set<Int64> {
    guard let key = schema.tables[number].indexes.firstIndex(where: { $0.columns == [0] && $0.isUnique }) else {
      return []
    }
    let rows = try connection.rows(
      """
      SELECT seq FROM r\(number) AS r WHERE origin = 'tree' AND NOT EXISTS (
        SELECT 1 FROM e WHERE t = \(number) AND rid = r.rid AND i = \(key) AND hash = r.id)
      """)
    return Set(rows.compactMap { $0[0].flatMap(Int64.init) })
  }

  /// Classifies the rows of the table's tree: all of them count, except those given.
  func classifyTree(_ number: Int, except uncertain: [Int64]) throws(SQLiteError) {
    try connection.execute("UPDATE r\(number) SET state = \(State.restored.rawValue) WHERE origin = 'tree'")
    for seq in uncertain { try set(number, seq, .uncertain) }
  }

  /// Whether an index lists the row with the same values.
  /// - Parameter onlyByTrees: whether only trees of indexes count; otherwise, unreachable pages count too.
  func isListed(_ number: Int, _ row: SQLiteStatement, onlyByTrees: Bool) throws -> Bool {
    let table = schema.tables[number]
    let values = Self.values(row, Int(row.integer(at: 4)))
    let origins = onlyByTrees ? "origin = 'tree'" : "origin IN ('tree', 'unreachablePage', 'damagedPage')"
    let entries = try connection.prepare("SELECT i, hash FROM e WHERE t = ? AND rid = ? AND \(origins)")
    entries.bind(Int64(number), at: 1)
    entries.bind(row.integer(at: 1), at: 2)
    while try entries.step() {
      let columns = table.indexes[Int(entries.integer(at: 0))].columns
      let keys = columns.map { $0 < values.count ? values[$0] : .null }
      if Self.hash(keys) == entries.integer(at: 1) { return true }
    }
    return false
  }

  /// Whether no other row of the table has the same rowid or id, neither a row that counts nor another version.
  func isTheOnlyOne(_ number: Int, _ row: SQLiteStatement) throws -> Bool {
    try ask(
      """
      SELECT count(*) FROM r\(number)
        WHERE (state = \(State.restored.rawValue) OR state = 0 AND origin IN ('unreachablePage', 'damagedPage')
          AND hash <> \(row.integer(at: 5))) AND rid =
      """, row.integer(at: 1)) == 0
  }

  private func ask(_ sql: String, _ rowid: Int64) throws(SQLiteError) -> Int64? {
    let statement = try connection.prepare(sql + " ?")
    statement.bind(rowid, at: 1)
    guard try statement.step(), statement.storage(at: 0) != .null else { return nil }
    return statement.integer(at: 0)
  }

  /// Classifies the remaining rows: copies of rows that count are dropped, and the other rows are uncertain.
  /// - Returns: The number of uncertain rows, apart from rows of the table's tree.
  func classifyRest(_ number: Int) throws(SQLiteError) -> Int {
    try connection.execute(
      """
      UPDATE r\(number) SET state = \(State.repeated.rawValue) WHERE state = 0 AND EXISTS (
        SELECT 1 FROM r\(number) AS other WHERE other.rid = r\(number).rid AND other.hash = r\(number).hash
          AND (other.state = \(State.restored.rawValue) OR other.state = 0 AND other.seq < r\(number).seq));
      UPDATE r\(number) SET state = \(State.repeated.rawValue) WHERE state = \(State.uncertain.rawValue)
        AND origin = 'damagedPage' AND EXISTS (
          SELECT 1 FROM r\(number) AS other WHERE other.rid = r\(number).rid AND other.state = \(State.restored.rawValue));
      UPDATE r\(number) SET state = \(State.uncertain.rawValue) WHERE state = 0
      """)
    return Int(
      try connection.number(
        "SELECT count(*) FROM r\(number) WHERE state = \(State.uncertain.rawValue) AND origin <> 'tree'"))
  }

  /// Returns the ids that the index of the primary key lists although no row with that id counts, with the name of the
  /// index.
  func unfound(_ number: Int) throws -> [(id: String, index: String)] {
    let table = schema.tables[number]
    guard let key = table.indexes.firstIndex(where: { $0.columns == [0] && $0.isUnique }) else { return [] }
    let rows = try connection.rows(
      """
      SELECT DISTINCT k FROM e WHERE t = \(number) AND i = \(key) AND origin = 'tree' AND k IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM r\(number) WHERE rid = e.rid AND state = \(State.restored.rawValue)) LIMIT 1000000
      """)
    return rows.compactMap { $0[0] }.map { ($0, table.indexes[key].name) }
  }

  /// Whether a row with this id is uncertain.
  func isUncertain(_ number: Int, _ id: String) throws(SQLiteError) -> Bool {
    try connection.number(
      "SELECT count(*) FROM r\(number) WHERE state = \(State.uncertain.rawValue) AND c0 = ?", [id]) > 0
  }

  // MARK: Values

  static func values(_ statement: SQLiteStatement, _ count: Int, from start: Int = 6) -> [RecoveredValue] {
    (start..<start + count).map { index in
      switch statement.storage(at: index) {
      case .null: .null
      case .integer: .integer(statement.integer(at: index))
      case .real: .real(statement.double(at: index))
      case .text: .text(Array(statement.bytes(at: index)))
      case .blob: .blob(Array(statement.blob(at: index)))
      }
    }
  }

  static func bind(_ value: RecoveredValue, _ statement: SQLiteStatement, at index: Int) {
    switch value {
    case .null: statement.bindNull(at: index)
    case .integer(let number): statement.bind(number, at: index)
    case .real(let number): statement.bind(number, at: index)
    case .text(let bytes): statement.bind(utf8: bytes, at: index)
    case .blob(let bytes): statement.bind(blob: bytes, at: index)
    }
  }

  /// Returns a hash of values. Equal values have equal hashes.
  static func hash(_ values: [RecoveredValue]) -> Int64 {
    var hash = FastHash()
    for value in values {
      switch value {
      case .null: hash.add(0)
      case .integer(let number):
        hash.add(1)
        hash.add(UInt64(bitPattern: number))
      case .real(let number):
        hash.add(2)
        hash.add(number.bitPattern)
      case .text(let bytes), .blob(let bytes):
        hash.add(3)
        hash.add(bytes.span)
      }
    }
    return Int64(bitPattern: hash.value)
  }
}
