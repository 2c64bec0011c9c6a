import Content
import Diagnostics
import Interchange
import JSONText

/// Makes canonical records from the rows of a table, one checklist or deck at a time.
///
/// Bytes are copied from cells to lines, and a row without problems causes no allocation. The memory use is limited to
/// the largest checklist.
struct ListBuilder: ~Copyable {
  /// The result of reading a row.
  enum Outcome {
    /// The row is a step or a card.
    case taken
    /// The row only describes its checklist, or is empty.
    case declared
    /// The row cannot be used. `problems` contains the reasons.
    case rejected
  }

  /// The number of the current row, counted from 1 below the header.
  var ordinal = 0
  let isDeck: Bool
  private(set) var hasGroup = false
  /// The ids of the group.
  private(set) var ids: RowIDs
  /// The values that describe the whole group.
  private(set) var group: GroupCells
  private(set) var sections: SectionList
  /// The rows that the group lacks.
  var losses = Losses()
  /// The id of the previous step, for rows that are imported again.
  private(set) var lastID: UUIDBits?
  /// The problems of the last row.
  private(set) var problems: [RowProblem] = []

  private let layout: TableLayout
  let scope: TableScope
  /// Whether texts are read unchanged.
  private let isExact: Bool
  private let cells: Cells
  private let minuteUnit: MinuteUnit
  /// The details of a step, including the lines of kept columns.
  private var details = ByteBuffer(capacity: 256)
  /// For each kept column in order, whether the group has lines for it.
  private var keptByGroup: [Bool]
  /// The columns without a header that have been reported.
  private var reported: Set<Int> = []
  private var firstRow: BatchRows.Row?
  /// Whether FleetKit wrote the group, whose title may then be empty.
  private var isOurs = false
  private var steps: [Step] = []
  /// The steps as JSON, each followed by a comma.
  private var text = ByteBuffer(capacity: 1 << 16)
  private var isInterleaved = false
  /// The problem of the group's id. An error concerns all rows of the group; a lesser problem concerns only the first
  /// row.
  private var idProblem: RowProblem?

  /// A step or card that was read.
  private struct Step {
    var section: Int
    var text: Range<Int>
    var row: BatchRows.Row
  }

  /// The rows that could not be used.
  struct Losses {
    /// Whether the group may have lost a row.
    var isPartial = false
    /// Whether the group may have lost a row.
    var hasRejects = false
    /// The rows that the group lacks.
    private(set) var rows: [BatchRows.Lost] = []
    private var isAlwaysPartial = false
    private var rowsOfAny: [BatchRows.Lost] = []

    fileprivate mutating func begin(isPartial: Bool) {
      self.isPartial = isPartial || isAlwaysPartial
      hasRejects = false
      rows = rowsOfAny
    }

    /// Records a row that the group lacks.
    mutating func add(_ row: BatchRows.Lost) { if rows.count < 1000 { rows.append(row) } }

    /// Records a row that any group may lack.
    mutating func addToAll(_ row: BatchRows.Lost) {
      isAlwaysPartial = true
      if rowsOfAny.count < 10 { rowsOfAny.append(row) }
    }
  }

  /// The cells of a step or card; -1 for cells that the table does not have.
  private struct Cells {
    let title, itemID, required, optional, minutes, tags, details, back, hint: Int
    let listID, listTitle: Int
    /// The cell that distinguishes rows by `--key`.
    let rowKey: Int

    init(_ layout: TableLayout, rowKey: Int) {
      let isDeck = layout.shape == .cards
      title = layout.cell(isDeck ? .front : .item)
      itemID = layout.cell(isDeck ? .cardID : .itemID)
      listID = layout.cell(isDeck ? .deckID : .checklistID)
      listTitle = layout.cell(isDeck ? .deck : .checklist)
      required = layout.cell(.required)
      optional = layout.cell(.optional)
      minutes = layout.cell(.minutes)
      tags = layout.cell(.tags)
      details = layout.cell(.details)
      back = layout.cell(.back)
      hint = layout.cell(.hint)
      self.rowKey = rowKey
    }
  }

