import Content
import Diagnostics
import Interchange
import JSONText
import Synchronization

/// The properties that all batches of one table share.
struct TableContext: Sendable {
  var layout: TableLayout
  let places: any TablePlaces
  let rejects: RejectTable
  /// The origin of the rejected rows if the table consists of rejected rows that are imported again; otherwise nil.
  let retry: RetryOrigin?

  /// The table's traits as a source: people edit rows without changing the times in them.
  var traits: SourceTraits { SourceTraits(isWrittenByHand: true, expressible: layout.saidMembers) }
}

/// Finds the cells from which values of records were read. Each batch has the rows of its records. Values in the
/// document of a catalogue item are found inside the document's cell.
package final class TableLocator: RecordLocator, RecordOrigin {
  private let facts: TableContext
  private let notes: CatalogueNotes?
  private let state = Mutex(BatchRows())

  /// - Parameter notes: the notes in the cells of a catalogue.
  init(_ facts: TableContext, notes: CatalogueNotes? = nil) {
    self.facts = facts
    self.notes = notes
  }

  /// Stores the rows of the batch once all of them are known.
  func store(_ rows: BatchRows) { state.withLock { $0 = rows } }

  package var file: String { facts.places.file }

  package func originalRows(of record: Record) -> OriginalRows? {
    let rows = state.withLock { state in
      let item = Int(record.slot.sourceFile)
      if facts.layout.shape == .catalogue { return state.items.indices.contains(item) ? [state.items[item].row] : [] }
      return state.sections(of: item).flatMap { state.steps(of: $0).map { index in state.steps[index] } }
    }
    guard !rows.isEmpty else { return nil }
    let texts = rows.sorted { $0.ordinal < $1.ordinal }.map { facts.places.original(row: $0.place) }
    return OriginalRows(
      table: facts.rejects, bytes: Array(texts.joined(separator: facts.rejects.lineEnd)), count: texts.count)
  }

  package func lostRows(of record: Record) -> LostRows? {
    let lost = state.withLock { $0.lost[Int(record.slot.sourceFile)] } ?? []
    guard let first = lost.min(by: { $0.row.ordinal < $1.row.ordinal }) else { return nil }
    return LostRows(
      first: facts.places.place(row: first.row.place, cell: nil, part: nil).place, count: lost.count,
      ids: Set(lost.map(\.id).filter { !$0.isEmpty }), titles: Set(lost.map(\.title).filter { !$0.isEmpty }))
  }

  package func stepAnchors(of record: Record) -> [StepAnchor] {
    guard let retry = facts.retry else { return [] }
    return state.withLock { state in
      state.sections(of: Int(record.slot.sourceFile)).flatMap { section in
        state.steps(of: section).map { retry.anchor(ofRow: Int(state.steps[$0].ordinal)) }
      }
    }
  }

  package func place(of record: Record, at pointer: JSONPointer) -> Place {
    locate(.value, of: record, at: pointer).place
  }

  package func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    guard let spot = spot(of: record, pointer) else { return LocatedPlace(Place(file: file)) }
    if let kept = kept(spot, part, pointer) {
      var found = facts.places.place(row: spot.row.place, cell: kept.cell, part: kept.part)
      found.place.pointer = pointer.description
      return found
    }
    var found = facts.places.place(row: spot.row.place, cell: spot.cell, part: range(of: spot, part, record, pointer))
    found.place.pointer = pointer.description
    return found
  }

  /// Returns the cell of a kept column if a range of a step's details is in the column's line, or nil for any other
  /// value.
  private func kept(_ spot: CellPosition, _ part: ValuePart, _ pointer: JSONPointer) -> (cell: Int, part: Range<Int>)? {
    guard !facts.layout.kept.isEmpty, case .member("itemDescription")? = pointer.steps.last,
      case .text(let range) = part
    else { return nil }
    func text(_ cell: Int?) -> (bytes: [UInt8], start: Int) {
      guard let cell, let text = facts.places.text(row: spot.row.place, cell: cell) else { return ([], 0) }
      if facts.layout.isExact { return (text, 0) }
      let trimmed = CellScanner.trimmed(text.span)
      return (Array(text[trimmed]), trimmed.lowerBound)
    }
    var at = text(facts.cell(.details)).bytes.count
    if range.lowerBound < at { return nil }
    for column in facts.layout.kept {
      let (bytes, start) = text(column.cell)
      guard column.accepts(bytes.span.extracting(CellScanner.trimmed(bytes.span))) else { continue }
      if at > 0 { at += 1 }
      at += column.name.count + CustomColumn.separator.utf8CodeUnitCount
      if range.lowerBound < at + bytes.count {
        let lower = max(0, range.lowerBound - at)
        return (column.cell, start + lower..<start + max(lower, min(bytes.count, range.upperBound - at)))
      }
      at += bytes.count
    }
    return nil
  }

  /// Returns the byte range of a value in its cell, or nil for the whole cell and for a value without a cell.
  private func range(of spot: CellPosition, _ part: ValuePart, _ record: Record, _ pointer: JSONPointer) -> Range<Int>?
  {
    let isDocument = facts.layout.shape == .catalogue && spot.cell != nil && spot.cell == facts.cell(.document)
    guard isDocument else { return whole(spot, part, isExact: facts.layout.isExact) }
    if pointer.steps.count < 2 { return nil }
    if let note = state.withLock({ $0.notes[Int(record.slot.sourceFile)] }), let notes {
      let found = note.record.locate(pointer, part: part).place
      guard let line = found.line, let start = notes.offset(line: line, column: found.column ?? 1, in: note.index)
      else { return nil }
      let end = found.endColumn.flatMap { notes.offset(line: line, column: $0, in: note.index) } ?? start
      return start..<max(start, end)
    }
    if pointer.steps == [.member("content_data"), .member("markdown")] { return whole(spot, part, isExact: true) }
    guard let cell = spot.cell, let text = facts.places.text(row: spot.row.place, cell: cell),
      text.contains(UInt8(ascii: "{")),
      let document = try? JSONDocument(parsing: text.span)
    else { return nil }
    return document.span(of: pointer.dropping(1), part: part)
  }

  private func whole(_ spot: CellPosition, _ part: ValuePart, isExact: Bool) -> Range<Int>? {
    guard let cell = spot.cell, let text = facts.places.text(row: spot.row.place, cell: cell) else { return nil }
    return spot.range(of: part, in: text, isExact: isExact)
  }

  /// Returns the row and cell of a value.
  private func spot(of record: Record, _ pointer: JSONPointer) -> CellPosition? {
    state.withLock { rows in
      let item = Int(record.slot.sourceFile)
      guard rows.items.indices.contains(item) else { return nil }
      let first = rows.items[item].row
      var steps = pointer.steps[...]
      guard case .member(let name)? = steps.popFirst() else { return CellPosition(row: first, cell: nil) }
      guard name == "content_data" else { return cell(name, in: first, steps) }
      if facts.layout.shape == .catalogue { return document(in: first, steps) }
      guard case .member(let inner)? = steps.popFirst() else { return CellPosition(row: first, cell: nil) }
      guard inner == "sections" || inner == "cards", case .element(let number)? = steps.popFirst() else {
        return cell(inner, in: first, steps)
      }
      let sections = rows.sections(of: item)
      if inner == "cards" {
        return step(number, of: sections.lowerBound, rows, steps) ?? CellPosition(row: first, cell: nil)
      }
      guard number < sections.count, number >= 0 else { return CellPosition(row: first, cell: nil) }
      let section = sections.lowerBound + number
      let row = rows.sections[section].row
      guard case .member(let member)? = steps.popFirst() else {
        return CellPosition(row: row, cell: facts.cell(.section))
      }
      if member == "items", case .element(let number)? = steps.popFirst() {
        return step(number, of: section, rows, steps) ?? CellPosition(row: row, cell: nil)
      }
      return CellPosition(row: row, cell: facts.cell(member == "id" ? .sectionID : .section))
    }
  }

  private func step(
    _ number: Int, of section: Int, _ rows: BatchRows, _ pointer: ArraySlice<JSONPointer.Step>
  ) -> CellPosition? {
    let range = rows.steps(of: section)
    guard number >= 0, number < range.count else { return nil }
    let row = rows.steps[range.lowerBound + number]
    var pointer = pointer
    guard case .member(let name)? = pointer.popFirst(), let column = facts.layout.stepColumn(name) else {
      return CellPosition(row: row, cell: facts.layout.cells[facts.layout.shape == .cards ? .front : .item])
    }
    return CellPosition(row: row, cell: facts.cell(column), tag: Self.tag(column, pointer))
  }

  /// Returns the cell for a member of a catalogue item's document: a column that repeats the member, or the document's
  /// cell.
  private func document(in row: BatchRows.Row, _ pointer: ArraySlice<JSONPointer.Step>) -> CellPosition {
    if case .member(let inner)? = pointer.first, inner != "markdown", facts.layout.itemColumn(inner) != nil {
      return cell(inner, in: row, [])
    }
    return CellPosition(row: row, cell: facts.cell(.document))
  }

  private func cell(_ name: String, in row: BatchRows.Row, _ rest: ArraySlice<JSONPointer.Step>) -> CellPosition {
    let column = facts.layout.itemColumn(name)
    let tag = facts.layout.shape == .catalogue ? column.flatMap { Self.tag($0, rest) } : nil
    return CellPosition(row: row, cell: column.flatMap(facts.cell), tag: tag)
  }

  private static func tag(_ column: TableColumn, _ rest: ArraySlice<JSONPointer.Step>) -> Int? {
    guard column == .tags, case .element(let number)? = rest.first else { return nil }
    return number
  }
}

