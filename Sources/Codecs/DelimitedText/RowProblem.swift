import Interchange

/// Why a row cannot be read, with the line that matters.
struct RowProblem {
  enum Kind {
    case unclosedQuote
    case textBehindQuote
    case tooLong
    case openTooLong
    case tooManyCells
  }

  let kind: Kind
  let cell: Int
  let line: Int
  let end: Int

  init(_ kind: Kind, cell: Int, line: Int, end: Int = 0) {
    self.kind = kind
    self.cell = cell
    self.line = line
    self.end = end
  }

  var error: TableRowError {
    switch kind {
    case .unclosedQuote: TableRowError("the quote that opens in line \(line) is never closed", cell: cell)
    case .textBehindQuote:
      TableRowError(
        "the quote that opens in line \(line) closes "
          + (end == line ? "before the cell ends" : "in line \(end), before the cell ends"), cell: cell)
    case .tooLong:
      TableRowError("the row is longer than \(DelimitedLimits.row >> 20) MB", cell: nil)
    case .openTooLong:
      TableRowError(
        "the quote that opens in line \(line) is not closed within \(DelimitedLimits.row >> 20) MB", cell: nil)
    case .tooManyCells: TableRowError("the row has more than \(DelimitedLimits.cells) cells", cell: nil)
    }
  }
}
