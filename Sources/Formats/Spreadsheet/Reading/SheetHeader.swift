import Interchange
import TableShapes

/// Finds the header of a sheet as reading it will, for the file that its rejected rows go to.
enum SheetHeader {
  /// The header as a line of CSV, and its cells; the first row where none is a header.
  static func text(of rows: SheetRows, _ match: HeaderMatch) throws -> (line: [UInt8], cells: [String]) {
    var row = TableRow()
    var first: (line: [UInt8], cells: [String])?
    for _ in 0..<10 {
      do {
        guard try rows.next(into: &row) else { break }
      } catch is TableRowError {
        continue
      }
      let cells = row.trimmedTexts
      if first == nil { first = (SheetPlaces.line(of: row), cells) }
      if match.layout(cells) != nil { return (SheetPlaces.line(of: row), cells) }
    }
    return first ?? ([], [])
  }
}
