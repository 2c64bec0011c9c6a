import Interchange
import JSONText

/// Rows on their way from the thread that reads a sheet to the one that uses them.
final class SheetBatch: @unchecked Sendable {
  /// One row: where its cells and their bytes lie in the batch.
  struct Row {
    var number: Int
    var bytes: Range<Int>
    var cells: Range<Int>
    /// Why it is no row of a table; nil for one that can be used.
    var problem: String?
    /// The cell that is meant, from 0.
    var cell: Int?
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
  /// Where cells lie, from the beginning of their row.
  let cells: [TableRow.Cell]
  /// The rows in order.
  let rows: [Row]
  /// Cells that show errors.
  let errors: [ErrorCell]
  /// How much of the archive was read for it.
  let packed: Int

  init(_ bytes: consuming ByteBuffer, _ cells: [TableRow.Cell], _ rows: [Row], _ errors: [ErrorCell], packed: Int) {
    self.bytes = bytes
    self.cells = cells
    self.rows = rows
    self.errors = errors
    self.packed = packed
  }
}
