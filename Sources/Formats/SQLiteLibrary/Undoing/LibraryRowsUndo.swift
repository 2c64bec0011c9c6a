import Interchange
import SQLiteIO

/// Takes back what a run did to the rows of a library, last change first, inside the caller's transaction.
package final class LibraryRowsUndo {
  private let connection: SQLiteConnection
  private let reader: UndoJournalReader
  private var undos: [String: RowUndo] = [:]

  package init(_ connection: SQLiteConnection, _ reader: UndoJournalReader) {
    self.connection = connection
    self.reader = reader
  }

  /// The table as it is now.
  /// - Throws: `RunFailure` with status 4 when it is not as the run knew it.
  private func undo(_ table: JournalTable) throws -> RowUndo {
    if let known = undos[table.name] { return known }
    guard try JournalTable(table.name, in: connection) == table else {
      throw RunFailure(
        .refused, "undo the run: the table '\(table.name)' is not made as it was then; nothing was changed",
        advice: "Copies of the library from before are in its folder 'backups'.")
    }
    let undo = try RowUndo(table, connection)
    undos[table.name] = undo
    return undo
  }

  /// Takes everything back that `skips` does not say yes to.
  /// - Parameter body: called for each row with why it was not taken back; nil when it was.
  /// - Throws: `RunFailure`, `SQLiteError`; the transaction must be rolled back then.
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

  /// Puts a counter of AUTOINCREMENT back, unless it went on since.
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

  /// Whether the library has what a run was about to commit: most of its last changes are there.
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
