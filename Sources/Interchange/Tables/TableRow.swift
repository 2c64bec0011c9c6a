import Diagnostics
import JSONText

/// One row of a table: its cells as UTF-8, and where it stands. Used again for every row.
package struct TableRow: ~Copyable {
  /// A cell: a stretch of `bytes`.
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
  /// The cells in order. A row may have fewer or more than the header.
  package var cells: [Cell] = []
  /// The row of a sheet, or the line in which a row of a text begins, from 1.
  package var number = 0
  /// Where the row begins in its text, in bytes; 0 in sheets.
  package var offset = 0
  /// How long it is there, without its line end.
  package var length = 0

  /// Makes a row without cells.
  package init() {}

  /// The text of a cell; empty where the row ends before it. Valid until the row changes.
  package func text(_ cell: Int) -> UnsafeBufferPointer<UInt8> {
    guard cells.indices.contains(cell) else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: bytes.start + cells[cell].start, count: cells[cell].length)
  }

  /// Forgets the cells.
  package mutating func removeAll() {
    bytes.removeAll()
    cells.removeAll(keepingCapacity: true)
  }
}

/// The rows of one table, its header included, in order; read as often as needed.
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

  /// How far the reader is, in bytes; the total is nil when it is unknown.
  var progress: (done: Int, total: Int?) { get }
}

extension TableRows {
  /// Rows of sheets have the cells that were filled in.
  package func expect(cells: Int?) {}
}

/// A row that is no row of its table: it has more cells than the header, or a quote that is not closed.
package struct TableRowError: Error {
  /// What a row leaves to a row above it that could not be read either.
  package enum Following: String, Sendable {
    /// Its checklist or deck, and its section with it.
    case list
    /// Its section.
    case section
  }

  /// What is wrong, for people.
  package let message: String
  /// The cell that is meant, from 0; nil for the whole row.
  package let cell: Int?
  /// The kind of finding that it becomes.
  package let code: DiagnosticCode
  /// Whether the row has another number of cells than the header, so that its cells may stand in the wrong columns.
  package let isRagged: Bool
  /// What it leaves to a row that could not be read; nil when it says all, or leaves it to rows that were read.
  package var following: Following?
  /// Whether the row itself can be read, and only `following` keeps it from being used.
  package let isBehind: Bool
  /// Whether it certainly belongs to the same checklist or deck as the row above.
  package var staysInList = false
  /// Whether it certainly belongs to another one.
  package var leavesList = false

  /// A row that cannot be read.
  package init(
    _ message: String, cell: Int? = nil, isRagged: Bool = false, code: DiagnosticCode = .unusableRow
  ) {
    self.message = message
    self.cell = cell
    self.code = code
    self.isRagged = isRagged
    isBehind = false
  }

  /// A row that leaves something to a row that could not be read.
  package init(_ message: String, cell: Int?, following: Following) {
    self.message = message
    self.cell = cell
    self.following = following
    code = .unusableRow
    isRagged = false
    isBehind = true
  }
}
