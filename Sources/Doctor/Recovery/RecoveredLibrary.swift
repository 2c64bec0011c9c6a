import Content
import Interchange
import SQLiteIO
import SQLiteLibrary
import SQLiteRecovery

/// Decides which rows count, and writes these rows as a library.
struct RecoveredLibrary {
  let store: RecoveryStore
  let schema: RecoverySchema

  /// Writes the library, checks every page of it, and counts the outcome of each row.
  /// - Throws: `SQLiteError`; `RunFailure` with status 5 if the result is not sound.
  func write(
    to path: String, pageSize: Int, _ report: inout LibraryRecovery.Report, _ step: (Int, Int) throws -> Void
  ) throws {
    let connection = try SQLiteConnection(path, .create, .own)
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384; BEGIN
      """)
    for table in schema.tables { try connection.define(table.sql) }
    for (number, table) in schema.tables.enumerated() {
      try step(number, schema.tables.count + 1)
      try writeRows(number, table, connection, &report.tables[number])
    }
    try writeMigrations(connection)
    try writeSequences(connection)
    for table in schema.tables {
      for index in table.indexes {
        if let sql = index.sql { try connection.define(sql) }
      }
    }
    try step(schema.tables.count, schema.tables.count + 1)
    try connection.execute("COMMIT")
    if let complaint = try IntegrityCheck.complaint(connection, .full) {
      throw RunFailure(
        .mismatch, "recover '\(path)': the new library is not sound (\(complaint)); nothing was written",
        advice: "Please report this.")
    }
  }

  // MARK: Rows

  private func writeRows(
    _ number: Int, _ table: RecoverySchema.Table, _ connection: SQLiteConnection,
    _ count: inout LibraryRecovery.Report.Table
  ) throws {
    var inserts: [Int: SQLiteStatement] = [:]
    func insert(_ row: SQLiteStatement) throws -> Bool {
      let columns = Int(row.integer(at: 4))
      let statement = try inserts[columns] ?? prepare(table, columns, connection)
      inserts[columns] = statement
      statement.bind(row.integer(at: 1), at: 1)
      for (index, value) in RecoveryStore.values(row, columns).enumerated() where index != table.rowidColumn {
        RecoveryStore.bind(value, statement, at: index + 2)
      }
      // A row that violates a constraint of the table, for example because its id already exists, is not inserted.
      do throws(SQLiteError) {
        try statement.run()
        return true
      } catch {
        guard error.isConstraint else { throw error }
        return false
      }
    }
    // All rows of the tree count, except rows whose id is in no index and does not look like an id.
    let unlisted = AppSchema.contentTables.contains(table.name) ? try store.unlisted(number) : []
    var uncertain: [Int64] = []
    try store.rows(number, "origin = 'tree'") { row in
      let seq = row.integer(at: 0)
      let isTrusted = !unlisted.contains(seq) || isUUID(RecoveryStore.values(row, 1)[0])
      if try isTrusted && insert(row) { count.reachable += 1 } else { uncertain.append(seq) }
    }
    try store.settleTree(number, except: uncertain)
    count.uncertain += uncertain.count
    // These are rows that a tree should contain and an index lists. If there are several versions, it is unknown which
    // one is right.
    try store.rows(number, "state = 0 AND origin IN ('unreachablePage', 'damagedPage')") { row in
      guard try store.isListed(number, row, onlyByTrees: schema.isComplete), try store.isTheOnlyOne(number, row),
        try insert(row)
      else { return }
      try store.set(number, row.integer(at: 0), .restored)
      count.confirmed += 1
    }
    count.uncertain += try store.settleRest(number)
  }

  private func isUUID(_ value: RecoveredValue) -> Bool {
    guard case .text(let bytes) = value else { return false }
    return bytes.withUnsafeBufferPointer { CanonicalUUID.form(of: $0) != .none }
  }

  private func prepare(
    _ table: RecoverySchema.Table, _ count: Int, _ connection: SQLiteConnection
  ) throws(SQLiteError) -> SQLiteStatement {
    // If the row is too short for a column, the column gets its default value.
    let columns = (0..<count).filter { $0 != table.rowidColumn }
    let rowid = table.rowidColumn.map { table.columns[$0] } ?? "rowid"
    let names = [rowid] + columns.map { table.columns[$0] }
    let marks = ["?1"] + columns.map { "?\($0 + 2)" }
    return try connection.prepare(
      "INSERT INTO \(RowCursor.quoted(table.name)) (\(names.map(RowCursor.quoted).joined(separator: ", "))) "
        + "VALUES (\(marks.joined(separator: ", ")))")
  }

  /// Sets the counters, so that the numbers of removed operations are not reused.
  private func writeSequences(_ connection: SQLiteConnection) throws(SQLiteError) {
    for (table, number) in store.sequences
    where schema.tables.contains(where: { $0.name == table && $0.rowidColumn != nil }) {
      guard try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'") > 0 else {
        return
      }
      let change = try connection.prepare(
        try connection.number("SELECT count(*) FROM sqlite_sequence WHERE name = ?", [table]) > 0
          ? "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1"
          : "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)")
      change.bind(table, at: 1)
      change.bind(number, at: 2)
      try change.run()
    }
  }

  /// Lists the app's migrations if their list was lost.
  private func writeMigrations(_ connection: SQLiteConnection) throws(SQLiteError) {
    guard try connection.number("SELECT count(*) FROM grdb_migrations") == 0 else { return }
    for step in schema.app.steps {
      let insert = try connection.prepare("INSERT INTO grdb_migrations VALUES (?)")
      insert.bind(step, at: 1)
      try insert.run()
    }
  }
}
