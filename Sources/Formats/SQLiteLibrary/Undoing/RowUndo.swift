import SQLiteIO

/// Takes back what a run did to rows of one table, one at a time, if they are still what the run left.
final class RowUndo {
  /// Why a row cannot be taken back.
  enum Obstacle: Sendable {
    /// It was changed.
    case changed
    /// It was deleted.
    case gone
    /// There is one of its key again.
    case taken
  }

  let table: JournalTable
  private let connection: SQLiteConnection
  private let select: SQLiteStatement
  private let remove: SQLiteStatement
  private let insert: SQLiteStatement
  private var updates: [[Int]: SQLiteStatement] = [:]
  /// How many columns stand before the table's own in what `select` gives.
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

  /// Finds a row by its key, or by its number where it has none.
  private static func condition(_ table: JournalTable) -> String {
    table.keys.isEmpty
      ? "rowid = ?" : table.keys.map { "\(JournalTable.quoted(table.columns[$0])) = ?" }.joined(separator: " AND ")
  }

  /// Finds a row that was found, by its number where it has one.
  private static func place(_ table: JournalTable) -> String { table.hasRows ? "rowid = ?" : condition(table) }

  /// What is there now.
  struct Current {
    let row: Int64
    let hash: UInt64
    /// All columns; empty unless they were asked for.
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

  /// Takes a change back; nil when it is done.
  /// - Parameter journal: keeps what this does, for tables that nobody watches.
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
      guard try put(image) else { return .taken }
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
      // What the run before left is not known any more.
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

  /// Puts a row back, under its number if that is free; false when something forbids it.
  private func put(_ image: RowImage) throws(SQLiteError) -> Bool {
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
