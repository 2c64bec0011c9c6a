import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Reads a library in this order: charters, items with their bodies, executions, the queue, and unknown tables. Rows of
/// the same kind are read in the order of their ids.
///
/// Metadata and bodies are joined by walking their tables in parallel. Memory therefore does not grow with the library,
/// and bodies without metadata are found without extra work. The source is never changed.
final class SQLiteLibraryReader: ContentReader {
  private enum Phase: CaseIterable { case charters, items, executions, queue, unknownTables, beside, end }

  private let library: LibraryFile
  private let context: RunContext
  private let locator: LibraryLocator
  private let ids: IDNormalizer
  private var encoder: RowEncoder
  private var phase = Phase.charters
  private var charters: RowCursor?
  private var items: (any ItemBatches)?
  private var executions: ExecutionRows?
  private var queue: RowCursor?
  private var unknownTables: UnknownTables?
  private var sidecar: SidecarRecords?
  private var bytesDone = 0

  /// The size of a record batch in bytes.
  static let batchBytes = 1 << 20

  init(_ source: Source, context: RunContext) throws {
    library = try LibraryFile(source.path, name: source.name)
    self.context = context
    locator = LibraryLocator(file: source.name, path: source.path, cells: CellLocator(open: library.lookingConnection))
    encoder = RowEncoder(file: source.name, findings: context.findings)
    ids = IDNormalizer(connection: library.connection, schema: library.schema)
    library.schema.report(to: context.findings, file: source.name)
    if let reason = library.copiedBecause {
      context.findings.report(
        Diagnostic(.readThroughCopy, "read through a private copy, because \(reason)", at: Place(file: source.name)))
    }
    do {
      sidecar = try SidecarRecords(beside: source.path, library, findings: context.findings)
      charters = try cursor(TableMaps.charters)
      try charters?.advance()
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, source.name)
    }
  }

  var progress: (done: Int, total: Int?) { (min(bytesDone, library.size), library.size) }

  /// The library's schema, for `inspect`.
  var schema: LibrarySchema { library.schema }

  private func cursor(_ map: TableMap) throws(SQLiteError) -> RowCursor? {
    try RowCursor(map, schema: library.schema, connection: library.connection)
  }

  func next() throws -> RecordBatch? {
    if phase == .end { return nil }
    if phase == .items {
      do {
        if let batch = try nextItems() { return batch }
      } catch let error as SQLiteError {
        throw LibraryFile.failure(error, library.name)
      }
    }
    let batch = RecordBatch(
      locator: locator, traits: locator.traits, origin: locator, capacity: Self.batchBytes + (1 << 16))
    do throws(SQLiteError) {
      let kept = sidecar
      while phase != .end, phase != .items, batch.canonical.count < Self.batchBytes { try readRow(into: batch) }
      try kept?.joinOthers(batch)
    } catch {
      throw LibraryFile.failure(error, library.name)
    }
    bytesDone += batch.canonical.count
    // The records are only valid if the whole file is intact.
    if phase == .end { try library.finishCheck() }
    return batch.count == 0 && phase == .end ? nil : batch
  }

  /// Returns the next items. After the last one, advances to the next phase and returns nil.
  private func nextItems() throws -> RecordBatch? {
    if items == nil { items = try openItems() }
    if let batch = try items?.next() {
      try sidecar?.extras.join(batch)
      batch.slots.forEach { bytesDone += $0.length }
      return batch
    }
    items = nil
    executions = try ExecutionRows(schema: library.schema, connection: library.connection)
    phase = .executions
    return nil
  }

  private func openItems() throws -> any ItemBatches {
    let isParallel = library.isFrozen && ProcessInfo.processInfo.activeProcessorCount > 1
    let layouts = try ItemLayouts(
      schema: library.schema, connection: library.connection, markEvery: isParallel ? ParallelItems.stretch : nil)
    let ranges = ParallelItems.ranges(layouts.metadata?.marks ?? [])
    if isParallel, !ranges.isEmpty {
      return try ParallelItems(library, layouts, ranges: ranges, locator: locator, findings: context.findings)
    }
    let join = try ItemJoin(layouts, connection: library.connection)
    return SerialItems(join, ids: ids, locator: locator, findings: context.findings)
  }

  private func readRow(into batch: RecordBatch) throws(SQLiteError) {
    switch phase {
    case .charters:
      if let charters, charters.isOnRow {
        let start = batch.canonical.count
        RowRecord.writeCharter(charters, ids: ids, encoder: &encoder, into: &batch.canonical)
        batch.appendSlot(.charter, from: start)
        try charters.advance()
      } else {
        charters = nil
        phase = .items
      }
    case .items: return  // nextItems() reads them
    case .executions:
      if let executions, try executions.next() {
        let start = batch.canonical.count
        RowRecord.writeExecution(executions, ids: ids, encoder: &encoder, into: &batch.canonical)
        batch.appendSlot(.execution, from: start)
      } else {
        executions = nil
        queue = try cursor(TableMaps.queue)
        try queue?.advance()
        phase = .queue
      }
    case .queue:
      if let queue, queue.isOnRow {
        let start = batch.canonical.count
        try RowRecord.writeOperation(queue, ids: ids, encoder: &encoder, into: &batch.canonical)
        batch.appendSlot(.syncOperation, from: start)
        try queue.advance()
      } else {
        queue = nil
        unknownTables = UnknownTables(schema: library.schema, connection: library.connection)
        phase = .unknownTables
      }
    case .unknownTables:
      let start = batch.canonical.count
      if let unknownTables, try unknownTables.next(into: &batch.canonical) {
        batch.appendSlot(.foreign, from: start)
      } else {
        unknownTables = nil
        phase = .beside
      }
    case .beside:
      if let sidecar, try sidecar.next(into: batch) { return }
      sidecar = nil
      phase = .end
    case .end: return
    }
  }
}

