import Content
import Diagnostics
import Interchange
import JSONText

/// Reads a catalogue: every row is an item, and its document is JSON, the Markdown of a guide, or a note.
///
/// Rows are read in groups of several hundred, so that notes are read together and in order. The memory use is limited
/// to one group.
final class CatalogueTableReader: TableRowReader {
  private static let chunkRows = 500
  private static let chunkBytes = 1 << 20

  let facts: TableContext
  let scope: TableScope
  let context: RunContext
  private let notesFormat: (any MemberFormat)?
  private let reports: RowReporter
  private let source: any TableRows
  private let memory: BatchMemory
  private var row = TableRow()
  private var ordinal = 0
  private var isAtEnd = false
  var ids = IDTable()
  var nearlyIDs = MalformedIDs()
  private var deriver = IDDeriver()
  private var canonicalizer = Canonicalizer(mode: .bundle)
  private var tape = JSONTape(capacity: 4096)

  /// Prepares to read the rows below the header.
  init(
    _ rows: any TableRows, _ facts: TableContext, scope: TableScope, header: Int, notes: (any MemberFormat)?,
    context: RunContext, memory: BatchMemory
  ) throws {
    source = rows
    self.facts = facts
    self.scope = scope
    self.context = context
    self.memory = memory
    notesFormat = notes
    reports = RowReporter(facts, context)
    try TableGrouping.rewind(rows, behind: header)
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
      guard let item = readItem(row, place) else { continue }
      if item.problems.contains(where: \.rejects) {
        reject(item.problems, place, &rejected, isSelected: maySelect(item))
        bytes += rejected.last?.size ?? 0
      } else {
        if !item.problems.isEmpty, maySelect(item) {
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

  private func reject(
    _ problems: [RowProblem], _ row: BatchRows.Row, _ rejected: inout [RejectedRecord], isSelected: Bool = true
  ) {
    if isSelected { reports.report(problems, of: row, record: nil, title: nil) }
    rejected.append(reports.reject(problems, of: row, isPart: false))
    rejected[rejected.count - 1].isSelected = isSelected
  }

  /// Whether the item of a row may be selected. A note may contain values that its row does not have.
  private func maySelect(_ row: CatalogueRow) -> Bool {
    let title = row.text(.title)
    var tags: [String] = []
    let text = row.text(.tags)
    CellTags.forEach(text.span) { tags.append(String(decoding: text[$0], as: UTF8.self)) }
    return reports.maySelect(
      row.row, type: row.type ?? (row.document == .guide ? .practiceGuide : nil),
      id: RowIDs.isMalformedID(row.text(.id).span) ? nil : row.id,
      title: title.isEmpty ? nil : String(decoding: title, as: UTF8.self), tags: row.document == .note ? nil : tags)
  }

  private func batch(_ rows: [CatalogueRow], _ rejected: [RejectedRecord], _ bytes: Int) throws -> RecordBatch {
    let noteRows = rows.filter { $0.document == .note }
    var notes: CatalogueNotes?
    var read = ParsedDocuments()
    if let notesFormat, !noteRows.isEmpty {
      let made = CatalogueNotes(
        noteRows, file: facts.places.file, scope: scope.origin.source + "\0" + scope.origin.path, time: context.now)
      read = try ParsedDocuments(made, notesFormat, noteRows, context, facts)
      notes = made
    }
    let locator = TableLocator(facts, notes: notes)
    let batch = RecordBatch(
      locator: locator, traits: facts.traits, origin: locator, capacity: bytes * 2 + 4096 * max(1, rows.count),
      memory: memory)
    batch.rejected = rejected
    var places = BatchRows()
    for row in rows {
      var note: (record: Record, index: Int)?
      var problems: [RowProblem] = []
      let start = batch.canonical.count
      switch row.document {
      case .none: write(row, type: row.type ?? .practiceGuide, body: nil, note: nil, into: &batch.canonical)
      case .guide:
        var body = ByteBuffer(capacity: row.text(.document).count + 64)
        body.appendJSONString(row.text(.document).span)
        write(row, type: .practiceGuide, body: body.copy(0..<body.count), note: nil, into: &batch.canonical)
      case .json: problems = writeJSON(row, into: &batch.canonical)
      case .note:
        if let (record, index) = read.records[row.id] {
          note = (record, index)
          problems = writeNote(row, record, into: &batch.canonical)
        } else {
          problems =
            read.problems[row.id] ?? [
              RowProblem(.cellDocument, "the document cannot be read", cell: facts.cell(.document))
            ]
        }
      }
      let isSelected = problems.isEmpty || maySelect(row)
      if !problems.isEmpty, isSelected {
        reports.report(problems, of: row.row, record: "item \(row.id.text)", title: nil)
      }
      if problems.contains(where: \.rejects) {
        batch.canonical.truncate(to: start)
        var rejected = reports.reject(problems, of: row.row, isPart: false)
        rejected.isSelected = isSelected
        batch.rejected.append(rejected)
        continue
      }
      batch.appendSlot(.item, from: start)
      let slot = batch.slots.count - 1
      batch.slots[slot].rows = 1
      batch.slots[slot].isPartial = scope.isPartial
      batch.slots[slot].sourceFile = Int32(clamping: places.items.count)
      places.notes[places.items.count] = note
      places.items.append(BatchRows.Item(row: row.row, firstSection: 0))
    }
    locator.store(places)
    return batch
  }

  // MARK: Rows

  /// Reads the cells of a row. Returns nil if the row does not contain an item.
  func readItem(_ row: borrowing TableRow, _ place: BatchRows.Row) -> CatalogueRow? {
    let layout = facts.layout
    var texts: [TableColumn: [UInt8]] = [:]
    for (column, cell) in layout.cells {
      let text = layout.isExact || column == .document ? row.text(cell) : row.trimmed(cell)
      if !row.trimmed(cell).isEmpty || (layout.isExact && !text.isEmpty) { texts[column] = Array(text) }
    }
    if texts.isEmpty { return nil }
    var item = CatalogueRow(
      row: place, id: UUIDBits(high: 0, low: 0), type: nil, document: .none, texts: texts, problems: [])
    if row.cells.count > layout.headers.count,
      let cell = (layout.headers.count..<row.cells.count).first(where: { !row.trimmed($0).isEmpty })
    {
      item.problems.append(
        RowProblem(
          .unusableRow, "the row has \(row.cells.count) cells, but the header has \(layout.headers.count)", cell: cell))
    }
    // FleetKit writes everything in a library, even an item without a title.
    let isOurs = layout.isExact && UUIDBits(row.trimmed(layout.cell(.id)).span) != nil
    if item.text(.title).isEmpty, !isOurs {
      item.problems.append(
        RowProblem(
          .rowWithoutTitle,
          "'\(layout.header(layout.cell(.title)))' is empty although other cells of the row are filled",
          cell: layout.cell(.title)))
    }
    readValues(&item)
    identify(&item, key: row.trimmed(layout.key ?? -1).span)
    return item
  }

  private func readValues(_ item: inout CatalogueRow) {
    func each(_ column: TableColumn, _ why: String, _ parse: (Span<UInt8>) -> Bool) {
      let text = item.text(column)
      let written = text.span.extracting(CellScanner.trimmed(text.span))
      if written.isEmpty || parse(written) { return }
      item.problems.append(
        RowProblem(
          .cellValue,
          "'\(facts.layout.header(facts.layout.cell(column)))' is '\(CellScanner.shown(written))', \(why)",
          cell: facts.layout.cell(column)))
    }
    var type: ContentType?
    var language: String?
    var times: [TableColumn: Timestamp] = [:]
    each(.type, "which is not checklist, practice_guide (guide) or flashcard_deck (deck)") {
      type = CellValue.contentType($0)
      return type != nil
    }
    each(.language, "which is not a language code; write en or ru, for example") {
      language = CellValue.language($0)
      return language != nil
    }
    for column in [TableColumn.created, .updated] {
      each(column, "which is not a time; write 2026-01-05 10:11:12") {
        guard let (time, quirks) = Timestamp.parse($0), !quirks.contains(.rollsOver) else { return false }
        times[column] = time
        return true
      }
    }
    var lineage: [TableColumn: String] = [:]
    for column in TableColumn.lineage where facts.layout.has(column) {
      each(column, LineageCells.why(column)) {
        lineage[column] = LineageCells.json(column, $0)
        return lineage[column] != nil
      }
    }
    item.lineage = lineage
    item.type = type
    item.language = language
    item.created = times[.created]
    item.updated = times[.updated]
    item.document = document(item)
    if item.document == .guide, item.text(.document).allSatisfy({ $0 == 0x20 || $0 &- 0x09 < 5 }) {
      let cell = facts.layout.cell(.document)
      item.problems.append(
        RowProblem(.emptyGuide, "'\(facts.layout.header(cell))' is empty; the guide has no text", cell: cell))
    }
  }

  private func document(_ item: CatalogueRow) -> CatalogueRow.Document {
    let text = item.text(.document)
    let first = text.first { !($0 == 0x20 || $0 &- 0x09 < 5) }
    if first == nil { return item.type == .practiceGuide && facts.layout.has(.document) ? .guide : .none }
    if first == UInt8(ascii: "{") { return .json }
    if notesFormat == nil { return .guide }
    return item.type == .practiceGuide && !item.hasFrontMatter ? .guide : .note
  }

  private func identify(_ item: inout CatalogueRow, key: Span<UInt8>) {
    let cell = facts.layout.cell(.id)
    let text = item.text(.id)
    let written = text.span.extracting(CellScanner.trimmed(text.span))
    if let id = UUIDBits(written) {
      item.id = id
      if ids.add(id) == 0 { return }
      item.problems.append(
        RowProblem(
          .repeatedRowID, "'\(facts.layout.header(cell))' is '\(CellScanner.shown(written))', as in an earlier row",
          cell: cell))
    } else if RowIDs.isMalformedID(written) {
      item.problems.append(
        RowProblem(
          .cellValue, "'\(facts.layout.header(cell))' is '\(CellScanner.shown(written))', which is not an id",
          cell: cell))
    } else if let problem = nearlyIDs.check(written, cell: cell, facts.layout) {
      item.problems.append(problem)
    }
    scope.begin(&deriver, kind: "item")
    if !written.isEmpty, UUIDBits(written) == nil {
      deriver.add(written)
    } else if !key.isEmpty {
      deriver.add(key)
    } else {
      deriver.add(item.text(.title).span)
    }
    let mark = deriver.mark
    var id = deriver.id()
    let byKey = !key.isEmpty && (written.isEmpty || UUIDBits(written) != nil)
    // Two notes may have the same title. The second one is identified by its number among notes with that title.
    var repeats = ids.add(id)
    if repeats > 0, byKey, let cell = facts.layout.key {
      item.problems.append(
        RowProblem(
          .repeatedKey, "'\(facts.layout.header(cell))' is '\(CellScanner.shown(key))', as in an earlier row",
          cell: cell))
    }
    while repeats > 0 {
      deriver.truncate(to: mark)
      deriver.add(String(repeats))
      id = deriver.id()
      if ids.add(id) == 0 { break }
      repeats += 1
    }
    item.id = id
  }

  // MARK: Records

  /// Writes an item around a document's body.
  /// - Parameters:
  ///   - body: the text, sections or cards as JSON; nil for an item without a document.
  ///   - note: the item that the document describes, for values that the row lacks.
  func write(
    _ row: CatalogueRow, type: ContentType, body: [UInt8]?, note: JSONNode?, into out: inout ByteBuffer
  ) {
    let text = EnvelopeTemplate.of(type)
    for (index, piece) in text.pieces.enumerated() {
      if body == nil, index == Self.documentStart(text) {
        // Only the text before the first member of the document is written.
        let end = piece.text.lastRange(of: Array("{\"id\":".utf8))?.lowerBound ?? piece.text.count
        out.append(piece.text.span.extracting(first: end))
        out.append("null}")
        return
      }
      out.append(piece.text.span)
      write(piece.slot, row, body, note, into: &out)
    }
    out.append(text.tail.span)
  }

  /// Returns the index of the piece with which the document begins, which is the second piece with an id.
  private static func documentStart(_ text: EnvelopeTemplate) -> Int {
    text.pieces.indices.dropFirst().first { text.pieces[$0].slot == .id } ?? 0
  }

  private func write(
    _ slot: EnvelopeTemplate.Slot, _ row: CatalogueRow, _ body: [UInt8]?, _ note: JSONNode?, into out: inout ByteBuffer
  ) {
    let layout = facts.layout
    switch slot {
    case .id:
      out.append(UInt8(ascii: "\""))
      out.append(row.id)
      out.append(UInt8(ascii: "\""))
    case .title: out.appendJSONString(row.text(.title).span)
    case .description:
      let written = row.text(.description)
      if !written.isEmpty {
        out.appendJSONString(written.span)
      } else if !layout.has(.description), let value = note?.member("description") {
        out.append(value.raw.span)
      } else {
        out.append("null")
      }
    case .tags:
      if !layout.has(.tags), let value = note?.member("tags"), value.kind == .array {
        out.append(value.raw.span)
      } else {
        CellTags.append(row.text(.tags).span, into: &out)
      }
    case .language:
      if let language = row.language {
        out.appendJSONString(language)
      } else if let value = note?.member("language"), value.kind == .string {
        out.append(value.raw.span)
      } else {
        out.append("\"en\"")
      }
    case .created: write(row.created, into: &out)
    case .updated: write(row.updated, into: &out)
    case .checklistType:
      if let value = note?.member("content_data")?.member("checklistType"), value.kind == .string {
        out.append(value.raw.span)
      } else {
        out.append("\"general\"")
      }
    case .lineage(let column):
      if let value = row.lineage[column] {
        out.append(utf8: value)
      } else if !layout.has(column), let value = note.flatMap({ LineageCells.member(column, of: $0) }) {
        out.append(value.raw.span)
      } else {
        out.append(column == .forkCount ? "0" : "null")
      }
    case .body: if let body { out.append(body.span) } else { out.append("null") }
    }
  }

  private func write(_ time: Timestamp?, into out: inout ByteBuffer) {
    if let time { out.appendJSONDate(time) } else { out.append("null") }
  }

  // MARK: Documents

  /// Writes an item whose document is a note.
  /// - Returns: the problems of the document.
  private func writeNote(_ row: CatalogueRow, _ record: Record, into out: inout ByteBuffer) -> [RowProblem] {
    record.withLine { line in
      tape.removeAll()
      guard let parse = try? tape.parse(line.span), let base = line.baseAddress else {
        return [unreadable("it is not a record")]
      }
      let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
      let type = node.member("content_type")?.string.flatMap(ContentType.init(rawValue:)) ?? .practiceGuide
      let name: StaticString =
        switch type {
        case .checklist: "sections"
        case .practiceGuide: "markdown"
        case .flashcardDeck: "cards"
        }
      let body = node.member("content_data")?.member(name)
      write(row, type: type, body: body.map { Array($0.raw) }, note: node, into: &out)
      return []
    }
  }

  /// Writes an item whose document is JSON.
  /// - Returns: the problems of the document.
  private func writeJSON(_ row: CatalogueRow, into out: inout ByteBuffer) -> [RowProblem] {
    let text = row.text(.document)
    var draft = ByteBuffer(capacity: text.count + 1024)
    let type: ContentType
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text.span)
      guard let found = row.type ?? Self.type(of: document) else {
        return [unreadable("it could be a checklist, a guide or a deck; fill in the type")]
      }
      type = found
    } catch {
      let position = TextPosition(offset: error.offset, in: text.span)
      return [unreadable("\(error.message) (line \(position.line), column \(position.column) of the cell)")]
    }
    writeDraft(row, type, into: &draft)
    tape.removeAll()
    guard let parse = try? tape.parse(draft.bytes.span) else { return [unreadable("it is not a JSON object")] }
    let node = JSONNode(text: draft.start, tokens: tape.tokens, index: parse.root)
    canonicalizer.writeRecord(node, kind: .item, derivedID: { row.id.text }, into: &out)
    return canonicalizer.issues.filter { $0.code.severity >= .warning }.map {
      RowProblem($0.code, $0.message + " (\($0.pointer))", cell: facts.cell(.document))
    }
  }

  private func writeDraft(_ row: CatalogueRow, _ type: ContentType, into draft: inout ByteBuffer) {
    draft.append("{\"kind\":\"item\",\"id\":\"")
    draft.append(row.id)
    draft.append("\",\"content_type\":\"")
    draft.append(utf8: type.rawValue)
    draft.append("\"")
    let slots: [(StaticString, EnvelopeTemplate.Slot)] = [
      (",\"title\":", .title), (",\"description\":", .description), (",\"tags\":", .tags),
      (",\"language\":", .language), (",\"created_at\":", .created), (",\"updated_at\":", .updated),
    ]
    for (key, slot) in slots {
      draft.append(key)
      write(slot, row, nil, nil, into: &draft)
    }
    for column in TableColumn.lineage where row.lineage[column] != nil {
      draft.append(utf8: ",\"\(column.rawValue)\":")
      write(.lineage(column), row, nil, nil, into: &draft)
    }
    draft.append(",\"content_data\":")
    let document = row.text(.document)
    draft.append(document.span.extracting(CellScanner.trimmed(document.span)))
    draft.append("}")
  }

  private static func type(of document: JSONDocument) -> ContentType? {
    let root = document.root
    if root["sections"] != nil { return .checklist }
    if root["cards"] != nil { return .flashcardDeck }
    return root["markdown"] != nil ? .practiceGuide : nil
  }

  private func unreadable(_ why: String) -> RowProblem {
    RowProblem(
      .cellDocument, "'\(facts.layout.header(facts.layout.cell(.document)))' is not a document: \(why)",
      cell: facts.cell(.document))
  }
}

/// A row of a catalogue, which is kept until the other rows of its group are read.
struct CatalogueRow {
  /// The kind of document.
  enum Document {
    /// The row has no document.
    case none
    /// The Markdown of a guide.
    case guide
    /// The value of `content_data`.
    case json
    /// A note, which the note format reads.
    case note
  }

  let row: BatchRows.Row
  var id: UUIDBits
  var type: ContentType?
  var document: Document
  /// The cells' texts, keyed by column; empty for missing cells.
  var texts: [TableColumn: [UInt8]]
  /// The language and the times as JSON.
  var language: String?
  var created: Timestamp?
  var updated: Timestamp?
  /// The item's lineage as JSON.
  var lineage: [TableColumn: String] = [:]
  /// The problems of the row. Warnings are only reported; errors reject the row.
  var problems: [RowProblem]

  func text(_ column: TableColumn) -> [UInt8] { texts[column] ?? [] }

  /// Whether the document begins with its own front matter.
  var hasFrontMatter: Bool {
    text(.document).starts(with: Array("---\n".utf8)) || text(.document).starts(with: Array("---\r\n".utf8))
  }
}