  init(_ layout: TableLayout, scope: TableScope, rowKey: Int) {
    self.layout = layout
    self.scope = scope
    isDeck = layout.shape == .cards
    isExact = layout.isExact
    cells = Cells(layout, rowKey: rowKey)
    minuteUnit = layout.minuteUnit
    keptByGroup = Array(repeating: false, count: layout.kept.count)
    ids = RowIDs(layout, scope: scope)
    group = GroupCells(layout)
    sections = SectionList(layout)
  }

  /// The approximate size of the item so far, as JSON in bytes.
  var size: Int { text.count + sections.size }

  /// The id of the group; nil if its cell has no valid id.
  var knownID: UUIDBits? { idProblem?.rejects == true ? nil : ids.list }

  // MARK: Rows

  /// Begins a checklist or deck with its first row.
  /// - Parameter id: the id, if another row has it.
  mutating func begin(_ row: borrowing TableRow, anchor: GroupTracker.Anchor, key: Int, id: [UInt8]?) {
    hasGroup = true
    isOurs = isExact && (anchor == .id || id != nil)
    firstRow = BatchRows.Row(row, ordinal: ordinal)
    group.begin()
    losses.begin(isPartial: scope.isPartial)
    lastID = nil
    sections.begin()
    steps.removeAll(keepingCapacity: true)
    text.removeAll()
    for index in keptByGroup.indices { keptByGroup[index] = false }
    isInterleaved = false
    if let id {
      idProblem = ids.begin(id.span, inIDCell: cells.listID)
    } else {
      idProblem =
        switch anchor {
        case .id: ids.begin(row.trimmed(cells.listID).span, inIDCell: cells.listID)
        case .key: ids.begin(row.trimmed(key).span, inIDCell: nil)
        case .title: ids.begin(row.trimmed(cells.listTitle).span, inIDCell: nil)
        }
    }
  }

  /// Reads a row of the current group. Afterwards, `problems` contains the row's problems.
  @inline(__always)
  mutating func add(_ row: borrowing TableRow) -> Outcome {
    if !problems.isEmpty { problems.removeAll(keepingCapacity: true) }
    group.read(row, &problems)
    let front = (isExact ? row.text(cells.title) : row.trimmed(cells.title)).span
    let isStep = !CellScanner.trimmed(front).isEmpty || fillsStep(row)
    if !isDeck { sections.enterSection(of: row, ordinal: ordinal, isStep: isStep, &ids, &problems) }
    if let problem = idProblem {
      problems.append(problem)
      if !problem.rejects { idProblem = nil }
    }
    if row.cells.count > layout.headers.count { checkLength(row) }
    if !isStep {
      let outcome = finishRow(.declared)
      if case .rejected = outcome { lose(row) }
      return outcome
    }
    let start = text.count
    var part = PartWriter(into: &text)
    let id = write(row, title: front, &part)
    guard !problems.contains(where: \.rejects) else {
      text.truncate(to: start)
      lose(row, id.text, front)
      return finishRow(.rejected)
    }
    let place = BatchRows.Row(row, ordinal: ordinal)
    if isDeck { sections.beginDeck(place) }
    finishStep(&part, start, id, place)
    return .taken
  }

  /// Returns the final outcome of a row. A row that only describes its checklist is not a step, but is still rejected
  /// if it has an error.
  private mutating func finishRow(_ outcome: Outcome) -> Outcome {
    guard problems.contains(where: \.rejects) else {
      sections.markMentioned()
      return outcome
    }
    losses.isPartial = true
    losses.hasRejects = true
    return .rejected
  }

  private mutating func lose(
    _ row: borrowing TableRow, _ id: String = "", _ title: Span<UInt8> = Span()
  ) {
    let title = title.count <= 1024 ? Array(title) : []
    losses.add(BatchRows.Lost(row: BatchRows.Row(row, ordinal: ordinal), id: Array(id.utf8), title: title))
  }

