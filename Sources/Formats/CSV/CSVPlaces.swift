import Content
import DelimitedText
import Diagnostics
import Interchange
import JSONText
import TableShapes

/// Finds cells of a delimited text by line and column.
struct CSVPlaces: TablePlaces {
  let source: DelimitedSource

  var file: String { source.name }

  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace {
    let found = source.position(row: row, cell: cell, part: part)
    return LocatedPlace(Place(file: file, line: found.line, column: found.column, endColumn: found.endColumn))
  }

  func original(row: (number: Int, offset: Int)) -> [UInt8] { source.original(row: row) }

  func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]? { source.text(row: row, cell: cell) }
}