/// A library's items, batch by batch, in the order of their ids.
protocol ItemBatches: AnyObject {
  /// Returns the next batch, about a megabyte of items; nil at the end.
  func next() throws -> RecordBatch?
}

/// Reads items on the calling thread.
final class SerialItems: ItemBatches {
  private let join: ItemJoin
  private let ids: IDNormalizer
  private let locator: LibraryLocator
  private var encoder: RowEncoder
  private let memory = BatchMemory(largest: 4 * SQLiteLibraryReader.batchBytes)

  /// The log that receives the following findings.
  var findings: DiagnosticLog {
    get { encoder.findings }
    set { encoder.findings = newValue }
  }

  init(_ join: ItemJoin, ids: IDNormalizer, locator: LibraryLocator, findings: DiagnosticLog) {
    self.join = join
    self.ids = ids
    self.locator = locator
    encoder = RowEncoder(file: locator.file, findings: findings)
  }

  func next() throws -> RecordBatch? {
    let batch = RecordBatch(
      locator: locator, traits: locator.traits, origin: locator,
      capacity: SQLiteLibraryReader.batchBytes + (1 << 16), memory: memory)
    while batch.canonical.count < SQLiteLibraryReader.batchBytes, let row = try join.next() {
      let start = batch.canonical.count
      let hasExtras = ItemRecord.write(row, ids: ids, encoder: &encoder, into: &batch.canonical)
      batch.appendSlot(.item, from: start, mayHaveExtras: hasExtras)
    }
    return batch.count == 0 ? nil : batch
  }
}

/// Reads rows of unknown tables as foreign records, so that no content of a newer library is lost.
final class UnknownTables {
  private let connection: SQLiteConnection
  private let columns: [String: [String]]
  private var names: [String]
  private var table = ""
  private var statement: SQLiteStatement?
  private var row = 0

  init(schema: LibrarySchema, connection: SQLiteConnection) {
    self.connection = connection
    columns = schema.tables
    names = schema.unknownTables.sorted().reversed()
  }

