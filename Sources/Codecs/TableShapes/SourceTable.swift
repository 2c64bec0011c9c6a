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
