import Interchange
import TableShapes

/// Finds the header of a sheet in the same way as reading does, for the file that receives its rejected rows.
enum SheetHeader {
  /// Returns the header as a line of CSV, and its cells; the first row if no row is a header.
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
