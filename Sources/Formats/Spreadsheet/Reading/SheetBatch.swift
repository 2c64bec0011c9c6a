import Interchange
import JSONText

/// A batch of rows that the reading thread of a sheet passes to the consuming thread.
final class SheetBatch: @unchecked Sendable {
  /// The reason why a row cannot be part of a table.
  enum Problem: UInt8, BitwiseCopyable {
    case tooManyColumns, doubledCell
  }

  /// A cell with text: its column, and the range of its text in the row's bytes.
  ///
  /// Cells without text are left out, because a row may have its only cell in column 1024.
  struct Cell: BitwiseCopyable {
    /// The column, from 0.
    var column: UInt32
    var start: UInt32
    var length: UInt32
  }

  /// A row: the ranges of its cells and of their bytes in the batch.
  struct Row: BitwiseCopyable {
    var number: Int
    var firstByte: Int
    var endByte: Int
    var firstCell: Int
    var endCell: Int
    /// The reason why the row cannot be used; nil for a usable row.
    var problem: Problem?
    /// The cell with the problem, from 0.
    var cell: Int

    /// The problem as an error message.
    var error: TableRowError? {
      problem.map { problem in
        let name = CellReference.text(cell + 1, number)
        return switch problem {
        case .tooManyColumns:
          TableRowError("it has a cell \(name), but only \(SheetPart.columns) columns are read", cell: cell)
        case .doubledCell: TableRowError("it has two cells \(name)", cell: cell)
        }
      }
    }
  }

  /// A cell that shows an error, such as `#N/A`.
  struct ErrorCell {
    let row: Int
    let column: Int
    let text: String
  }

  /// The initial capacity in bytes.
  static let room = 1 << 17

  /// The texts of all cells.
  let bytes: ByteBuffer
  /// The cells with text. The cells of a row are in the order of their columns.
  let cells: [Cell]
  /// The rows in order.
  let rows: [Row]
  /// The cells that show errors.
  let errors: [ErrorCell]
  /// The number of archive bytes that were read for the batch.
  let packed: Int

  init(_ bytes: consuming ByteBuffer, _ cells: [Cell], _ rows: [Row], _ errors: [ErrorCell], packed: Int) {
    self.bytes = bytes
    self.cells = cells
    self.rows = rows
    self.errors = errors
    self.packed = packed
  }

  /// The batch's size in memory, in bytes.
  var cost: Int {
    bytes.capacity + cells.count * MemoryLayout<Cell>.stride + rows.count * MemoryLayout<Row>.stride
  }
}

extension TableRow {
  /// Adds a sheet cell, preceded by any empty cells before it.
  mutating func append(_ cell: SheetBatch.Cell) {
    let start = Int(cell.start)
    while cells.count < Int(cell.column) { cells.append(Cell(start: start, length: 0)) }
    cells.append(Cell(start: start, length: Int(cell.length)))
  }
}
