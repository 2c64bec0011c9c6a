import Content
import Diagnostics
import JSONText
import SQLiteIO

/// Looks up single library records and returns them in the form that the reader returns.
///
/// Lookups use the connection that is changing the library, so they see uncommitted changes. Lookups do not report
/// damage; only reading the whole library does.
package final class LibraryLookup {
  let connection: SQLiteConnection
  private let ids: IDNormalizer
  private let charters: RowCursor?
  private let content: RowCursor?
  private let checklists: RowCursor?
  private let guides: RowCursor?
  private let executions: RowCursor?
  private let pairs: RowCursor?
  private var encoder: RowEncoder
  private var out = ByteBuffer(capacity: 1 << 14)

  /// Prepares lookups in a library that is being changed.
  package convenience init(_ library: WritableLibrary) throws(SQLiteError) {
    try self.init(library.connection, library.schema, path: library.path)
  }

  /// Prepares lookups in a library through the given connection.
  /// - Parameter path: the library's name in messages.
  package init(_ connection: SQLiteConnection, _ schema: LibrarySchema, path: String) throws(SQLiteError) {
    self.connection = connection
    ids = IDNormalizer(connection: connection, schema: schema)
    encoder = RowEncoder(file: path, findings: DiagnosticLog(keepPerCode: 0))
    func open(_ map: TableMap, _ keys: [String] = ["id"]) throws(SQLiteError) -> RowCursor? {
      guard let layout = try ColumnLayout(map, schema: schema, connection: connection, ordered: false) else {
        return nil
      }
      return try RowCursor(layout, connection: connection, keys: keys)
    }
    charters = try open(TableMaps.charters)
    content = try open(TableMaps.content)
    checklists = try open(TableMaps.checklists)
    guides = try open(TableMaps.practiceGuides)
    executions = try open(TableMaps.executions)
    pairs = try open(TableMaps.executions, ["checklistID", "charterID"])
  }

  /// Returns the canonical line of a record, or nil if the library has no record with this id. The line is valid
  /// until the next lookup.
  package func record(
    _ kind: RecordKind, id: Span<UInt8>
  ) throws(SQLiteError) -> UnsafeBufferPointer<UInt8>? {
    out.removeAll()
    return try append(kind, id: id, to: &out) ? out.bytes : nil
  }

  /// Appends a record's canonical line. Returns false if the library has no record with this id.
  /// - Parameter sections: the canonical array of sections that the record probably has, with known members only. It
  ///   only saves time: the appended line is the same without this array.
  package func append(
    _ kind: RecordKind, id: Span<UInt8>, sections: UnsafeBufferPointer<UInt8>? = nil,
    to out: inout ByteBuffer
  ) throws(SQLiteError) -> Bool {
    encoder.knownSections = sections
    defer { encoder.knownSections = nil }
    switch kind {
    case .charter:
      guard let charters, try charters.seek(id) else { return false }
      RowRecord.writeCharter(charters, ids: ids, encoder: &encoder, into: &out)
      charters.rest()
    case .item: return try writeItem(id, into: &out)
    case .execution:
      guard let executions, try executions.seek(id) else { return false }
      writeExecution(executions, into: &out)
    default: return false
    }
    return true
  }

  /// Returns the canonical line of a checklist's execution on a charter, regardless of the execution's id, or nil if
  /// the library has no such execution.
  package func execution(
    checklist: Span<UInt8>, charter: Span<UInt8>
  ) throws(SQLiteError) -> UnsafeBufferPointer<UInt8>? {
    out.removeAll()
    guard let pairs, try pairs.seek(checklist, charter) else { return nil }
    writeExecution(pairs, into: &out)
    return out.bytes
  }

  private func writeExecution(_ row: RowCursor, into out: inout ByteBuffer) {
    let index = row.map.columns.firstIndex { $0.column == "checklistID" } ?? 0
    let checklist = row.positions[index] >= 0 ? row.statement.text(at: row.positions[index]) ?? "" : ""
    RowRecord.writeExecution(row, checklistID: checklist, ids: ids, encoder: &encoder, into: &out)
    row.rest()
  }

  private func writeItem(
    _ id: Span<UInt8>, into out: inout ByteBuffer
  ) throws(SQLiteError) -> Bool {
    let row = ItemJoin.Row(
      metadata: try found(id, content), checklist: try found(id, checklists), guide: try found(id, guides))
    guard row.metadata != nil || row.checklist != nil || row.guide != nil else { return false }
    ItemRecord.write(row, ids: ids, encoder: &encoder, into: &out)
    row.metadata?.rest()
    row.checklist?.rest()
    row.guide?.rest()
    return true
  }

  /// Moves the table's cursor to the row with the given id and returns the cursor. Returns nil if the table has no
  /// such row.
  private func found(_ id: Span<UInt8>, _ cursor: RowCursor?) throws(SQLiteError) -> RowCursor? {
    guard let cursor, try cursor.seek(id) else { return nil }
    return cursor
  }
}

