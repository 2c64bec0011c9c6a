import Diagnostics

/// The rows of one table, its header included, in order; read as often as somebody wants.
///
/// Used by one thread. Memory is bounded by the longest row.
package protocol TableRows: AnyObject {
  /// Reads the next row into `row`. Rows without any text are left out.
  /// - Returns: false at the end.
  /// - Throws: `RunFailure` when the source cannot be read on; `TableRowError` for a row that cannot be used, after which
  ///   the next one can be read.
  func next(into row: inout TableRow) throws -> Bool

  /// Goes back to the first row.
  func rewind() throws

  /// From now on a row with another number of cells than the header cannot be used, where rows are written with all
  /// of their cells; nil to take rows of any length again.
  func expect(cells: Int?)

  /// How far the reader is, in bytes; the total is nil when nobody knows.
  var progress: (done: Int, total: Int?) { get }
}

extension TableRows {
  /// Rows of sheets have the cells that somebody filled in.
  package func expect(cells: Int?) {}
}
