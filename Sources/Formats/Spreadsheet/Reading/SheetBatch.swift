import Interchange
import JSONText

/// Rows on their way from the thread that reads a sheet to the one that uses them.
final class SheetBatch: @unchecked Sendable {
  /// Why a row is none of a table.
  enum Problem: UInt8, BitwiseCopyable {
    case tooManyColumns, doubledCell
  }

  /// A cell that has text: where it is in its row, and its text in the bytes of the row.
  ///
  /// Cells without text are left out: a row may have its only cell in column 1024.
  struct Cell: BitwiseCopyable {
    /// From 0.
    var column: UInt32
    var start: UInt32
    var length: UInt32
  }

  /// One row: where its cells and their bytes lie in the batch.
  struct Row: BitwiseCopyable {
    var number: Int
    var firstByte: Int
    var endByte: Int
    var firstCell: Int
    var endCell: Int
    /// Why it is no row of a table; nil for one that can be used.
    var problem: Problem?
    /// The cell that is meant, from 0.
    var cell: Int

    /// The problem for people.
    var error: TableRowError? {
      problem.map { problem in
        let name = CellReference.text(cell + 1, number)
        return switch problem {
        case .tooManyColumns:
          TableRowError("it has a cell \(name), and columns are read up to \(SheetPart.columns)", cell: cell)
        case .doubledCell: TableRowError("it has two cells \(name)", cell: cell)
        }
      }
    }
  }

  /// A cell that shows an error, as `#N/A`.
  struct ErrorCell {
    let row: Int
    let column: Int
    let text: String
  }

  /// How many bytes there is room for before it grows.
  static let room = 1 << 17

  /// The text of all cells.
  let bytes: ByteBuffer
  /// The cells that have text, those of a row in the order of their columns.
  let cells: [Cell]
  /// The rows in order.
  let rows: [Row]
  /// Cells that show errors.
  let errors: [ErrorCell]
  /// How much of the archive was read for it.
  let packed: Int

  init(_ bytes: consuming ByteBuffer, _ cells: [Cell], _ rows: [Row], _ errors: [ErrorCell], packed: Int) {
    self.bytes = bytes
    self.cells = cells
    self.rows = rows
    self.errors = errors
    self.packed = packed
  }

  /// How much memory it takes, in bytes.
  var cost: Int {
    bytes.capacity + cells.count * MemoryLayout<Cell>.stride + rows.count * MemoryLayout<Row>.stride
  }
}

extension TableRow {
  /// Adds a cell of a sheet, and the empty ones before it.
  mutating func append(_ cell: SheetBatch.Cell) {
    let start = Int(cell.start)
    while cells.count < Int(cell.column) { cells.append(Cell(start: start, length: 0)) }
    cells.append(Cell(start: start, length: Int(cell.length)))
  }
}
