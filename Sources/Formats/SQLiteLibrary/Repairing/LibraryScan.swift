import Content
import Diagnostics
import JSONText
import SQLiteIO

/// Reads every record of an open library one by one, with the findings that belong to it and the rows it lies in.
///
/// What `SQLiteLibraryReader` gives out, for those who want to know where it came from. Rows of unknown tables are
/// left out. Memory is bounded by one record.
package struct LibraryScan {
  /// A row that a record lies in: its table, and its id as it is stored.
  package struct Row: Sendable, Hashable {
    package let table: String
    package let id: String

    package init(table: String, id: String) {
      self.table = table
      self.id = id
    }
  }

  /// One record, valid inside the call that lends it.
  package struct Found {
    package let kind: RecordKind
    /// The metadata's row first, then the bodies'.
    package let rows: [Row]
    /// The canonical line, recovered as far as possible.
    package let line: UnsafeBufferPointer<UInt8>
    /// What is wrong with it.
    package let findings: [Diagnostic]
    /// The ids, in upper case, of the steps of the checklist whose ticks these are; nil where they are unknown.
    package var stepIDs: Set<String>?
  }

  private let connection: SQLiteConnection
  private let schema: LibrarySchema
  private let file: String

  /// - Parameter file: the library as the user named it.
  package init(_ connection: SQLiteConnection, _ schema: LibrarySchema, file: String) {
    self.connection = connection
    self.schema = schema
    self.file = file
  }

  /// Reads every item.
  /// - Throws: `SQLiteError`, or what `body` throws.
  package func items(_ body: (Found) throws -> Void) throws { try run([.item], body) }

  /// Reads everything: charters, items, executions, operations, each by id.
  /// - Throws: `SQLiteError`, or what `body` throws.
  package func run(_ body: (Found) throws -> Void) throws {
    try run([.charter, .item, .execution, .syncOperation], body)
  }

  /// Reads every row of the tables that the app does not have, as foreign records.
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