  /// Writes the next row as a record. Returns false at the end.
  func next(into out: inout ByteBuffer) throws(SQLiteError) -> Bool {
    while true {
      if let statement {
        if try statement.step() {
          row += 1
          Self.write(statement, table: table, number: Int64(row), into: &out)
          return true
        }
        self.statement = nil
      }
      guard let next = names.popLast() else { return false }
      table = next
      row = 0
      // The list of columns does not contain generated columns.
      guard let columns = columns[table], !columns.isEmpty else { continue }
      statement = try connection.prepare(
        "SELECT \(columns.map(RowCursor.quoted).joined(separator: ", ")) FROM \(RowCursor.quoted(table))",
        as: "read the table '\(table)'")
    }
  }

  /// Writes the statement's current row as a record.
  static func write(_ statement: SQLiteStatement, table: String, number: Int64, into out: inout ByteBuffer) {
    // Nine digits keep the ids in the order of the rows.
    let number = String(number)
    let padded = String(repeating: "0", count: max(0, 9 - number.count)) + number
    out.append("{\"kind\":\"foreign\",\"id\":")
    out.appendJSONString("anyfleet/\(table)/\(padded)")
    out.append(",\"system\":\"anyfleet\",\"type\":")
    out.appendJSONString(table)
    out.append(",\"raw\":{")
    for position in 0..<statement.columnCount {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(statement.name(at: position))
      out.append(UInt8(ascii: ":"))
      StoredValue.append(statement, position: position, into: &out)
    }
    out.append("}}")
  }
}

/// Writes any stored value as JSON. Blobs, and strings that JSON cannot represent, are written as `{"$hex":"…"}`.
enum StoredValue {
  static func append(_ statement: SQLiteStatement, position: Int, into out: inout ByteBuffer) {
    switch statement.storage(at: position) {
    case .null: out.append("null")
    case .integer: out.append(utf8: String(statement.integer(at: position)))
    case .real:
      let value = statement.double(at: position)
      out.append(utf8: value.isFinite ? "\(value)" : value < 0 ? "-1e999" : "1e999")
    case .text:
      append(text: statement.bytes(at: position).span, into: &out)
    case .blob: appendHex(statement.blob(at: position).span, into: &out)
    }
  }

  static func append(text: Span<UInt8>, into out: inout ByteBuffer) {
    if UTF8Check.firstInvalid(in: text) == nil, !MarkRuns.isTooLong(in: text) { return out.appendJSONString(text) }
    appendHex(text, into: &out)
  }

  private static func appendHex(_ bytes: Span<UInt8>, into out: inout ByteBuffer) {
    out.append("{\"$hex\":\"")
    out.append(utf8: Digest.hex(Array(bytes)))
    out.append("\"}")
  }
}

/// Reads items on two threads, each with its own connection. The threads read ranges of ids in turn, and the items are
/// returned in order.
///
/// The library must be one that no other process can change while it is being read: one with a rollback journal, under
/// the shared lock, or a private copy. Memory is bounded by a few batches per thread.
final class ParallelItems: ItemBatches {
  private enum Piece {
    case batch(RecordBatch)
    /// The end of a range, with the range's findings.
    case end(DiagnosticLog)
  }

  private let findings: DiagnosticLog
  private let pieces: OrderedMap<Piece>

  /// The number of items in a range.
  static let stretch = 384

  init(
    _ library: LibraryFile, _ layouts: ItemLayouts, ranges: [IDRange], locator: LibraryLocator, findings: DiagnosticLog
  ) throws {
    let threads = 2
    let connections = try (0..<threads).map { _ throws(SQLiteError) in try library.anotherConnection() }
    if layouts.areInOrder {
      for connection in connections { try connection.execute(IntegrityCheck.smallCache) }
    }
    self.findings = findings
    let schema = library.schema
    pieces = OrderedMap(ranges, threads: threads, ahead: 2, capacity: 4) { thread in
      let connection = connections[thread]
      let ids = IDNormalizer(connection: connection, schema: schema)
      var items: (rows: SerialItems, join: ItemJoin)?
      return { range, pieces in
        if let items {
          try items.join.restart(range)
        } else {
          let join = try ItemJoin(layouts, connection: connection, range: range)
          items = (SerialItems(join, ids: ids, locator: locator, findings: findings), join)
        }
        guard let rows = items?.rows else { return }
        let log = DiagnosticLog(keepPerCode: .max)
        rows.findings = log
        while let batch = try rows.next() {
          if !pieces.send(.batch(batch)) { return }
        }
        _ = pieces.send(.end(log))
      }
    }
  }

