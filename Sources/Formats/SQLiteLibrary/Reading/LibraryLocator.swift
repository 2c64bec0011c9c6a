import Content
import Diagnostics
import JSONText
import Synchronization

/// Finds values of records in the rows and columns that they were read from.
struct LibraryLocator: RecordLocator {
  let file: String
  /// Reads cells again for lines and columns.
  let cells: CellText
  private let rows = RecordRows()

  init(file: String, cells: CellText) {
    self.file = file
    self.cells = cells
  }

  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    let place = place(of: record, at: pointer)
    guard let row = place.row, let inner = JSONPointer(place.pointer) else { return LocatedPlace(place) }
    return cells.locate(part, file: file, row: row, pointer: inner)
  }

  func refine(_ place: Place) -> LocatedPlace {
    guard let row = place.row, place.line == nil, let pointer = JSONPointer(place.pointer) else {
      return LocatedPlace(place)
    }
    return cells.locate(.value, file: place.file, row: row, pointer: pointer)
  }

  func place(of record: Record, at pointer: JSONPointer) -> Place {
    let own = rows.row(of: record)
    let id = own.id
    func row(_ map: TableMap, _ steps: JSONPointer) -> Place {
      guard case .member(let name)? = steps.steps.first else {
        return Place(file: file, row: Place.Row(table: map.table, id: id))
      }
      let column = map.column(ofMember: name)?.column ?? name
      return Place(
        file: file, row: Place.Row(table: map.table, id: id, column: column), pointer: steps.dropping(1).description)
    }
    switch record.kind {
    case .charter: return row(TableMaps.charters, pointer)
    case .execution: return row(TableMaps.executions, pointer)
    case .syncOperation: return row(TableMaps.queue, pointer)
    case .item:
      guard pointer.steps.first == .member("content_data") else { return row(TableMaps.content, pointer) }
      return row(own.isGuide ? TableMaps.practiceGuides : TableMaps.checklists, pointer.dropping(1))
    default: return Place(file: file, pointer: record.id)
    }
  }
}

/// The rows that records came from; many findings in one record parse it once.
final class RecordRows: Sendable {
  private final class Row {
    // Not its address: another batch may get that, once this one is gone. Not itself: it holds its locator.
    weak var batch: RecordBatch?
    let index: Int
    /// The id as the row spells it.
    let id: String
    let isGuide: Bool

    init(_ record: Record) {
      let root = (try? record.document())?.root
      let raw = root?.at(JSONPointer([.member("extras"), .member("raw"), .member("id")]))
      id = raw?.string ?? record.id
      isGuide = root?["content_type"]?.string == ContentType.practiceGuide.rawValue
      batch = record.batch
      index = record.index
    }
  }

  private let last = Mutex<Row?>(nil)

  /// The id of a record's row, and whether its content stands in the table of guides.
  func row(of record: Record) -> (id: String, isGuide: Bool) {
    last.withLock { last in
      let row: Row
      if let known = last, known.batch === record.batch, known.index == record.index {
        row = known
      } else {
        row = Row(record)
        last = row
      }
      return (row.id, row.isGuide)
    }
  }
}
