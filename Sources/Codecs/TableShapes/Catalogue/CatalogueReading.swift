import Content
import Diagnostics
import Interchange
import JSONText

/// Reads a catalogue: every row is an item, its document JSON, the Markdown of a guide, or a note.
///
/// Rows are taken some hundred at a time, so that notes are read together and in order. Memory is bounded by those.
final class CatalogueReading: TableReading {
  private static let chunkRows = 500
  private static let chunkBytes = 1 << 20

  let facts: TableFacts
  let scope: TableScope
  let context: RunContext
  let notesFormat: (any MemberFormat)?
  let reports: RowReports
  private let source: any TableRows
  private let memory: BatchMemory
  private var row = TableRow()
  private var ordinal = 0
  private var isAtEnd = false
  var ids = IDTable()
  var nearlyIDs = NearlyIDs()
  var deriver = IDDeriver()
  var canonicalizer = Canonicalizer(mode: .bundle)
  var tape = JSONTape(capacity: 4096)

  /// Gets ready to read the rows behind the header.
  init(
    _ rows: any TableRows, _ facts: TableFacts, scope: TableScope, header: Int, notes: (any MemberFormat)?,
    context: RunContext, memory: BatchMemory
  ) throws {
    source = rows
    self.facts = facts
    self.scope = scope
    self.context = context
    self.memory = memory
    notesFormat = notes
    reports = RowReports(facts: facts, findings: context.findings)
    try TableSurvey.rewind(rows, behind: header)
  }

  var rowCount: Int { ordinal }

  var progress: (done: Int, total: Int?) { source.progress }

  func next() throws -> RecordBatch? {
    if isAtEnd { return nil }
    var rows: [CatalogueRow] = []
    var rejected: [RejectedRecord] = []
    var bytes = 0
    while rows.count < Self.chunkRows, rejected.count < Self.chunkRows, bytes < Self.chunkBytes {
      do {
        guard try source.next(into: &row) else {
          isAtEnd = true
          reports.report(nearlyIDs)
          break
        }
      } catch let error as TableRowError {
        ordinal += 1
        let place = BatchRows.Row(row, ordinal: ordinal)
        reject([RowProblem(error.code, error.message, cell: error.cell)], place, &rejected)
        bytes += rejected.last?.size ?? 0
        continue
      }
      ordinal += 1
      let place = BatchRows.Row(row, ordinal: ordinal)
      guard let item = take(row, place) else { continue }
      if item.problems.contains(where: \.rejects) {
        reject(item.problems, place, &rejected)
        bytes += rejected.last?.size ?? 0
      } else {
        if !item.problems.isEmpty {
          reports.report(item.problems, of: place, record: "item \(item.id.text)", title: nil)
        }
        rows.append(item)
        bytes += row.bytes.count
      }
    }
    try Interruption.check()
    if rows.isEmpty, rejected.isEmpty { return nil }
    return try batch(rows, rejected, bytes)
  }

  private func reject(_ problems: [RowProblem], _ row: BatchRows.Row, _ rejected: inout [RejectedRecord]) {
    reports.report(problems, of: row, record: nil, title: nil)
    rejected.append(reports.reject(problems, of: row, isPart: false))
  }

  private func batch(_ rows: [CatalogueRow], _ rejected: [RejectedRecord], _ bytes: Int) throws -> RecordBatch {
    let noteRows = rows.filter { $0.document == .note }
    var notes: CatalogueNotes?
    var read = ReadNotes()
    if let notesFormat, !noteRows.isEmpty {
      let made = CatalogueNotes(
        noteRows, file: facts.places.file, scope: scope.origin.source + "\0" + scope.origin.path, time: context.now)
      read = try ReadNotes(made, notesFormat, noteRows, context, facts)
      notes = made
    }
    let locator = CatalogueLocator(facts, notes: notes)
    let batch = RecordBatch(locator: locator, capacity: bytes * 2 + 4096 * max(1, rows.count), memory: memory)
    batch.rejected = rejected
    for row in rows {
      var item = CatalogueLocator.Item(row: row.row)
      var problems: [RowProblem] = []
      let start = batch.canonical.count
      switch row.document {
      case .none: write(row, type: row.type ?? .practiceGuide, body: nil, note: nil, into: &batch.canonical)
      case .guide:
        var body = ByteBuffer(capacity: row.text(.document).count + 64)
        row.text(.document).withUnsafeBufferPointer { body.appendJSONString($0) }
        write(row, type: .practiceGuide, body: body.copy(0..<body.count), note: nil, into: &batch.canonical)
      case .json: problems = writeJSON(row, into: &batch.canonical)
      case .note:
        if let (record, index) = read.records[row.id] {
          item.note = record
          item.noteIndex = index
          problems = writeNote(row, record, into: &batch.canonical)
        } else {
          problems =
            read.problems[row.id] ?? [
              RowProblem(.cellDocument, "its document cannot be read", cell: facts.cell(.document))
            ]
        }
      }
      if !problems.isEmpty { reports.report(problems, of: row.row, record: "item \(row.id.text)", title: nil) }
      if problems.contains(where: \.rejects) {
        batch.canonical.truncate(to: start)
        batch.rejected.append(reports.reject(problems, of: row.row, isPart: false))
        continue
      }
      batch.appendSlot(.item, from: start)
      let slot = batch.slots.count - 1
      batch.slots[slot].rows = 1
      batch.slots[slot].isPartial = scope.isPartial
      batch.slots[slot].sourceFile = locator.add(item)
    }
    return batch
  }
}
