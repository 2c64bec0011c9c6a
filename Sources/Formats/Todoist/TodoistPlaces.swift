import Content
import DelimitedText
import Diagnostics
import Interchange
import TableShapes

/// Finds the cells of a template that steps were made of.
struct TodoistPlaces: TablePlaces {
  let source: DelimitedSource
  let columns: TodoistColumns

  var file: String { source.name }

  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace {
    var own: Int?
    if let cell {
      if cell >= TodoistRows.own {
        own = cell - TodoistRows.own
      } else if TodoistRows.steps.indices.contains(cell) {
        own = columns.cell(TodoistRows.steps[cell].column)
      }
    }
    let found = source.position(row: row, cell: own.flatMap { $0 < 0 ? nil : $0 })
    return LocatedPlace(Place(file: file, line: found.line, column: found.column, endColumn: found.endColumn))
  }

  /// The row of a task, and the notes behind it.
  func original(row: (number: Int, offset: Int)) -> [UInt8] {
    let first = source.original(row: row)
    var bytes = first
    let rows = source.rows()
    rows.seek(to: row.offset, line: row.number)
    var next = TableRow()
    do {
      guard try rows.next(into: &next), isType(next, "task") else { return first }
      while try rows.next(into: &next), isType(next, "note") {
        bytes += source.lineEnd + source.original(row: (next.number, next.offset))
      }
    } catch {
      // A row that cannot be read is no note of this one.
    }
    return bytes
  }

  private func isType(_ row: borrowing TableRow, _ type: String) -> Bool {
    String(decoding: row.text(columns.cell(.type)), as: UTF8.self).lowercased() == type
  }
}