extension TableContext {
  func cell(_ column: TableColumn) -> Int? { layout.cells[column] }
}

/// The row and cell of a value.
struct CellPosition {
  let row: BatchRows.Row
  /// The index of the cell, from 0; nil for the whole row if no column holds the value.
  let cell: Int?
  /// The index of a tag in the cell; nil for the whole text.
  var tag: Int?

  /// Returns the byte range of a part in the cell, or nil for the whole cell.
  func range(of part: ValuePart, in text: [UInt8], isExact: Bool) -> Range<Int>? {
    var value = isExact ? text.indices : CellScanner.trimmed(text.span)
    if let tag {
      var number = 0
      CellTags.forEach(text.span) { found in
        if number == tag { value = found }
        number += 1
      }
    }
    if case .text(let range) = part {
      let lower = min(range.lowerBound, value.count)
      return value.lowerBound + lower..<value.lowerBound + max(lower, min(range.upperBound, value.count))
    }
    return value
  }
}

/// The rows from which the records of a batch were made.
struct BatchRows: Sendable {
  /// A row, with the values that its reader needs to find it again.
  struct Row: Sendable {
    var number: Int32
    /// The number of the row, counted from 1 below the header.
    var ordinal: Int32
    var offset: Int

    init(_ row: borrowing TableRow, ordinal: Int) {
      number = Int32(clamping: row.number)
      self.ordinal = Int32(clamping: ordinal)
      offset = row.offset
    }

