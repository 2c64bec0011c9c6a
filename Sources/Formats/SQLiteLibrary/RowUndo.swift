import Interchange
import SQLiteIO

/// Undoes a run's changes to a library's rows, last change first, inside the caller's transaction.
package final class LibraryRowsUndo {
  private let connection: SQLiteConnection
  private let reader: UndoJournalReader
  private var undos: [String: RowUndo] = [:]

  package init(_ connection: SQLiteConnection, _ reader: UndoJournalReader) {
    self.connection = connection
    self.reader = reader
  }

  /// Returns the undo of a table in its current form.
  /// - Throws: `RunFailure` with status 4 if the table's definition has changed since the run.
  private func undo(_ table: JournalTable) throws -> RowUndo {
    if let known = undos[table.name] { return known }
    guard try JournalTable(table.name, in: connection) == table else {
      throw RunFailure(
        .refused, "undo the run: the definition of '\(table.name)' has changed; nothing was changed",
        advice: "Earlier copies of the library are in its 'backups' folder.")
    }
    let undo = try RowUndo(table, connection)
    undos[table.name] = undo
    return undo
  }

  /// Undoes every change for which `skips` is false.
  /// - Parameter body: called for each row with the reason why its change was not undone; nil if the change was
  ///   undone.
  /// - Throws: `RunFailure`, `SQLiteError`; the transaction must then be rolled back.
  package func run(
    skips: (RowImage) -> Bool, _ body: (RowImage, UndoObstacle?) throws -> Void
  ) throws {
    var count = 0
    try reader.backwards { image in
      guard !image.table.isBeside, !skips(image) else { return }
      count += 1
      if count % 4096 == 0 { try Interruption.check() }
      try body(image, undo(image.table).undo(image).map(UndoObstacle.init))
    }
    for one in reader.extras.sequences { try restore(one) }
  }

  /// Restores an AUTOINCREMENT counter, unless it has been increased since then.
  private func restore(_ one: (table: String, old: String?, new: String?)) throws(SQLiteError) {
    guard try UndoJournalWriter.sequences(connection)[one.table] == one.new else { return }
    if let old = one.old.flatMap(Int64.init) {
      let name = one.table.replacing("'", with: "''")
      let isThere = try connection.number("SELECT count(*) FROM sqlite_sequence WHERE name = ?", [one.table]) > 0
      try connection.execute(
        isThere
          ? "UPDATE sqlite_sequence SET seq = \(old) WHERE name = '\(name)'"
          : "INSERT INTO sqlite_sequence (name, seq) VALUES ('\(name)', \(old))")
    } else if one.old == nil {
      try connection.execute(
        "DELETE FROM sqlite_sequence WHERE name = '\(one.table.replacing("'", with: "''"))'")
    }
  }

  /// Whether the library has the changes that a run was about to commit. This is the case if most of the run's last
  /// changes are present.
  package static func isCommitted(_ reader: UndoJournalReader, _ connection: SQLiteConnection) throws -> Bool {
    struct Enough: Error {}
    var seen = Set<String>()
    var there = 0
    do {
      try reader.backwards { image in
        guard !image.table.isBeside, seen.insert("\(image.table.name)\u{0}\(image.id)").inserted else { return }
        guard try JournalTable(image.table.name, in: connection) == image.table else { throw Enough() }
        let now = try RowUndo(image.table, connection).current(image)
        let isThere = image.operation == .delete ? now == nil : now?.hash == image.hash
        if isThere { there += 1 }
        if seen.count == 64 { throw Enough() }
      }
    } catch is Enough {}
    return there * 2 > seen.count
  }
}

/// Undoes a run's changes in the sidecar: records, packs, and the recorded state of sources. Runs inside the caller's
/// transaction of the store.
package final class StoreUndo {
  private let store: StateStore
  private let reader: UndoJournalReader
  private let journal: UndoJournalWriter?
  private let skips: (String) -> Bool
  private var undos: [String: RowUndo] = [:]
  /// The records that were changed after the run.
  package private(set) var obstacles: [(kind: String, id: String, what: UndoObstacle, line: [UInt8]?)] = []
  /// The records that were removed or restored.
  package private(set) var effects: [(kind: String, id: String, isRemoved: Bool)] = []

  /// Prepares the undo.
  /// - Parameters:
  ///   - journal: records this undo's own changes; nil if a killed undo is being reverted.
  ///   - skips: whether the record with a given id is left unchanged.
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

  /// Undoes every change, last change first.
  /// - Throws: `RunFailure`, `SQLiteError`; the transaction must then be rolled back.
  package func run() throws {
    try reader.backwards { image in
      guard image.table.isBeside, JournalTable.beside.contains(image.table) else { return }
      try revert(image)
    }
    try removeNewOnes()
    // A base text that was not kept cannot be used.
    if reader.tables.contains(.ledger) {
      try store.connection.execute(
        "UPDATE ledger SET base = NULL WHERE base IS NOT NULL AND base >> 16 NOT IN (SELECT id FROM bases)")
    }
  }

  private func revert(_ image: RowImage) throws {
    switch image.table {
    case .sources, .files:
      // A row that the run inserted is removed if nothing refers to it.
      if image.operation == .insert { return try removeUnused(image) }
      _ = try undo(image.table).undo(image, journal: journal)
    case .ledger:
      if try skips(target(image)) { return }
      _ = try undo(.ledger).undo(image, journal: journal)
    case .publications:
      // The registry's answers since the run are newer than the state before the run.
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

  /// Returns the library id of a record in the ledger.
  private func target(_ image: RowImage) throws(SQLiteError) -> String {
    guard let now = try undo(.ledger).current(image, copying: true), now.values[4] != .null else {
      return image.key[2].string
    }
    return now.values[4].string
  }

  /// Removes from the ledger the records that the run imported for the first time, and the sources and files that the
  /// run added.
  private func removeNewOnes() throws {
    let extras = reader.extras
    if let run = extras.ledgerRun { try removeFromLedger("run = \(run)") { !skips($0) } }
    try removeUnused(.files, extras.files)
    try removeUnused(.sources, extras.sources)
  }

  /// Removes later runs' entries from the ledger for records that were undone, because these entries are outdated.
  /// - Parameter isUndone: whether the library's record with a given id was undone.
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
    // A row is removed after the cursor has moved to the next one.
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

/// Undoes a run's changes to a table's rows, one at a time, if the rows are still as the run left them.
final class RowUndo {
  /// The reason why a row's change cannot be undone.
  enum Obstacle: Sendable {
    /// The row was changed.
    case changed
    /// The row was deleted.
    case gone
    /// Another row now has the same key.
    case taken
  }

  let table: JournalTable
  private let connection: SQLiteConnection
  private let select: SQLiteStatement
  private let remove: SQLiteStatement
  private let insert: SQLiteStatement
  private var updates: [[Int]: SQLiteStatement] = [:]
  /// The number of columns that precede the table's own columns in the result of `select`.
  private let shift: Int

  init(_ table: JournalTable, _ connection: SQLiteConnection) throws(SQLiteError) {
    self.table = table
    self.connection = connection
    shift = table.hasRows ? 1 : 0
    let row = table.hasRows ? "rowid, " : ""
    select = try connection.prepare("SELECT \(row)\(table.columnList) FROM \(table.sql) WHERE \(Self.condition(table))")
    remove = try connection.prepare("DELETE FROM \(table.sql) WHERE \(Self.place(table))")
    let marks = Array(repeating: "?", count: table.columns.count + shift).joined(separator: ", ")
    insert = try connection.prepare("INSERT INTO \(table.sql) (\(row)\(table.columnList)) VALUES (\(marks))")
  }

  /// Returns the condition that finds a row by its key, or by its number if the row has no key.
  private static func condition(_ table: JournalTable) -> String {
    table.keys.isEmpty
      ? "rowid = ?" : table.keys.map { "\(JournalTable.quoted(table.columns[$0])) = ?" }.joined(separator: " AND ")
  }

  /// Returns the condition that finds a row again, by its number if the row has one.
  private static func place(_ table: JournalTable) -> String { table.hasRows ? "rowid = ?" : condition(table) }

  /// The row's current state.
  struct Current {
    let row: Int64
    let hash: UInt64
    /// All columns; empty unless they were requested.
    let values: [JournalValue]
  }

  func current(_ image: RowImage, copying: Bool = false) throws(SQLiteError) -> Current? {
    if table.keys.isEmpty { select.bind(image.row, at: 1) }
    for (index, value) in image.key.enumerated() { value.bind(to: select, at: index + 1) }
    defer { select.reset() }
    guard try select.step() else { return nil }
    var hash = RowHash()
    var values: [JournalValue] = []
    for column in table.columns.indices {
      let value = select.value(at: column + shift)
      if table.counts(column) { hash.add(value) }
      if copying { values.append(JournalValue(value)) }
    }
    return Current(row: shift == 1 ? select.integer(at: 0) : 0, hash: hash.state, values: values)
  }

  /// Undoes a change. Returns nil on success.
  /// - Parameter journal: the journal that records this undo's changes, for tables that are not watched.
  func undo(_ image: RowImage, journal: UndoJournalWriter? = nil) throws -> Obstacle? {
    let now = try current(image, copying: journal != nil)
    switch image.operation {
    case .insert:
      guard let now else { return .gone }
      guard now.hash == image.hash else { return .changed }
      try delete(image, now.row)
      try journal?.add(table, old: now.values, new: nil)
    case .update:
      guard let now else { return .gone }
      guard now.hash == image.hash else { return .changed }
      try update(image, now.row)
      guard let journal else { return nil }
      var values = now.values
      for (column, value) in image.old { values[column] = value }
      try journal.add(table, old: now.values, new: values)
    case .delete:
      guard now == nil else { return .taken }
      guard try reinsert(image) else { return .taken }
      try journal?.add(table, old: nil, new: image.old.map(\.value))
    }
    return nil
  }

  private func delete(_ image: RowImage, _ row: Int64) throws(SQLiteError) {
    if table.hasRows { remove.bind(row, at: 1) } else { bind(image.key, to: remove, from: 1) }
    try remove.run()
  }

  private func bind(_ values: [JournalValue], to statement: SQLiteStatement, from first: Int) {
    for (index, value) in values.enumerated() { value.bind(to: statement, at: first + index) }
  }

  private func update(_ image: RowImage, _ row: Int64) throws(SQLiteError) {
    let columns = image.old.map(\.column)
    let statement: SQLiteStatement
    if let known = updates[columns] {
      statement = known
    } else {
      var list = columns.map { "\(JournalTable.quoted(table.columns[$0])) = ?" }
      // From now on, the state that the previous run left is unknown.
      if table == .ledger { list += ["old_hash", "old_run", "old_target", "old_base"].map { "\($0) = NULL" } }
      statement = try connection.prepare(
        "UPDATE \(table.sql) SET \(list.joined(separator: ", ")) WHERE \(Self.place(table))")
      updates[columns] = statement
    }
    bind(image.old.map(\.value), to: statement, from: 1)
    if table.hasRows {
      statement.bind(row, at: columns.count + 1)
    } else {
      bind(image.key, to: statement, from: columns.count + 1)
    }
    try statement.run()
  }

  /// Restores a row, with its old number if the number is free. Returns false if a constraint forbids the row.
  private func reinsert(_ image: RowImage) throws(SQLiteError) -> Bool {
    if shift == 1 {
      let isFree = try connection.number("SELECT count(*) FROM \(table.sql) WHERE rowid = \(image.row)") == 0
      if isFree { insert.bind(image.row, at: 1) } else { insert.bindNull(at: 1) }
    }
    bind(image.old.map(\.value), to: insert, from: 1 + shift)
    do throws(SQLiteError) {
      try insert.run()
      return true
    } catch {
      guard error.isConstraint else { throw error }
      return false
    }
  }
}

/// The reason why the change to a record is not undone.
public enum UndoObstacle: String, Encodable, Sendable {
  /// The record was changed after the run.
  case changed
  /// The record was deleted after the run.
  case deleted
  /// The record was created again after the run.
  case madeAnew = "made anew"
  /// A newer record refers to the record.
  case needed

  init(_ obstacle: RowUndo.Obstacle) {
    self =
      switch obstacle {
      case .changed: .changed
      case .gone: .deleted
      case .taken: .madeAnew
      }
  }
}
