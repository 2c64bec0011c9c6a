import Content
import Diagnostics
import Interchange
import JSONText

/// Reads a charter table. Every row is a charter with a name, a first day and a last day.
///
/// The memory use is limited to a batch and the ids of all rows.
/// - Source: formats/tables.md, "Charters"
final class CharterTableReader: TableRowReader {
  private static let batchBytes = 1 << 20
  private static let batchRejects = 2000

  private let facts: TableContext
  private let scope: TableScope
  private let reports: RowReporter
  private let source: any TableRows
  private let memory: BatchMemory
  private var row = TableRow()
  private var ordinal = 0
  private var isAtEnd = false
  private var ids = IDTable()
  private var nearlyIDs = MalformedIDs()
  private var deriver = IDDeriver()
  private var canonicalizer = Canonicalizer(mode: .bundle)
  private var tape = JSONTape(capacity: 256)
  private var draft = ByteBuffer(capacity: 1024)

  /// Prepares to read the rows below the header.
  /// - Parameter header: the number of rows above the header; -1 for a table without one.
  init(
    _ rows: any TableRows, _ facts: TableContext, scope: TableScope, header: Int, context: RunContext,
    memory: BatchMemory
  ) throws {
    source = rows
    self.facts = facts
    self.scope = scope
    self.memory = memory
    reports = RowReporter(facts, context)
    try TableGrouping.rewind(rows, behind: header)
  }

  var rowCount: Int { ordinal }

  var progress: (done: Int, total: Int?) { source.progress }

  func next() throws -> RecordBatch? {
    if isAtEnd { return nil }
    let locator = TableLocator(facts)
    let batch = RecordBatch(
      locator: locator, traits: facts.traits, origin: locator, capacity: Self.batchBytes + Self.batchBytes / 4,
      memory: memory)
    var rows = BatchRows()
    var rejectedBytes = 0
    while batch.canonical.count < Self.batchBytes, batch.rejected.count < Self.batchRejects,
      rejectedBytes < Self.batchBytes
    {
      var problems: [RowProblem] = []
      do {
        guard try source.next(into: &row) else {
          isAtEnd = true
          reports.report(nearlyIDs)
          break
        }
      } catch let error as TableRowError {
        problems.append(RowProblem(error.code, error.message, cell: error.cell))
      }
      ordinal += 1
      if ordinal & 0xFFF == 0 { try Interruption.check() }
      let place = BatchRows.Row(row, ordinal: ordinal)
      let id = problems.isEmpty ? readRow(&problems) : nil
      let isSelected = problems.isEmpty || maySelect(place, id)
      if isSelected { reports.report(problems, of: place, record: id.map { "charter \($0.text)" }, title: nil) }
      if problems.contains(where: \.rejects) {
        var rejected = reports.reject(problems, of: place, isPart: false)
        rejected.isSelected = isSelected
        rejectedBytes += rejected.size
        batch.rejected.append(rejected)
      } else if let id {
        append(id, place, to: batch, &rows)
      }
    }
    locator.store(rows)
    return isAtEnd && batch.slots.isEmpty && batch.rejected.isEmpty ? nil : batch
  }

  /// Whether the current row's charter may be selected.
  /// - Parameter id: nil if the row cannot be read.
  private func maySelect(_ place: BatchRows.Row, _ id: UUIDBits?) -> Bool {
    guard let id else { return true }
    let name = row.trimmed(facts.layout.cell(.charter)).span
    let isMalformed = RowIDs.isMalformedID(row.trimmed(facts.layout.cell(.charterID)).span)
    return reports.maySelect(
      place, kind: .charter, type: nil, id: isMalformed ? nil : id,
      title: name.isEmpty ? nil : String(decoding: name), tags: [])
  }

  private func append(_ id: UUIDBits, _ place: BatchRows.Row, to batch: RecordBatch, _ rows: inout BatchRows) {
    tape.removeAll()
    guard let parse = try? tape.parse(draft.bytes.span) else { return }
    let start = batch.canonical.count
    let node = JSONNode(text: draft.start, tokens: tape.tokens, index: parse.root)
    canonicalizer.writeRecord(node, kind: .charter, derivedID: { id.text }, into: &batch.canonical)
    batch.appendSlot(.charter, from: start)
    let slot = batch.slots.count - 1
    batch.slots[slot].rows = 1
    batch.slots[slot].sourceFile = Int32(clamping: rows.items.count)
    rows.items.append(BatchRows.Item(row: place, firstSection: 0))
  }

