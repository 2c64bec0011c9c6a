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
