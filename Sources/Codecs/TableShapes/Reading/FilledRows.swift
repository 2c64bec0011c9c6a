import Interchange
import JSONText

/// Rows of a file of rejects whose empty cells say what rows above them said in the table that they are from.
final class FilledRows: TableRows {
  private let rows: any TableRows
  private let layout: TableLayout
  private let header: Int
  private let retry: RetryOrigin
  /// How many rows were read since the first one, the header's included.
  private var count = 0

  /// - Parameter header: how many rows stand above the header.
  init(_ rows: any TableRows, _ layout: TableLayout, header: Int, retry: RetryOrigin) {
    self.rows = rows
    self.layout = layout
    self.header = header
    self.retry = retry
  }

  var progress: (done: Int, total: Int?) { rows.progress }

  func expect(cells: Int?) { rows.expect(cells: cells) }

  func rewind() throws {
    try rows.rewind()
    count = 0
  }

  func next(into row: inout TableRow) throws -> Bool {
    count += 1
    guard try rows.next(into: &row) else { return false }
    for (name, text) in retry.above(row: count - header - 1) {
      guard let column = TableColumn(rawValue: name) else { continue }
      let cell = layout.cell(column)
      guard row.cells.indices.contains(cell), CellText.trimmed(row.text(cell)).isEmpty else { continue }
      let start = row.bytes.count
      row.bytes.append(utf8: text)
      row.cells[cell] = TableRow.Cell(start: start, length: row.bytes.count - start)
    }
    return true
  }
}
