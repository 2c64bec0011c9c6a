import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Reads a library: charters, items with their bodies, executions, queue, unknown tables; each by id.
///
/// Metadata and bodies are joined by walking their tables side by side, so memory does not grow with the
/// library and bodies without metadata turn up by themselves. Never changes the source.
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
  private var beside: SidecarRecords?
  private var bytesDone = 0

  /// Bytes of records in one batch.
  static let batchBytes = 1 << 20

  init(_ source: Source, context: RunContext) throws {
    library = try LibraryFile(source.path, name: source.name)
    self.context = context
    locator = LibraryLocator(file: source.name, path: source.path, cells: CellText(open: library.lookingConnection))
    encoder = RowEncoder(file: source.name, findings: context.findings)
    ids = IDNormalizer(connection: library.connection, schema: library.schema)
    library.schema.report(to: context.findings, file: source.name)
    if let reason = library.copiedBecause {
      context.findings.report(
        Diagnostic(.readThroughCopy, "read through a private copy, because \(reason)", at: Place(file: source.name)))
    }
    do {
      beside = try SidecarRecords(beside: source.path, library, findings: context.findings)
      charters = try cursor(TableMaps.charters)
      try charters?.advance()
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, source.name)
    }
  }

  var progress: (done: Int, total: Int?) { (min(bytesDone, library.size), library.size) }

  /// The schema that was found, for `inspect`.
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
    let batch = RecordBatch(locator: locator, capacity: Self.batchBytes + (1 << 16))
    do throws(SQLiteError) {
      let kept = beside
      while phase != .end, phase != .items, batch.canonical.count < Self.batchBytes { try readRow(into: batch) }
      try kept?.joinDecks(batch)
    } catch {
      throw LibraryFile.failure(error, library.name)
    }
    bytesDone += batch.canonical.count
    // What was read counts only if the whole file is sound.
    if phase == .end { try library.finishCheck() }
    return batch.count == 0 && phase == .end ? nil : batch
  }

  /// The next items; nil when there are no more, and the phase has moved on.
  private func nextItems() throws -> RecordBatch? {
    if items == nil { items = try openItems() }
    if let batch = try items?.next() {
      try beside?.extras.join(batch)
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
      if let beside, try beside.next(into: batch) { return }
      beside = nil
      phase = .end
    case .end: return
    }
  }
}