/// Reads the records of an open library one by one, each with its findings and the rows that it was read from.
///
/// The records are those that `SQLiteLibraryReader` yields, except for rows of unknown tables. Memory is bounded by one
/// record.
package struct LibraryScan {
  /// A row that a record was read from: its table, and its id as stored.
  package struct Row: Sendable, Hashable {
    package let table: String
    package let id: String

    package init(table: String, id: String) {
      self.table = table
      self.id = id
    }
  }

  /// One record, valid only during the call that receives it.
  package struct Found {
    package let kind: RecordKind
    /// The metadata row, followed by the body rows.
    package let rows: [Row]
    /// The canonical line, recovered as far as possible.
    package let line: UnsafeBufferPointer<UInt8>
    /// The record's findings.
    package let findings: [Diagnostic]
    /// The step ids, in upper case, of the checklist that these ticks belong to; nil if the ids are unknown.
    package var stepIDs: Set<String>?
  }

  private let connection: SQLiteConnection
  private let schema: LibrarySchema
  private let file: String

  /// - Parameter file: the library's path as the user typed it.
  package init(_ connection: SQLiteConnection, _ schema: LibrarySchema, file: String) {
    self.connection = connection
    self.schema = schema
    self.file = file
  }

  /// Reads every item.
  /// - Throws: `SQLiteError`, or what `body` throws.
  package func items(_ body: (Found) throws -> Void) throws { try run([.item], body) }

  /// Reads all charters, items, executions and operations, each kind in the order of its ids.
  /// - Throws: `SQLiteError`, or what `body` throws.
  package func run(_ body: (Found) throws -> Void) throws {
    try run([.charter, .item, .execution, .syncOperation], body)
  }

  /// Reads every row of the tables that are not part of the app's schema, as foreign records.
  /// - Throws: `SQLiteError`, or what `body` throws.
  package func foreign(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    let rows = UnknownTables(schema: schema, connection: connection)
    var out = ByteBuffer(capacity: 1 << 12)
    while try rows.next(into: &out) {
      try body(out.bytes)
      out.removeAll()
    }
  }

  private func run(_ kinds: Set<RecordKind>, _ body: (Found) throws -> Void) throws {
    let log = DiagnosticLog(keepPerCode: .max)
    let ids = IDNormalizer(connection: connection, schema: schema)
    var encoder = RowEncoder(file: file, findings: log)
    var out = ByteBuffer(capacity: 1 << 16)
    func give(_ kind: RecordKind, _ rows: [Row], steps: Set<String>? = nil, _ out: inout ByteBuffer) throws {
      try body(Found(kind: kind, rows: rows, line: out.bytes, findings: log.drain(), stepIDs: steps))
      out.removeAll()
    }
    if kinds.contains(.charter),
      let charters = try RowCursor(TableMaps.charters, schema: schema, connection: connection)
    {
      while try charters.advance() {
        RowRecord.writeCharter(charters, ids: ids, encoder: &encoder, into: &out)
        try give(.charter, [Self.row(charters)], &out)
      }
    }
    let join = try ItemJoin(ItemLayouts(schema: schema, connection: connection, markEvery: nil), connection: connection)
    while let row = try join.next() {
      ItemRecord.write(row, ids: ids, encoder: &encoder, into: &out)
      try give(.item, [row.metadata, row.checklist, row.guide].compactMap { $0.map(Self.row) }, &out)
    }
    guard kinds.count > 1 else { return }
    if let executions = try ExecutionRows(schema: schema, connection: connection) {
      while try executions.next() {
        RowRecord.writeExecution(executions, ids: ids, encoder: &encoder, into: &out)
        try give(.execution, [Self.row(executions.cursor)], steps: executions.stepIDs, &out)
      }
    }
    if let queue = try RowCursor(TableMaps.queue, schema: schema, connection: connection) {
      while try queue.advance() {
        try RowRecord.writeOperation(queue, ids: ids, encoder: &encoder, into: &out)
        try give(.syncOperation, [Self.row(queue)], &out)
      }
    }
  }

  private static func row(_ cursor: RowCursor) -> Row {
    Row(table: cursor.map.table, id: String(decoding: cursor.id, as: UTF8.self))
  }
}