  /// Returns whether a row without a title has cells that only steps have.
  private func fillsStep(_ row: borrowing TableRow) -> Bool {
    for cell in [
      cells.itemID, cells.required, cells.optional, cells.minutes, cells.tags, cells.details, cells.back, cells.hint,
    ] where !row.trimmed(cell).isEmpty { return true }
    for column in layout.kept where column.accepts(row.trimmed(column.cell).span) { return true }
    return false
  }

  private mutating func checkLength(_ row: borrowing TableRow) {
    for cell in layout.headers.count..<row.cells.count where !row.trimmed(cell).isEmpty {
      return problems.append(
        RowProblem(
          .unusableRow, "the row has \(row.cells.count) cells, but the header has \(layout.headers.count)", cell: cell))
    }
  }

  private mutating func finishStep(_ part: inout PartWriter, _ start: Int, _ id: UUIDBits, _ row: BatchRows.Row) {
    let section = sections.current
    let number = sections.addStep()
    part.number(.sortOrder, Int64(number), into: &text)
    part.end(into: &text)
    text.append(UInt8(ascii: ","))
    if let last = steps.last, last.section != section, last.section > section || number > 0 { isInterleaved = true }
    steps.append(Step(section: section, text: start..<text.count, row: row))
    lastID = id
  }

  // MARK: Steps and cards

  /// Writes a step or card except for its end.
  @inline(__always)
  private mutating func write(
    _ row: borrowing TableRow, title: Span<UInt8>, _ part: inout PartWriter
  ) -> UUIDBits {
    // All cells are read, so that all problems in a row are reported.
    if CellScanner.trimmed(title).isEmpty, !isExact || row.text(cells.itemID).isEmpty {
      problems.append(
        RowProblem(
          .rowWithoutTitle, "'\(layout.header(cells.title))' is empty although other cells of the row are filled",
          cell: cells.title))
    }
    let id = id(of: row, title: title)
    part.begin(.id, into: &text)
    text.append(UInt8(ascii: "\""))
    text.append(id)
    text.append(UInt8(ascii: "\""))
    part.text(isDeck ? .front : .title, title, into: &text)
    if isDeck { writeCard(row, &part) } else { writeStep(row, &part) }
    return id
  }

  @inline(__always)
  private mutating func id(of row: borrowing TableRow, title: Span<UInt8>) -> UUIDBits {
    let id = row.trimmed(cells.itemID).span
    if !id.isEmpty { return ids.step(id, cells.itemID, title: title, in: sections, &problems) }
    let key = row.trimmed(cells.rowKey).span
    if !key.isEmpty { return ids.step(key: key, cells.rowKey, title: title, in: sections, &problems) }
    return ids.step(titled: title, in: sections)
  }

  @inline(__always)
  private mutating func writeStep(_ row: borrowing TableRow, _ part: inout PartWriter) {
    let own = (isExact ? row.text(cells.details) : row.trimmed(cells.details)).span
    if layout.kept.isEmpty {
      if !own.isEmpty { part.text(.itemDescription, own, into: &text) }
    } else {
      writeDetails(row, own, &part)
    }
    part.flag(.isOptional, bool(row, cells.optional), into: &text)
    part.flag(.isRequired, bool(row, cells.required), into: &text)
    part.begin(.tags, into: &text)
    CellTags.append(row.text(cells.tags).span, into: &text)
    let minutes = row.trimmed(cells.minutes).span
    if !minutes.isEmpty {
      if !minuteUnit.isStrict {
        // Text that is not clearly a number of minutes is kept in the details.
        if let number = minuteUnit.steps(minutes) { part.number(.estimatedMinutes, number, into: &text) }
      } else if let number = CellValue.minutes(minutes) {
        // A library may have values outside this range, and FleetKit must be able to read its own tables.
        if !isExact, !CellValue.possibleMinutes.contains(number) {
          problem(cells.minutes, minutes, "and a step takes 0 to \(CellValue.possibleMinutes.upperBound) minutes")
        }
        part.number(.estimatedMinutes, number, into: &text)
      } else {
        problem(cells.minutes, minutes, "which is not a whole number of minutes; write 5, 5 min or 1:30")
      }
    }
  }