  func next() throws -> RecordBatch? {
    while let piece = try pieces.next() {
      switch piece {
      case .batch(let batch): return batch
      case .end(let log): for finding in log.kept { findings.report(finding) }
      }
    }
    return nil
  }

  /// Returns the ranges between the marks; empty if the table is too small for parallel reading to be worthwhile.
  static func ranges(_ marks: [[UInt8]]) -> [IDRange] {
    guard marks.count >= 4 else { return [] }
    var ranges: [IDRange] = []
    var lower: [UInt8]?
    for mark in marks {
      ranges.append(IDRange(lower: lower, upper: mark))
      lower = mark
    }
    ranges.append(IDRange(lower: lower, upper: nil))
    return ranges
  }
}

extension FormatID {
  /// The app's library.
  public static let library = FormatID(rawValue: "sqlite")
}

/// The app's own library: an SQLite file of any schema version since 1.0.0.
///
/// - Source: formats/sqlite-library.md
public struct SQLiteLibraryFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .library, title: "AnyFleet library", page: "sqlite-library", extensions: ["sqlite", "db", "sqlite3"],
    mediaType: "application/vnd.sqlite3",
    keeps: Set(Feature.allCases).subtracting([
      .decks, .reviews, .attachments, .practiceSessions, .foreign, .unknownMembers, .originalText,
    ]), differences: [.requiredTimes])

  /// Recognizes a library by its first sixteen bytes, or by its name if these bytes are damaged.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    hasSignature(head) || descriptor.extensions.contains(source.pathExtension)
  }

  /// Whether a file begins with the sixteen bytes of the SQLite signature.
  public func hasSignature(_ head: FileHead) -> Bool { head.starts(with: Array("SQLite format 3\0".utf8)) }

  /// Reports other programs' databases, which are recognized by their tables, and files that are named like a database
  /// but are not one.
  public func stray(_ source: Source, head: FileHead) -> Stray? {
    let place = Place(file: source.path)
    guard hasSignature(head) else {
      return .reported(
        Diagnostic(
          .unreadFile, "not an SQLite database", at: place,
          fix:
            "if it was a library, 'fleetkit doctor \(TerminalEscaping.shellQuoted(source.path)) --recover NEW' saves what "
            + "can still be read"))
    }
    // A file that cannot be opened may be a damaged library, and a file without tables may have its tables in the log.
    let query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
    guard let connection = try? SQLiteConnection(source.path, .readImmutable, .foreign),
      let tables = try? connection.rows(query).map({ $0.first.flatMap { $0 } ?? "" }), !tables.isEmpty,
      !tables.contains(where: AppSchema.contentTables.contains)
    else { return nil }
    let names = tables.prefix(3).joined(separator: ", ")
    return .reported(Diagnostic(.foreignFile, "another program's database (tables \(names))", at: place))
  }

  /// Opens a library of any version without changing it.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    try Self.refuseStandardInput(source)
    return try SQLiteLibraryReader(source, context: context)
  }

  /// Begins a new library with the newest schema.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try SQLiteLibraryWriter(target, context: context)
  }

  /// The versions of the app's schema, oldest first; a new library can have any of them.
  public static var schemaVersions: [String] { AppSchema.versions }

  /// Returns the schema, the size and the tables of a library.
  /// - Throws: `RunFailure` if it cannot be read.
  public func overview(of source: Source) throws -> LibraryOverview {
    try Self.refuseStandardInput(source)
    return try LibraryOverview(source)
  }

  private static func refuseStandardInput(_ source: Source) throws {
    guard source.isStandardInput else { return }
    throw RunFailure(.usage, "a library cannot be read from standard input", advice: "Give the file's path.")
  }
}
