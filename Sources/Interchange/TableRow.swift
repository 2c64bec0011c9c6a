import Diagnostics
import JSONText

/// One row of a table: its cells as UTF-8, and its position. The object is reused for every row.
package struct TableRow: ~Copyable {
  /// A cell, as a range of `bytes`.
  package struct Cell {
    package var start: Int
    package var length: Int

    package init(start: Int, length: Int) {
      self.start = start
      self.length = length
    }
  }

  /// The text of all cells, unquoted.
  package var bytes = ByteBuffer(capacity: 4096)
  /// The cells in order. A row may have fewer or more cells than the header.
  package var cells: [Cell] = []
  /// The row of a sheet, or the first line of a row in text, counted from 1.
  package var number = 0
  /// The offset of the row in its text, in bytes; 0 in sheets.
  package var offset = 0
  /// The length of the row in its text, without its line end.
  package var length = 0

  /// Creates a row without cells.
  package init() {}

  /// Returns the text of a cell, which is valid until the row changes. The text is empty if the row ends before the
  /// cell.
  package func text(_ cell: Int) -> UnsafeBufferPointer<UInt8> {
    guard cells.indices.contains(cell) else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: bytes.start + cells[cell].start, count: cells[cell].length)
  }

  /// Removes the cells.
  package mutating func removeAll() {
    bytes.removeAll()
    cells.removeAll(keepingCapacity: true)
  }
}

/// The rows of one table in order, including its header. They can be read repeatedly.
///
/// An object is used by one thread. Memory is bounded by the longest row.
package protocol TableRows: AnyObject {
  /// Reads the next row into `row`. Rows without any text are left out.
  /// - Returns: False at the end.
  /// - Throws: `RunFailure` if the rest of the source cannot be read; `TableRowError` for a row that cannot be used,
  ///   after which the next one can be read.
  func next(into row: inout TableRow) throws -> Bool

  /// Returns to the first row.
  func rewind() throws

  /// Sets the number of cells of every row from now on, for tables with complete rows: a row with a different number of
  /// cells cannot be used. Nil allows rows of any length again.
  func expect(cells: Int?)

  /// The number of bytes read and the total, which is nil if unknown.
  var progress: (done: Int, total: Int?) { get }
}

extension TableRows {
  /// Does nothing, because rows of sheets have only the cells that were filled in.
  package func expect(cells: Int?) {}
}

/// The error for a row that does not fit its table: it has more cells than the header, or an unclosed quote.
package struct TableRowError: Error {
  /// The value that a row takes from a row above it that could not be read either.
  package enum Following: String, Sendable {
    /// The row's checklist or deck, and with it the section.
    case list
    /// The row's section.
    case section
  }

  /// The problem, for people.
  package let message: String
  /// The number of the cell with the problem, from 0; nil for the whole row.
  package let cell: Int?
  /// The code of the row's finding.
  package let code: DiagnosticCode
  /// Whether the row has more or fewer cells than the header, so that its cells may be in the wrong columns.
  package let isRagged: Bool
  /// The value that the row takes from a row that could not be read; nil if it has all values, or takes them from rows
  /// that were read.
  package var following: Following?
  /// Whether the row itself can be read, and cannot be used only because of `following`.
  package let isBehind: Bool
  /// Whether the row certainly belongs to the same checklist or deck as the row above.
  package var staysInList = false
  /// Whether the row certainly belongs to a different checklist or deck.
  package var leavesList = false

  /// Creates the error for a row that cannot be read.
  package init(
    _ message: String, cell: Int? = nil, isRagged: Bool = false, code: DiagnosticCode = .unusableRow
  ) {
    self.message = message
    self.cell = cell
    self.code = code
    self.isRagged = isRagged
    isBehind = false
  }

  /// Creates the error for a row that takes a value from a row that could not be read.
  package init(_ message: String, cell: Int?, following: Following) {
    self.message = message
    self.cell = cell
    self.following = following
    code = .unusableRow
    isRagged = false
    isBehind = true
  }
}
