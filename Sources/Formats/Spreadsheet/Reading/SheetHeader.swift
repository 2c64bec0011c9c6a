import Interchange
import TableShapes

/// Finds the header of a sheet as reading it will, for the file that its rejected rows go to.
enum SheetHeader {
  /// The header as a line of CSV, and its cells; the first row where none is a header.
  static func text(of rows: SheetRows, _ match: HeaderMatch) throws -> (line: [UInt8], cells: [String]) {
    let found = try match.headerRow(of: rows)
    var row = TableRow()
    try rows.rewind()
    for _ in 0...(found?.index ?? 0) {
      do {
        guard try rows.next(into: &row) else { return ([], []) }
      } catch is TableRowError {}
    }
    return (SheetPlaces.line(of: row), found?.cells ?? row.trimmedTexts)
  }
}
