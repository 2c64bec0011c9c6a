import Diagnostics

/// Shows a line of source text with carets under what is meant.
///
/// ```
///    14 │ duration: "5 min"
///       │           ^^^^^^^ string
/// ```
/// Carets stand under the text as a terminal shows it: tabs, wide and combining characters, and characters that are
/// written as escapes take the room that they take. A line that is too long is cut around the place.
struct CodeFrame {
  /// How many columns the source text may take.
  let width: Int
  let paint: Paint

  /// A character as it is shown.
  private struct Cell {
    let scalar: UnicodeScalar
    /// What stands for the character, when it may not stand as it is.
    let escape: String?
    let width: Int
  }

  /// How many columns a tab takes. Not up to the next stop: a cut line has lost the place of its stops.
  private static let tab = 4

  init(width: Int, paint: Paint) {
    self.width = min(max(20, width), 1000)
    self.paint = paint
  }

  /// From which column a line has to be read to show `column` with what stands before it.
  func firstColumn(for column: Int?) -> Int { max(1, max(1, column ?? 1) - 2 * width) }

  /// How many characters have to be read from there.
  var limit: Int { 4 * width }

  /// The frame, with a line break at its end; nil when the line has no such column.
  /// - Parameter number: the line's number; nil when it has none.
  func render(_ line: SourceLine, number: Int?, place: Place, label: String?, severity: Severity) -> String? {
    let cells = Self.cells(line)
    guard let column = place.column else {
      let shown = window(cells, around: 0..<0, line)
      return gutter(number) + shown.text + "\n"
    }
    // One column behind the last character is the line's end; a CR, which is not shown, may stand before it.
    let lineEnd = line.firstColumn + cells.count
    guard column >= line.firstColumn, column <= lineEnd + 1 else { return nil }
    let start = min(column, lineEnd) - line.firstColumn
    let end = min(max(column, place.endColumn ?? column + 1), lineEnd) - line.firstColumn
    let shown = window(cells, around: start..<max(start, end), line)
    let marks = String(repeating: "^", count: max(1, shown.spanWidth))
    let space = String(repeating: " ", count: shown.spanStart)
    let words = label.map { " " + ReportText.line($0, limit: ReportText.word) } ?? ""
    return gutter(number) + shown.text + "\n" + gutter(nil) + space + paint.severity(marks + words, severity) + "\n"
  }

  private func gutter(_ number: Int?) -> String {
    let digits = number.map(String.init) ?? ""
    return paint.dim(String(repeating: " ", count: max(0, 5 - digits.count)) + digits + " │") + " "
  }

  private static func cells(_ line: SourceLine) -> [Cell] {
    var hashes = 0
    return line.scalars.map { scalar in
      let escape = scalar == "\t" ? String(repeating: " ", count: tab) : ReportText.escape(scalar, hashes: hashes)
      hashes = scalar == "#" ? hashes + 1 : 0
      // What stands for a character is ASCII.
      return Cell(scalar: scalar, escape: escape, width: escape?.utf8.count ?? DisplayWidth.of(scalar))
    }
  }

  /// The part of a line that fits, with the span in it.
  private func window(
    _ cells: [Cell], around span: Range<Int>, _ line: SourceLine
  ) -> (text: String, spanStart: Int, spanWidth: Int) {
    let isCutBefore = line.firstColumn > 1
    let before = Self.width(cells[..<span.lowerBound])
    let behind = Self.width(cells[span.lowerBound...])
    var low = 0
    var high = cells.count
    var room = width
    if isCutBefore || line.goesOn || before + behind > width {
      // A third of the room for what stands before the place, more where there is little behind it.
      let forBefore = line.goesOn ? width / 3 : max(width / 3, width - behind)
      low = span.lowerBound
      var used = 0
      while low > 0, used + cells[low - 1].width <= forBefore - 1 {
        low -= 1
        used += cells[low].width
      }
      if low == 0, !isCutBefore {
        room -= used
      } else {
        // An accent without its letter would sit on the ellipsis.
        while low < span.lowerBound, cells[low].width == 0 { low += 1 }
        room -= used + 1
      }
      high = span.lowerBound
      while high < cells.count, cells[high].width <= room {
        room -= cells[high].width
        high += 1
      }
      // The ellipsis behind takes a column of its own.
      if high < cells.count || line.goesOn {
        while high > span.lowerBound + 1, room < 1 {
          high -= 1
          room += cells[high].width
        }
      }
    }
    let cutBefore = low > 0 || isCutBefore
    let cutBehind = high < cells.count || line.goesOn
    var text = cutBefore ? "…" : ""
    for cell in cells[low..<high] {
      if let escape = cell.escape { text += escape } else { text.unicodeScalars.append(cell.scalar) }
    }
    if cutBehind { text += "…" }
    var start = Self.width(cells[low..<span.lowerBound]) + (cutBefore ? 1 : 0)
    let spanWidth = Self.width(cells[span.lowerBound..<max(span.lowerBound, min(span.upperBound, high))])
    // A combining character is shown on the one before it.
    if spanWidth == 0, !span.isEmpty, start > 0 { start -= 1 }
    return (text, start, spanWidth)
  }

  private static func width(_ cells: ArraySlice<Cell>) -> Int { cells.reduce(0) { $0 + $1.width } }
}