  /// Reads the current row and writes it as the draft of a record.
  /// - Returns: the record's id, or nil for an empty row.
  private func readRow(_ problems: inout [RowProblem]) -> UUIDBits? {
    let layout = facts.layout
    func text(_ column: TableColumn) -> UnsafeBufferPointer<UInt8> {
      layout.isExact ? row.text(layout.cell(column)) : row.trimmed(layout.cell(column))
    }
    guard row.cells.indices.contains(where: { !row.trimmed($0).isEmpty }) else { return nil }
    if row.cells.count > layout.headers.count,
      let cell = (layout.headers.count..<row.cells.count).first(where: { !row.trimmed($0).isEmpty })
    {
      problems.append(
        RowProblem(
          .unusableRow, "the row has \(row.cells.count) cells, but the header has \(layout.headers.count)", cell: cell)
      )
    }
    if row.trimmed(layout.cell(.charter)).isEmpty, !layout.isExact || row.trimmed(layout.cell(.charterID)).isEmpty {
      let cell = layout.cell(.charter)
      problems.append(
        RowProblem(
          .rowWithoutTitle, "'\(layout.header(cell))' is empty although other cells of the row are filled", cell: cell))
    }
    draft.removeAll()
    draft.append("{\"kind\":\"charter\",\"name\":")
    draft.appendJSONString(text(.charter).span)
    for (column, key) in Self.texts where !text(column).isEmpty {
      draft.append(key)
      draft.appendJSONString(text(column).span)
    }
    for (column, key) in Self.times {
      let value = row.trimmed(layout.cell(column)).span
      if value.isEmpty { continue }
      guard let time = Self.time(value) else {
        problems.append(.value(value, layout.cell(column), "which is not a date; write 2026-06-13", layout))
        continue
      }
      draft.append(key)
      draft.appendJSONDate(time)
    }
    let id = identify(&problems)
    draft.append(",\"id\":\"")
    draft.append(id)
    draft.append("\"}")
    return id
  }

  private static let texts: [(TableColumn, StaticString)] = [(.boat, ",\"boat_name\":"), (.location, ",\"location\":")]
  private static let times: [(TableColumn, StaticString)] = [
    (.start, ",\"start_date\":"), (.end, ",\"end_date\":"), (.created, ",\"created_at\":"),
    (.updated, ",\"updated_at\":"),
  ]

  /// Parses a date that is unambiguous to every reader: `2026-06-13`, with or without a time, or `13.06.2026`.
  private static func time(_ text: Span<UInt8>) -> Timestamp? {
    if let (time, quirks) = Timestamp.parse(text), !quirks.contains(.rollsOver) { return time }
    if text.count > 10 { return nil }
    let parts = Array(text).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].count == 4, parts.allSatisfy({ $0.allSatisfy { $0 &- 0x30 < 10 } }),
      (1...2).contains(parts[0].count), (1...2).contains(parts[1].count)
    else { return nil }
    func number(_ part: Int, _ digits: Int) -> String {
      let text = String(decoding: parts[part], as: UTF8.self)
      return String(repeating: "0", count: digits - text.utf8.count) + text
    }
    guard let (time, quirks) = Timestamp.parse("\(number(2, 4))-\(number(1, 2))-\(number(0, 2))"),
      !quirks.contains(.rollsOver)
    else { return nil }
    return time
  }

  /// Returns the row's id, or an id that is derived from the row's key or from its name and first day.
  private func identify(_ problems: inout [RowProblem]) -> UUIDBits {
    let layout = facts.layout
    let cell = layout.cell(.charterID)
    let value = row.trimmed(cell).span
    if let id = UUIDBits(value) {
      if ids.add(id) == 0 { return id }
      problems.append(
        RowProblem(
          .repeatedRowID, "'\(layout.header(cell))' is '\(CellScanner.shown(value))', as in an earlier row", cell: cell)
      )
    } else if RowIDs.isMalformedID(value) {
      problems.append(.noID(value, cell, layout))
    } else if let problem = nearlyIDs.check(value, cell: cell, layout) {
      problems.append(problem)
    }
    let key = row.trimmed(layout.key ?? -1).span
    scope.begin(&deriver, kind: "charter")
    if !value.isEmpty, UUIDBits(value) == nil {
      deriver.add(value)
    } else if !key.isEmpty {
      deriver.add(key)
    } else {
      deriver.add(row.trimmed(layout.cell(.charter)).span)
      deriver.add(row.trimmed(layout.cell(.start)).span)
    }
    let mark = deriver.mark
    var id = deriver.id()
    var repeats = ids.add(id)
    while repeats > 0 {
      deriver.truncate(to: mark)
      deriver.add(String(repeats))
      id = deriver.id()
      if ids.add(id) == 0 { break }
      repeats += 1
    }
    return id
  }
}
