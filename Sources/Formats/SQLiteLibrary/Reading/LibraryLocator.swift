import Content
import Diagnostics
import JSONText

/// Finds values of records in the rows and columns that they were read from.
struct LibraryLocator: RecordLocator {
  let file: String
  /// Reads cells again for lines and columns.
  let cells: CellText

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
    let id = rawID(of: record)
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
      let isGuide = (try? record.document())?.root["content_type"]?.string == ContentType.practiceGuide.rawValue
      return row(isGuide ? TableMaps.practiceGuides : TableMaps.checklists, pointer.dropping(1))
    default: return Place(file: file, pointer: record.id)
    }
  }

  private func rawID(of record: Record) -> String {
    let raw = (try? record.document())?.root.at(JSONPointer([.member("extras"), .member("raw"), .member("id")]))
    return raw?.string ?? record.id
  }
}