  /// Writes the details with a line for each kept column.
  private mutating func writeDetails(
    _ row: borrowing TableRow, _ own: Span<UInt8>, _ part: inout PartWriter
  ) {
    details.removeAll()
    details.append(own)
    for (index, column) in layout.kept.enumerated() {
      let written = row.trimmed(column.cell).span
      guard column.accepts(written) else { continue }
      if details.count > 0 { details.append(UInt8(ascii: "\n")) }
      details.append(column.name.span)
      details.append(CustomColumn.separator)
      details.append(isExact ? row.text(column.cell).span : written)
      if case .minutes = column.kind {
        problems.append(
          RowProblem(
            .minutesAsText,
            "'\(layout.header(column.cell))' is '\(CellScanner.shown(written))', which is not clearly minutes; "
              + "it is kept in the details",
            cell: column.cell))
        continue
      }
      keptByGroup[index] = true
      if !column.isNamed, reported.insert(column.cell).inserted {
        problems.append(
          RowProblem(
            .keptColumn,
            "a column without a header is kept in the details, as '\(String(decoding: column.name, as: UTF8.self))'",
            cell: column.cell))
      }
    }
    if details.count > 0 { part.text(.itemDescription, details.bytes.span, into: &text) }
  }

  /// The names of the kept columns for which the record has lines, or of all kept columns if some rows are unknown.
  private var keptNames: [[UInt8]] {
    var names: [[UInt8]] = []
    var seen: Set<[UInt8]> = []
    for (index, column) in layout.kept.enumerated() where losses.isPartial || keptByGroup[index] {
      if case .minutes = column.kind { continue }
      if column.isNamed, seen.insert(column.name).inserted { names.append(column.name) }
    }
    return names
  }

  @inline(__always)
  private mutating func bool(_ row: borrowing TableRow, _ cell: Int) -> Bool {
    let written = row.trimmed(cell).span
    if written.isEmpty { return false }
    if let value = CellValue.flag(written, isOptional: cell == cells.optional) { return value }
    problem(cell, written, "which is neither yes nor no")
    return false
  }

  private mutating func writeCard(_ row: borrowing TableRow, _ part: inout PartWriter) {
    let back = (isExact ? row.text(cells.back) : row.trimmed(cells.back)).span
    if CellScanner.trimmed(back).isEmpty, !isExact || row.text(cells.itemID).isEmpty {
      problems.append(
        RowProblem(
          .rowWithoutTitle, "'\(layout.header(cells.back))' is empty, and a card has two sides", cell: cells.back))
    }
    part.text(.back, back, into: &text)
    part.begin(.tags, into: &text)
    CellTags.append(row.text(cells.tags).span, into: &text)
    let hint = (isExact ? row.text(cells.hint) : row.trimmed(cells.hint)).span
    if !hint.isEmpty { part.text(.hint, hint, into: &text) }
  }

  private mutating func problem(_ cell: Int, _ text: Span<UInt8>, _ why: String) {
    problems.append(.value(text, cell, why, layout))
  }

  // MARK: Records

