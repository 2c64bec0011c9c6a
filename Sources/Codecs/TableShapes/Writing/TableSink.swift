import Interchange

/// Takes the rows of tables that are written: a CSV file takes one table, a workbook several.
///
/// Driven by one thread: `begin`, any number of rows, `end`, and again for the next table.
package protocol TableSink: AnyObject {
  /// Begins a table; its header says the columns by their raw values.
  /// - Parameter name: what a sheet is called.
  func begin(_ name: String, columns: [TableColumn]) throws

  /// Writes a row, with a cell for each column. Cells are UTF-8 as content has it, not escaped in any way; those of
  /// `minutes` are whole numbers or empty, those of `created` and `updated` times as `2026-01-05T10:11:12.345Z` or empty.
  func write(_ row: borrowing TableRow) throws

  /// Ends the table.
  func end() throws
}