    /// The row in the form that is used to find places.
    var place: (number: Int, offset: Int) { (Int(number), offset) }
  }

  /// A row that could not be used, and the step that it was meant to be, as far as the step is known.
  struct Lost: Sendable {
    var row: Row
    var id: [UInt8] = []
    var title: [UInt8] = []
  }

  /// A section, or the single list of a deck: its row and its first step.
  struct Section: Sendable {
    var row: Row
    var firstStep: Int
  }

  /// A record, with its first row and its first section.
  struct Item: Sendable {
    var row: Row
    var firstSection: Int
  }

  var items: [Item] = []
  var sections: [Section] = []
  var steps: [Row] = []
  /// The rows that records lack, keyed by the record's index in `items`.
  var lost: [Int: [Lost]] = [:]
  /// The notes from which catalogue items were made, with their numbers, keyed by the record's index in `items`.
  var notes: [Int: (record: Record, index: Int)] = [:]

  /// Returns the sections of a record, as indices in `sections`.
  func sections(of item: Int) -> Range<Int> {
    guard items.indices.contains(item) else { return 0..<0 }
    let end = items.indices.contains(item + 1) ? items[item + 1].firstSection : sections.count
    return items[item].firstSection..<end
  }

  /// Returns the steps of a section, as indices in `steps`.
  func steps(of section: Int) -> Range<Int> {
    guard sections.indices.contains(section) else { return 0..<0 }
    let end = sections.indices.contains(section + 1) ? sections[section + 1].firstStep : steps.count
    return sections[section].firstStep..<end
  }
}
