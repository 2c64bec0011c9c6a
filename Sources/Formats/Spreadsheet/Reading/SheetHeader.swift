import Interchange
import TableShapes

/// Finds the header of a sheet as reading it will, for the file that its rejected rows go to.
enum SheetHeader {
  /// The header as a line of CSV; the first row where none is a header.
  static func text(of rows: SheetRows, _ match: HeaderMatch) throws -> [UInt8] {
    var row = TableRow()
    var first: [UInt8]?
    for _ in 0..<10 {
      do {
        guard try rows.next(into: &row) else { break }
      } catch is TableRowError {
        continue
      }
      let cells = row.cells.indices.map { String(decoding: row.text($0), as: UTF8.self) }
      if first == nil { first = SheetPlaces.line(of: row) }
      if match.layout(cells) != nil { return SheetPlaces.line(of: row) }
    }
    return first ?? []
  }
}
