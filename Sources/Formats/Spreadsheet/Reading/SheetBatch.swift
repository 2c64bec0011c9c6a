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

  /// The text of all cells.
  var bytes = ByteBuffer(capacity: 1 << 17)
  /// Where cells lie, from the beginning of their row.
  var cells: [TableRow.Cell] = []
  /// The rows in order.
  var rows: [Row] = []
  /// Cells that show errors.
  var errors: [ErrorCell] = []
  /// How much of the archive was read for it.
  var packed = 0

  /// Whether it is time to hand it on.
  var isFull: Bool { bytes.count >= 1 << 16 || cells.count >= 1 << 14 || rows.count >= 1 << 12 }

  init() {
    cells.reserveCapacity(1 << 12)
    rows.reserveCapacity(1 << 9)
  }
}
