import Content
import Interchange

/// One table of a source: a CSV file, or a sheet of a workbook.
package struct SourceTable {
  /// The sheet's name; nil where a file is one table.
  package let sheet: String?
  /// Its rows, the header first.
  package let rows: any TableRows
  /// Where its cells are.
  package let places: any TablePlaces
  /// How its rejected rows are kept.
  package let rejects: RejectTable

  package init(sheet: String?, rows: any TableRows, places: any TablePlaces, rejects: RejectTable) {
    self.sheet = sheet
    self.rows = rows
    self.places = places
    self.rejects = rejects
  }
}

/// Finds cells of a table again, for findings. Outlives its reader; may read the source once more.
package protocol TablePlaces: Sendable {
  /// The source as findings name it.
  var file: String { get }

  /// The place of a cell, or of a part of its text.
  /// - Parameters:
  ///   - row: the row's number and offset as its `TableRow` had them.
  ///   - cell: the cell, from 0; nil for the whole row.
  ///   - part: bytes of the cell's text; nil for all of it.
  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace

  /// The row byte for byte as its source wrote it, for rejects; a row of a sheet as a line of CSV.
  func original(row: (number: Int, offset: Int)) -> [UInt8]

  /// The text of a cell as its `TableRow` had it, to find a part of it; nil when it cannot be read again.
  func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]?
}

extension TablePlaces {
  /// Parts of cells are not looked for.
  package func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]? { nil }
}
