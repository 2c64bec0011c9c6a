import SQLiteIO

/// Takes back what a run did beside the library: records, packs, and what is remembered of sources. Inside the
/// caller's transaction of the store.
package final class StoreUndo {
  private let store: StateStore
  private let reader: UndoJournalReader
  private let journal: UndoJournalWriter?
  private let skips: (String) -> Bool
  private var undos: [String: RowUndo] = [:]
  /// Records that are not what the run left.
  package private(set) var obstacles: [(kind: String, id: String, what: UndoObstacle, line: [UInt8]?)] = []
  /// Records that were removed, and put back.
  package private(set) var effects: [(kind: String, id: String, isRemoved: Bool)] = []

  /// Prepares.
  /// - Parameters:
  ///   - journal: keeps what this does; nil when a killed undo is taken back.
  ///   - skips: whether a record stays as it is, by its id.
  package init(
    _ store: StateStore, _ reader: UndoJournalReader, journal: UndoJournalWriter?,
    skips: @escaping (String) -> Bool = { _ in false }
  ) {
    self.store = store
    self.reader = reader
    self.journal = journal
    self.skips = skips
  }

  private func undo(_ table: JournalTable) throws(SQLiteError) -> RowUndo {
    if let known = undos[table.name] { return known }
    let undo = try RowUndo(table, store.connection)
    undos[table.name] = undo
    return undo
  }

  /// Takes everything back, last change first.
  /// - Throws: `RunFailure`, `SQLiteError`; the transaction must be rolled back then.
  package func run() throws {
    try reader.backwards { image in
      guard image.table.isBeside, JournalTable.beside.contains(image.table) else { return }
      try take(image)
    }
    try removeNewOnes()
    // Texts that nobody kept are no base.
    if reader.tables.contains(.ledger) {
      try store.connection.execute(
        "UPDATE ledger SET base = NULL WHERE base IS NOT NULL AND base >> 16 NOT IN (SELECT id FROM bases)")
    }
  }

  private func take(_ image: RowImage) throws {
    switch image.table {
    case .sources, .files:
      // What a run made goes when nothing refers to it.
      if image.operation == .insert { return try removeUnused(image) }
      _ = try undo(image.table).undo(image, journal: journal)
    case .ledger:
      if try skips(target(image)) { return }
      _ = try undo(.ledger).undo(image, journal: journal)
    case .publications:
      // What the registry said since is newer than what it said before the run.
      if !skips(image.id) { _ = try undo(.publications).undo(image, journal: journal) }
    case .records:
      if skips(image.id) { return }
      if let obstacle = try undo(.records).undo(image, journal: journal) {
        let line = try undo(.records).current(image, copying: true)?.values[2]
        obstacles.append((image.key[0].string, image.id, UndoObstacle(obstacle), line.map { Array($0.string.utf8) }))
      } else {
        effects.append((image.key[0].string, image.id, image.operation == .insert))
      }
    default: _ = try undo(image.table).undo(image, journal: journal)
    }
  }

  /// The id in the library of a record that the ledger remembers.
  private func target(_ image: RowImage) throws(SQLiteError) -> String {
    guard let now = try undo(.ledger).current(image, copying: true), now.values[4] != .null else {
      return image.key[2].string
    }
    return now.values[4].string
  }

  /// Removes from the ledger what the run met for the first time, and sources and files that it made.
  private func removeNewOnes() throws {
    let extras = reader.extras
    if let run = extras.ledgerRun { try removeFromLedger("run = \(run)") { !skips($0) } }
    try removeUnused(.files, extras.files)
    try removeUnused(.sources, extras.sources)
  }

  /// Removes from the ledger what later runs remembered of records that were taken back: it is not true any more.
  /// - Parameter isUndone: whether a record of the library was taken back, by its id.
  package func removeLater(than run: Int64, isUndone: (String) -> Bool) throws {
    try removeFromLedger("run > \(run)", isUndone)
  }

  private func removeFromLedger(_ condition: String, _ isGone: (String) -> Bool) throws {
    let columns = JournalTable.ledger.columnList
    let select = try store.connection.prepare("SELECT \(columns) FROM ledger WHERE \(condition)")
    let remove = try store.connection.prepare(
      "DELETE FROM ledger WHERE source = ? AND kind = ? AND id = ? AND file = ?")
    var last: [JournalValue]?
    func removeLast() throws {
      guard let row = last else { return }
      for column in 0..<4 { row[column].bind(to: remove, at: column + 1) }
      try remove.run()
      try journal?.add(.ledger, old: row, new: nil)
    }
    // A row goes when the cursor stands on the next one.
    while try select.step() {
      let row = JournalTable.ledger.columns.indices.map { JournalValue(select.value(at: $0)) }
      try removeLast()
      last = isGone(row[4] == .null ? row[2].string : row[4].string) ? row : nil
    }
    try removeLast()
  }

  private static func isUsed(_ table: JournalTable) -> String {
    table == .files ? "SELECT file FROM ledger" : "SELECT source FROM ledger UNION SELECT source FROM files"
  }

  private func removeUnused(_ table: JournalTable, _ range: (Int64, Int64)) throws {
    guard range.1 > range.0 else { return }
    let select = try store.connection.prepare(
      """
      SELECT \(table.columnList) FROM \(table.name) WHERE id > \(range.0) AND id <= \(range.1)
      AND id NOT IN (\(Self.isUsed(table)))
      """)
    var rows: [[JournalValue]] = []
    while try select.step() { rows.append(table.columns.indices.map { JournalValue(select.value(at: $0)) }) }
    for row in rows {
      try store.connection.execute("DELETE FROM \(table.name) WHERE id = \(row[0].string)")
      try journal?.add(table, old: row, new: nil)
    }
  }

  private func removeUnused(_ image: RowImage) throws {
    let isUsed =
      try store.connection.number(
        "SELECT count(*) FROM (\(Self.isUsed(image.table))) AS used WHERE used.\(image.table == .files ? "file" : "source") = ?",
        [image.id]) > 0
    if !isUsed { _ = try undo(image.table).undo(image, journal: journal) }
  }
}
