import Content
import Foundation
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
    try store.classifyTree(number, except: uncertain)
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
    count.uncertain += try store.classifyRest(number)
  }

  private func isUUID(_ value: RecoveredValue) -> Bool {
    guard case .text(let bytes) = value else { return false }
    return CanonicalUUID.form(of: bytes.span) != .none
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

/// Makes records for the quarantine from rows that may be deleted or old.
///
/// All of these records are private, because publishing them is a separate decision. Operations of the queue become
/// foreign records, so that none of them is ever sent.
struct UncertainRecords {
  let store: RecoveryStore
  let schema: RecoverySchema
  /// The path of the damaged library.
  let library: String

  /// The maximum number of versions of one row that are kept.
  private static let versions = 64

  /// Returns all uncertain records: a bundle with the first version of each row, a bundle with the second versions, and
  /// so on.
  func bins() throws -> [QuarantineWriter] {
    for number in schema.tables.indices { try order(number) }
    var bins: [QuarantineWriter] = []
    while bins.count < Self.versions, let bin = try bin(bins.count + 1) { bins.append(bin) }
    return bins
  }

  /// Counts the versions of each row.
  private func order(_ number: Int) throws {
    try store.connection.execute(
      """
      CREATE TABLE u\(number) AS
        SELECT seq, row_number() OVER (PARTITION BY c0 ORDER BY seq) AS version
        FROM r\(number) WHERE state = \(RecoveryStore.State.uncertain.rawValue);
      CREATE INDEX u\(number)_version ON u\(number) (version);
      """)
  }

  /// Reads the rows of one version as a separate library; nil if there are no such rows.
  private func bin(_ version: Int) throws -> QuarantineWriter? {
    let bin = try QuarantineWriter()
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(folder.path + "/uncertain.sqlite", .create, .own)
    try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
    var reasons: [LibraryScan.Row: String] = [:]
    var rowCount = 0
    for (number, table) in schema.tables.enumerated() {
      let isQueue = table.name == "sync_queue"
      let name = RowCursor.quoted(isQueue ? "uncertain_sync_queue" : table.name)
      let columns = table.columns.map(RowCursor.quoted).joined(separator: ", ")
      try connection.execute("CREATE TABLE \(name) (\(columns))")
      if table.name == "grdb_migrations" {
        for step in schema.app.steps {
          let insert = try connection.prepare("INSERT INTO grdb_migrations VALUES (?)")
          insert.bind(step, at: 1)
          try insert.run()
        }
        continue
      }
      let marks = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
      let insert = try connection.prepare("INSERT INTO \(name) VALUES (\(marks))")
      let chosen = "seq IN (SELECT seq FROM u\(number) WHERE version = \(version))"
      try store.rows(number, chosen) { row in
        let values = RecoveryStore.values(row, table.columns.count)
        for (index, value) in values.enumerated() {
          let isVisibility = table.columns[index] == "visibility"
          RecoveryStore.bind(isVisibility ? .text(Array("private".utf8)) : value, insert, at: index + 1)
        }
        try insert.run()
        rowCount += 1
        guard case .text(let id)? = values.first, let origin = row.text(at: 2) else { return }
        reasons[LibraryScan.Row(table: table.name, id: String(decoding: id, as: UTF8.self))] =
          Self.reason(origin, page: row.integer(at: 3))
      }
    }
    guard rowCount > 0 else { return nil }
    try connection.execute("COMMIT")
    let layout = try LibrarySchema.read(connection, file: library)
    try LibraryScan(connection, layout, file: library).run { found in
      let reason = found.rows.lazy.compactMap { reasons[$0] }.first ?? "uncertain"
      try bin.add(found.line, because: reason)
    }
    try LibraryScan(connection, layout, file: library).foreign { try bin.add($0, because: "uncertain") }
    return bin
  }

  private static func reason(_ origin: String, page: Int64) -> String {
    switch RecoveryOrigin(rawValue: origin) {
    case .freelist: "uncertain: found on page \(page), which is free; it was deleted or moved"
    case .unreachablePage: "uncertain: found on page \(page), which no other page refers to"
    case .damagedPage: "uncertain: found on page \(page), which is damaged"
    case .uncommitted: "uncertain: found in a change of page \(page) that was never committed"
    case .olderVersion: "uncertain: found in an older version of page \(page)"
    case .tree, nil: "uncertain: another row of page \(page) has its id"
    }
  }
}
