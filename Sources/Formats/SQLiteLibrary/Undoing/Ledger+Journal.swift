import SQLiteIO

extension Ledger {
  /// Keeps in a journal what this run is about to make of what lies beside the library.
  /// - Throws: `RunFailure`, `SQLiteError`.
  package func keep(in journal: UndoJournalWriter) throws {
    let connection = store.connection
    func each(_ sql: String, _ body: (SQLiteStatement) throws -> Void) throws {
      let rows = try connection.prepare(sql)
      while try rows.step() { try body(rows) }
    }
    func values(_ row: SQLiteStatement, _ columns: Range<Int>) -> [JournalValue] {
      columns.map { JournalValue(row.value(at: $0)) }
    }
    try each(
      """
      SELECT new.kind, new.id, old.line, new.line FROM staged_records AS new
      LEFT JOIN records AS old ON old.kind = new.kind AND old.id = new.id WHERE new.run = \(run)
      """
    ) { row in
      let key = values(row, 0..<2)
      let (old, new) = (JournalValue(row.value(at: 2)), JournalValue(row.value(at: 3)))
      if old != new { try journal.add(.records, old: old == .null ? nil : key + [old], new: key + [new]) }
    }
    try each(
      """
      SELECT new.name, old.version, old.sha256, old.key, new.version, new.sha256, new.key FROM staged_packs AS new
      LEFT JOIN packs AS old ON old.name = new.name WHERE new.run = \(run)
      """
    ) { row in
      let name = values(row, 0..<1)
      let (old, new) = (values(row, 1..<4), values(row, 4..<7))
      if old != new { try journal.add(.packs, old: old[0] == .null ? nil : name + old, new: name + new) }
    }
    // Once the library has gone back, what a pull brought must be news again.
    try each(
      """
      SELECT new.content_id, old.public_id, old.registry_id, old.digest, old.synced_at, new.public_id, new.registry_id,
      new.digest, new.synced_at FROM staged_publications AS new
      LEFT JOIN publications AS old ON old.content_id = new.content_id WHERE new.run = \(run)
      """
    ) { row in
      let key = values(row, 0..<1)
      let (old, new) = (values(row, 1..<5), values(row, 5..<9))
      if old[0] == .null, new[0] == .null { return }
      try journal.add(
        .publications, old: old[0] == .null ? nil : key + old, new: new[0] == .null ? nil : key + new)
    }
    // What was met for the first time goes with the run's number; what was met before gets its old values back.
    try each(
      """
      SELECT source, kind, id, file, old_target, old_hash, old_run, old_base, target, hash, run, base FROM ledger
      WHERE run = \(run) AND old_run IS NOT NULL
      """
    ) { row in
      let key = values(row, 0..<4)
      try journal.add(.ledger, old: key + values(row, 4..<8), new: key + values(row, 8..<12))
    }
    let last = (try Self.last("sources", connection), try Self.last("files", connection))
    journal.note {
      $0.ledgerRun = run
      $0.sources = (first.sources, last.0)
      $0.files = (first.files, last.1)
    }
  }

  /// The largest number in use.
  static func last(_ table: String, _ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
    try connection.number("SELECT max(id) FROM \(table)")
  }
}
