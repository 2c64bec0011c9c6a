import Content
import Diagnostics
import Interchange
import JSONText
import Synchronization

/// Finds values of items of a catalogue: in their own cells, and what documents say inside the cell of the document.
package final class CatalogueLocator: RecordLocator, RecordOrigin {
  /// A record's row, and its note where it is made of one.
  struct Item: Sendable {
    let row: BatchRows.Row
    var note: Record?
    var noteIndex = 0
  }

  private let facts: TableFacts
  private let notes: CatalogueNotes?
  private let items = Mutex<[Item]>([])

  init(_ facts: TableFacts, notes: CatalogueNotes?) {
    self.facts = facts
    self.notes = notes
  }

  /// Lists a record.
  /// - Returns: its number, for `RecordSlot.sourceFile`.
  func add(_ item: Item) -> Int32 {
    items.withLock { items in
      items.append(item)
      return Int32(clamping: items.count - 1)
    }
  }

  package var file: String { facts.places.file }

  private func item(_ record: Record) -> Item? {
    items.withLock { items in
      let number = Int(record.slot.sourceFile)
      return items.indices.contains(number) ? items[number] : nil
    }
  }

  package func originalRows(of record: Record) -> OriginalRows? {
    guard let item = item(record) else { return nil }
    return OriginalRows(table: facts.rejects, bytes: facts.places.original(row: item.row.place), count: 1)
  }

  package func place(of record: Record, at pointer: JSONPointer) -> Place {
    locate(.value, of: record, at: pointer).place
  }

  package func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    guard let item = item(record) else { return LocatedPlace(Place(file: file)) }
    var found = spot(item, part, pointer)
    found.place.pointer = pointer.description
    return found
  }

  private func spot(_ item: Item, _ part: ValuePart, _ pointer: JSONPointer) -> LocatedPlace {
    func place(_ column: TableColumn?, _ range: Range<Int>?) -> LocatedPlace {
      facts.places.place(row: item.row.place, cell: column.flatMap(facts.cell), part: range)
    }
    guard case .member(let name)? = pointer.steps.first else { return place(nil, nil) }
    if name != "content_data" {
      var tag: Int?
      if pointer.steps.count > 1, case .element(let number) = pointer.steps[1] { tag = number }
      return cell(item, facts.layout.itemColumn(name), part, tag)
    }
    guard pointer.steps.count > 1, case .member(let inner) = pointer.steps[1] else { return place(.document, nil) }
    if facts.layout.itemColumn(inner) != nil, inner != "markdown" {
      return cell(item, facts.layout.itemColumn(inner), part, nil)
    }
    if let note = item.note, let notes {
      let found = note.locate(pointer, part: part).place
      guard let line = found.line,
        let start = notes.offset(line: line, column: found.column ?? 1, in: item.noteIndex)
      else { return place(.document, nil) }
      let end = found.endColumn.flatMap { notes.offset(line: line, column: $0, in: item.noteIndex) } ?? start
      return place(.document, start..<max(start, end))
    }
    if inner == "markdown", pointer.steps.count == 2 { return cell(item, .document, part, nil) }
    return json(item, part, JSONPointer(Array(pointer.steps.dropFirst())))
  }

  private func cell(_ item: Item, _ column: TableColumn?, _ part: ValuePart, _ tag: Int?) -> LocatedPlace {
    let cell = column.flatMap(facts.cell)
    var range: Range<Int>?
    if let cell, let text = facts.places.text(row: item.row.place, cell: cell) {
      let isExact = facts.layout.isExact || column == .document
      range = CellSpot(row: item.row, cell: cell, tag: tag).range(of: part, in: text, isExact: isExact)
    }
    return facts.places.place(row: item.row.place, cell: cell, part: range)
  }

  private func json(_ item: Item, _ part: ValuePart, _ pointer: JSONPointer) -> LocatedPlace {
    let cell = facts.cell(.document)
    var range: Range<Int>?
    if let cell, let text = facts.places.text(row: item.row.place, cell: cell), text.contains(UInt8(ascii: "{")),
      let document = try? text.withUnsafeBufferPointer({ text throws(JSONError) in try JSONDocument(parsing: text) })
    {
      range = document.span(of: pointer, part: part)
    }
    return facts.places.place(row: item.row.place, cell: cell, part: range)
  }
}
