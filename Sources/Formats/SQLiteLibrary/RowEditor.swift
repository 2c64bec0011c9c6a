import Content
import CSQLite
import JSONText
import SQLiteIO

/// Overwrites the rows that records were read from with the repaired records, in the app's current encoding.
///
/// Unknown columns keep their values. Every schema version is supported: members for which the library has no column
/// are not written.
package final class RowEditor {
  private let connection: SQLiteConnection
  private let now: Timestamp
  private let charters: RowWriter?
  private let content: RowWriter?
  private let checklists: RowWriter?
  private let guides: RowWriter?
  private let executions: RowWriter?
  private let queue: RowWriter?
  /// Writes queue rows without their payloads. It is used for operations that were sent, because a sent payload is
  /// history.
  private let sentQueue: RowWriter?

  /// Prepares the tables of a library.
  /// - Parameter now: the time that is written where a row requires a time and the record has none.
  package init(_ connection: SQLiteConnection, _ schema: LibrarySchema, now: Timestamp) throws(SQLiteError) {
    self.connection = connection
    self.now = now
    func writer(_ map: TableMap, _ shape: Shape) throws(SQLiteError) -> RowWriter? {
      try RowWriter(map, shape, tables: schema.tables, connection)
    }
    charters = try writer(TableMaps.charters, Shapes.charter)
    content = try writer(TableMaps.content, Shapes.item)
    checklists = try writer(TableMaps.checklists, Shapes.checklist)
    guides = try writer(TableMaps.practiceGuides, Shapes.practiceGuide)
    executions = try writer(TableMaps.executions, Shapes.execution)
    queue = try writer(TableMaps.queue, Shapes.syncOperation)
    sentQueue = try writer(
      TableMap(table: TableMaps.queue.table, columns: TableMaps.queue.columns.filter { $0.column != "payload" }),
      Shapes.syncOperation)
  }

  /// The reason why a record could not be written.
  package struct Conflict: Error {
    /// A description of the reason, without the record's name.
    package let reason: String
  }

  /// Overwrites a record's rows. An item without a metadata row gets one.
  /// - Parameters:
  ///   - line: the canonical line, without extras.
  ///   - keepsPayload: whether a queued operation's payload is left as stored.
  /// - Throws: `Conflict` if a constraint forbids the row, `SQLiteError` for all other failures. Rows that were
  ///   already written remain written.
  package func write(
    _ line: UnsafeBufferPointer<UInt8>, _ kind: RecordKind, over rows: [LibraryScan.Row], keepsPayload: Bool = false
  ) throws {
    var tape = JSONTape(capacity: line.count / 8 + 16)
    let parse = try tape.parse(line.span)
    let node = JSONNode(text: line.baseAddress ?? EncodedColumn.nowhere, tokens: tape.tokens, index: parse.root)
    switch kind {
    case .charter: try writeCharter(node, rows)
    case .item: try writeItem(node, rows)
    case .execution: try writeExecution(node, rows)
    case .syncOperation: try writeOperation(node, rows, keepsPayload: keepsPayload)
    default: break
    }
  }

  /// Returns the number that the app would assign to the next operation. Numbers of removed operations are not reused.
  package func nextOperation() throws(SQLiteError) -> Int64 {
    guard queue != nil else { return 1 }
    let given = try connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'sync_queue'")
    let last = max(given, try connection.number("SELECT max(id) FROM sync_queue"))
    guard last < .max else {
      throw SQLiteError(
        code: 1, message: "'sync_queue' has no free row number: no row can be added", operation: "add to the queue"
      )
    }
    return last + 1
  }

  /// Adds an operation to the queue.
  /// - Throws: `Conflict` if the operation's number is already used.
  package func addOperation(_ line: String) throws {
    guard let queue else { return }
    let document = try JSONDocument(parsing: line)
    try document.withNode(document.root.tokenIndex) { node in
      queue.load(node)
      queue.fallback = now
      queue.createdFallback = now
      if case .rejected(_, let reason)? = try queue.insert(.syncOperation) { throw Conflict(reason: reason) }
    }
  }

  /// Adds a missing body to an item.
  /// - Parameters:
  ///   - line: the whole item.
  ///   - id: the item's id in its metadata row.
  /// - Throws: `SQLiteError`; an existing body with that id is left unchanged.
  package func addBody(_ line: UnsafeBufferPointer<UInt8>, id: String) throws {
    let document = try JSONDocument(parsing: line.span)
    try document.withNode(document.root.tokenIndex) { node in
      let isGuide = node.member("content_type")?.equals("practice_guide") ?? false
      guard let writer = isGuide ? guides : checklists, let body = node.member("content_data") else { return }
      writer.load(body)
      writer.fallback = writer.date("updatedAt") ?? writer.date("createdAt") ?? now
      writer.createdFallback = writer.date("createdAt") ?? writer.fallback
      guard try writer.insert(.item) == nil, writer.ownID != id else { return }
      let table = isGuide ? "practice_guides" : "checklists"
      _ = try connection.rows("UPDATE \(table) SET id = ? WHERE id = ?", [id, writer.ownID])
    }
  }

  /// Returns a row of an unknown table as a foreign record; nil if the row does not exist.
  package static func foreignLine(
    _ table: String, row: Int64, _ connection: SQLiteConnection
  ) throws(SQLiteError) -> [UInt8]? {
    let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [table]).compactMap { $0[0] }
    let select = try connection.prepare(
      "SELECT \(columns.map(RowCursor.quoted).joined(separator: ", ")) FROM \(RowCursor.quoted(table)) WHERE rowid = ?")
    select.bind(row, at: 1)
    guard try select.step() else { return nil }
    var out = ByteBuffer(capacity: 1024)
    UnknownTables.write(select, table: table, number: row, into: &out)
    return Array(out.bytes)
  }

  /// Removes rows from the library.
  package func remove(_ rows: [LibraryScan.Row]) throws(SQLiteError) {
    for row in rows {
      let delete = try connection.prepare("DELETE FROM \(RowCursor.quoted(row.table)) WHERE id = ?")
      delete.bind(row.id, at: 1)
      try delete.run()
      try expectOneRow("remove a row of '\(row.table)'")
    }
  }

  // MARK: Kinds

  private func writeCharter(_ node: JSONNode, _ rows: [LibraryScan.Row]) throws {
    guard let charters, let row = rows.first else { return }
    charters.load(node)
    let times = ["start_date", "end_date", "created_at", "updated_at"] as [StaticString]
    let day = times.lazy.compactMap { charters.date($0) }.first ?? now
    charters.fallback = day
    charters.createdFallback = charters.date("updated_at") ?? day
    try update(charters, row)
  }

  private func writeItem(_ node: JSONNode, _ rows: [LibraryScan.Row]) throws {
    guard let content else { return }
    content.load(node)
    let isGuide = node.member("content_type")?.equals("practice_guide") ?? false
    let bodyRow = isGuide ? guides : checklists
    let body = node.member("content_data").flatMap { $0.kind == .object ? $0 : nil }
    if let body { bodyRow?.load(body) }
    let created = content.date("created_at") ?? body.flatMap { _ in bodyRow?.date("createdAt") }
    let updated = content.date("updated_at") ?? body.flatMap { _ in bodyRow?.date("updatedAt") }
    let instead = created ?? updated ?? now
    for writer in [content, bodyRow].compactMap({ $0 }) {
      writer.fallback = updated ?? instead
      writer.createdFallback = created ?? instead
    }
    if let row = rows.first(where: { $0.table == "library_content" }) {
      try update(content, row)
    } else if case .rejected(_, let reason)? = try content.insert(.item) {
      throw Conflict(reason: reason)
    }
    let table = isGuide ? "practice_guides" : "checklists"
    if body != nil, let bodyRow, let row = rows.first(where: { $0.table == table }) { try update(bodyRow, row) }
  }

  private func writeExecution(_ node: JSONNode, _ rows: [LibraryScan.Row]) throws {
    guard let executions, let row = rows.first else { return }
    executions.load(node)
    let time = executions.date("created_at") ?? executions.date("last_updated") ?? now
    executions.createdFallback = time
    executions.fallback = executions.date("last_updated") ?? time
    try update(executions, row)
  }

  private func writeOperation(_ node: JSONNode, _ rows: [LibraryScan.Row], keepsPayload: Bool) throws {
    guard let writer = keepsPayload ? sentQueue : queue, let row = rows.first else { return }
    writer.load(node)
    writer.fallback = now
    writer.createdFallback = writer.date("synced_at") ?? now
    try update(writer, row)
  }

  private func update(_ writer: RowWriter, _ row: LibraryScan.Row) throws {
    do throws(SQLiteError) {
      try writer.update(row: row.id)
    } catch {
      guard error.isConstraint else { throw error }
      let isUnique = error.message.contains("checklistExecutionStates.checklistID")
      throw Conflict(
        reason: isUnique
          ? "the charter already has another execution of the same checklist"
          : "the table forbids it: \(error.message)")
    }
    try expectOneRow("change a row of '\(row.table)'")
  }

  /// Throws unless exactly one row was changed. Otherwise a row that cannot be found by its own id would be skipped
  /// silently.
  private func expectOneRow(_ what: String) throws(SQLiteError) {
    let count = sqlite3_changes64(connection.handle)
    if count != 1 { throw SQLiteError(code: SQLITE_INTERNAL, message: "\(count) rows were changed", operation: what) }
  }
}