  /// Ends the group and adds its record to a batch, unless none of its rows could be used.
  /// - Returns: whether a record was added.
  @discardableResult
  mutating func finish(into batch: RecordBatch, _ rows: inout BatchRows) -> Bool {
    guard hasGroup, let firstRow else { return false }
    hasGroup = false
    if steps.isEmpty, losses.hasRejects { return false }
    if !isOurs || !layout.has(isDeck ? .deck : .checklist) { group.complete(title: scope.name) }
    let start = batch.canonical.count
    let text = EnvelopeTemplate.of(isDeck ? .flashcardDeck : .checklist)
    if !losses.rows.isEmpty { rows.lost[rows.items.count] = losses.rows }
    rows.items.append(BatchRows.Item(row: firstRow, firstSection: rows.sections.count))
    for piece in text.pieces {
      batch.canonical.append(piece.text.span)
      switch piece.slot {
      case .id:
        batch.canonical.append(UInt8(ascii: "\""))
        batch.canonical.append(ids.list)
        batch.canonical.append(UInt8(ascii: "\""))
      case .body where isDeck: writeCards(into: &batch.canonical, &rows)
      case .body: writeSections(into: &batch.canonical, &rows)
      default: group.write(piece.slot, into: &batch.canonical)
      }
    }
    batch.canonical.append(text.tail.span)
    if !layout.kept.isEmpty {
      let names = keptNames
      if !names.isEmpty {
        batch.canonical.truncate(to: batch.canonical.count - 1)
        CustomColumnNames.append(names, into: &batch.canonical)
        batch.canonical.append(UInt8(ascii: "}"))
      }
    }
    batch.appendSlot(.item, from: start)
    let slot = batch.slots.count - 1
    batch.slots[slot].rows = Int32(clamping: steps.count)
    batch.slots[slot].isPartial = losses.isPartial
    batch.slots[slot].sourceFile = Int32(clamping: rows.items.count - 1)
    return true
  }

  private mutating func writeCards(into out: inout ByteBuffer, _ rows: inout BatchRows) {
    if let firstRow { rows.sections.append(BatchRows.Section(row: firstRow, firstStep: rows.steps.count)) }
    out.append(UInt8(ascii: "["))
    if let first = steps.first, let last = steps.last {
      out.append(text.bytes.span.extracting(first.text.lowerBound..<last.text.upperBound - 1))
      for step in steps { rows.steps.append(step.row) }
    }
    out.append(UInt8(ascii: "]"))
  }

  private mutating func writeSections(into out: inout ByteBuffer, _ rows: inout BatchRows) {
    if isInterleaved {
      // The sort is stable, because indices break ties, so the rows of a section keep their table order.
      steps = steps.indices.sorted { (steps[$0].section, $0) < (steps[$1].section, $1) }.map { steps[$0] }
    }
    out.append(UInt8(ascii: "["))
    var next = 0
    var position: Int64 = 0
    for index in sections.indices where sections[index].isMentioned {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      let section = sections[index]
      rows.sections.append(BatchRows.Section(row: section.row, firstStep: rows.steps.count))
      let name = sections.name(index).span
      var part = PartWriter(into: &out)
      part.begin(.id, into: &out)
      out.append(UInt8(ascii: "\""))
      out.append(section.id ?? ids.section(titled: name))
      out.append(UInt8(ascii: "\""))
      // Steps without a section are put into a section with the checklist's title, as in notes.
      part.text(.title, name.isEmpty && section.id == nil ? group.title.bytes.span : name, into: &out)
      part.begin(.items, into: &out)
      out.append(UInt8(ascii: "["))
      let first = next
      next += section.count
      write(first..<next, into: &out, &rows)
      out.append(UInt8(ascii: "]"))
      part.flag(.isExpandedByDefault, true, into: &out)
      part.number(.sortOrder, position, into: &out)
      part.end(into: &out)
      position += 1
    }
    out.append(UInt8(ascii: "]"))
  }

  private func write(_ range: Range<Int>, into out: inout ByteBuffer, _ rows: inout BatchRows) {
    guard !range.isEmpty else { return }
    for index in range { rows.steps.append(steps[index].row) }
    if isInterleaved {
      for index in range { out.append(text.bytes.span.extracting(steps[index].text)) }
    } else {
      // The steps are adjacent, so they are copied at once.
      let all = steps[range.lowerBound].text.lowerBound..<steps[range.upperBound - 1].text.upperBound
      out.append(text.bytes.span.extracting(all))
    }
    out.truncate(to: out.count - 1)
  }
}
