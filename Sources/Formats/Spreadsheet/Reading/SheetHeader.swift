import Interchange
import TableShapes

/// Finds a sheet's header in the same way as the reader does, for the file that receives the sheet's rejected rows.
enum SheetHeader {
  /// Returns the header as a CSV line, and its cells. If no row is a header, returns the first row.
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
