/// Where the reading of one row has come to.
struct RowScan {
  /// Where it is, in the window.
  var at: Int
  /// The line there.
  var line: Int
  /// Where the row's text ends, before its line end.
  var textEnd = 0
  /// Where reading goes on, behind the next line end, when the row is broken: the beginning of a broken cell.
  var resume: (at: Int, line: Int)
  /// Whether a quoted cell is being read.
  var isOpen = false
  /// Whether a quoted cell was the last one.
  var isRowEnd = false

  init(at: Int, line: Int) {
    self.at = at
    self.line = line
    resume = (at, line)
  }
}
