import Foundation
import Interchange
import JSONText

/// Reads the rows of a delimited text one by one (RFC 4180 and its variants in practice).
///
/// - A row ends at LF, CRLF or CR. Lines without any text are left out.
/// - A quote opens a quoted cell only at the beginning of the cell. Anywhere else in an unquoted cell, it is ordinary
///   text.
/// - A cell that was written with a protective apostrophe against formulas is returned without the apostrophe.
///
/// For a row that cannot be used, `next` throws a `TableRowError` and sets its place in `row`. Reading can then
/// continue after the row. A quote that is never closed makes only the rest of its line unusable. Time is linear in the
/// length of any text, and `DelimitedLimits.row` bounds the memory use.
package final class DelimitedRows: TableRows {
  private let source: DelimitedSource
  private let delimiter: UInt8
  private let countsReturns: Bool
  /// The part of the text that is in memory.
  private var window: ByteBuffer
  /// The offset of the window from the start of the text.
  private var base: Int
  /// The offset of the next row from the start of the window.
  private var at = 0
  private var isAtEnd = false
  /// The number of the next row's first line, counted from 1.
  private var line: Int
  private var expected: Int?
  /// The number of bytes to request in the next read.
  private var reading: Int
  /// The number of bytes to request in one read while rows are short.
  private let piece: Int

  /// The size of one read when the whole text is read.
  private static let windowSize = 1 << 20
  private static let quote = UInt8(ascii: "\"")

  /// Creates a reader that begins at the first row.
  /// - Parameter piece: the size of one read, which grows for longer rows; nil if the whole text will be read.
  init(_ source: DelimitedSource, piece: Int? = nil) {
    self.source = source
    self.piece = piece ?? Self.windowSize
    reading = self.piece
    window = ByteBuffer(capacity: self.piece + 64)
    delimiter = source.dialect.delimiter
    countsReturns = source.dialect.countsReturns
    base = source.start
    line = source.dialect.separatorLine > 0 ? 2 : 1
  }

  /// Goes back to the first row.
  package func rewind() { seek(to: source.start, line: source.dialect.separatorLine > 0 ? 2 : 1) }

  /// Goes to a row that has been read before.
  package func seek(to offset: Int, line: Int) {
    (base, at, self.line, isAtEnd) = (offset, 0, line, false)
    window.removeAll()
    reading = piece
  }

  /// Makes all later rows with a different number of cells unusable.
  package func expect(cells: Int?) { expected = cells }

  /// The number of bytes that were read, and the total number.
  package var progress: (done: Int, total: Int?) { (base + at, source.size) }

  /// Reads the next row that has text.
  package func next(into row: inout TableRow) throws -> Bool {
    while true {
      row.removeAll()
      if at >= window.count, try !more() { return false }
      var scan = RowScan(at: at, line: line)
      switch read(&row, &scan) {
      case .needsMore:
        if window.count - at > DelimitedLimits.row {
          try skip(
            DelimitedRowError(scan.isOpen ? .openTooLong : .tooLong, cell: 0, line: scan.resume.line), scan, &row)
        }
        _ = try more()
      case .problem(let problem):
        try skip(problem, scan, &row)
      case .row:
        place(&row, at: at, end: scan.textEnd)
        at = scan.at
        line = scan.line
        reading = piece
        if row.length > DelimitedLimits.row { throw DelimitedRowError(.tooLong, cell: 0, line: row.number).error }
        if try isRow(&row) { return true }
      }
    }
  }

  /// Reads more bytes and drops the bytes before the next row.
  /// - Returns: false at the end of the text, where `isAtEnd` becomes true.
  private func more() throws -> Bool {
    window.removeFirst(at)
    base += at
    at = 0
    let before = window.count
    try source.read(at: base + before, count: reading, into: &window)
    // A row that is longer than the window is read again from its start. The size of the read doubles each time.
    reading = before > 0 ? max(reading, window.count) : piece
    if window.count - before == 0 { isAtEnd = true }
    return window.count > before
  }

  private func place(_ row: inout TableRow, at start: Int, end: Int) {
    row.number = line
    row.offset = base + start
    row.length = end - start
  }

  // MARK: - One row

  private enum Outcome {
    case row
    case needsMore
    case problem(DelimitedRowError)
  }

  /// Reads the row at `scan.at` and moves the scan to the byte after the row's line end.
  private func read(_ row: inout TableRow, _ scan: inout RowScan) -> Outcome {
    let text = window.bytes.span
    let end = window.count
    var cellStart = scan.at
    // The start of the bytes that are not copied yet. Cells without quotes are copied together.
    var run = cellStart
    var hasApostrophe = false
    let commas = 0x0101_0101_0101_0101 &* UInt64(delimiter)
    cells: while true {
      if cellStart < end {
        let first = text[cellStart]
        if first == Self.quote {
          row.bytes.append(text.extracting(run..<cellStart))
          scan.at = cellStart
          if let outcome = quoted(&row, &scan, &hasApostrophe) { return outcome }
          cellStart = scan.at
          run = cellStart
          if scan.isRowEnd { break cells }
          continue cells
        }
        if first == FormulaEscaping.apostrophe { hasApostrophe = true }
      } else if !isAtEnd {
        return .needsMore
      }
      // Cells without quotes are read eight bytes at a time.
      let target = row.bytes.count - run
      var at = cellStart
      while at < end {
        var hits: UInt64
        if at + 8 <= end {
          let word = text.word(at: at)
          let isComma = word ^ commas
          // Bytes 8 to 15 are the line ends and a few others, which are checked needlessly.
          let isControl = (word & 0xF8F8_F8F8_F8F8_F8F8) ^ 0x0808_0808_0808_0808
          let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
          hits = ~((((isComma & low) &+ low) | isComma) & (((isControl & low) &+ low) | isControl) | low)
        } else {
          hits = 0
          for byte in 0..<end - at where text[at + byte] == delimiter || text[at + byte] & 0xF8 == 8 {
            hits |= 0x80 << UInt64(8 * byte)
          }
        }
        while hits != 0 {
          let found = at + hits.trailingZeroBitCount >> 3
          hits &= hits - 1
          let byte = text[found]
          if byte == delimiter {
            row.cells.append(TableRow.Cell(start: target + cellStart, length: found - cellStart))
            cellStart = found + 1
            if row.cells.count > DelimitedLimits.cells {
              return .problem(DelimitedRowError(.tooManyCells, cell: row.cells.count - 1, line: scan.line))
            }
            guard cellStart < end else { continue cells }
            if text[cellStart] == Self.quote { continue cells }
            if text[cellStart] == FormulaEscaping.apostrophe { hasApostrophe = true }
          } else if byte == 0x0A || byte == 0x0D {
            row.cells.append(TableRow.Cell(start: target + cellStart, length: found - cellStart))
            row.bytes.append(text.extracting(run..<found))
            scan.textEnd = found
            guard endLine(found, &scan) else { return .needsMore }
            if hasApostrophe { restore(&row) }
            return .row
          }
        }
        at += 8
      }
      guard isAtEnd else { return .needsMore }
      row.cells.append(TableRow.Cell(start: target + cellStart, length: end - cellStart))
      row.bytes.append(text.extracting(droppingFirst: run))
      scan.textEnd = end
      scan.at = end
      break cells
    }
    if hasApostrophe { restore(&row) }
    return .row
  }

  /// Moves past the line end at `found`. Returns false if the line end may continue after the window.
  @inline(__always)
  private func endLine(_ found: Int, _ scan: inout RowScan) -> Bool {
    let text = window.start
    scan.at = found + 1
    if text[found] == 0x0D {
      if scan.at < window.count {
        if text[scan.at] == 0x0A { scan.at += 1 } else if !countsReturns { return true }
      } else if !isAtEnd {
        return false
      }
    }
    scan.line += 1
    return true
  }

  /// Reads the quoted cell at `scan.at` and the byte that ends the cell.
  /// - Returns: nil if the cell was read.
  private func quoted(_ row: inout TableRow, _ scan: inout RowScan, _ hasApostrophe: inout Bool) -> Outcome? {
    let text = window.bytes.span
    let end = window.count
    let start = row.bytes.count
    scan.resume = (scan.at, scan.line)
    scan.isOpen = true
    var at = scan.at + 1
    while true {
      guard let quote = text.firstIndex(of: Self.quote, from: at) else {
        guard isAtEnd else { return .needsMore }
        return .problem(DelimitedRowError(.unclosedQuote, cell: row.cells.count, line: scan.resume.line))
      }
      row.bytes.append(text.extracting(at..<quote))
      scan.line += lines(in: at..<quote)
      at = quote + 1
      if at == end {
        guard isAtEnd else { return .needsMore }
        break
      }
      guard text[at] == Self.quote else { break }
      row.bytes.append(Self.quote)
      at += 1
    }
    if row.bytes.count > start, row.bytes.bytes[start] == FormulaEscaping.apostrophe { hasApostrophe = true }
    row.cells.append(TableRow.Cell(start: start, length: row.bytes.count - start))
    if row.cells.count > DelimitedLimits.cells {
      return .problem(DelimitedRowError(.tooManyCells, cell: row.cells.count - 1, line: scan.resume.line))
    }
    scan.isRowEnd = true
    scan.isOpen = false
    scan.textEnd = at
    if at == end {
      scan.at = at
      return nil
    }
    switch text[at] {
    case delimiter:
      scan.at = at + 1
      scan.isRowEnd = false
    case 0x0A, 0x0D:
      guard endLine(at, &scan) else { return .needsMore }
    default:
      return .problem(
        DelimitedRowError(.textBehindQuote, cell: row.cells.count - 1, line: scan.resume.line, end: scan.line))
    }
    scan.resume = (scan.at, scan.line)
    return nil
  }

  private func lines(in range: Range<Int>) -> Int {
    var (count, at) = (0, range.lowerBound)
    let text = window.bytes.span.extracting(first: range.upperBound)
    while let found = text.firstIndex(of: countsReturns ? 0x0D : 0x0A, from: at) {
      count += 1
      at = found + 1
    }
    return count
  }

  /// Removes the apostrophes that protect cells against being run as formulas.
  private func restore(_ row: inout TableRow) {
    for index in row.cells.indices where FormulaEscaping.isEscaped(row.text(index).span) {
      row.cells[index].start += 1
      row.cells[index].length -= 1
    }
  }

  // MARK: - Unusable rows

  /// Returns whether a row has text.
  /// - Throws: `TableRowError` if the row has text but cannot be used.
  private func isRow(_ row: inout TableRow) throws -> Bool {
    guard hasText(row) else { return false }
    if source.hasZeros, row.bytes.bytes.contains(0) {
      throw TableRowError("a cell contains a zero byte", cell: row.cells.indices.first { row.text($0).contains(0) })
    }
    if source.isDamaged, UTF8Check.firstInvalid(in: row.bytes.bytes.span) != nil {
      throw TableRowError(
        "a cell contains bytes that are not UTF-8",
        cell: row.cells.indices.first { UTF8Check.firstInvalid(in: row.text($0).span) != nil })
    }
    if let expected, row.cells.count != expected {
      throw TableRowError(
        "the row has \(row.cells.count) cells where the header has \(expected)",
        cell: row.cells.count > expected ? expected : nil, isRagged: true)
    }
    return true
  }

  @inline(__always)
  private func hasText(_ row: borrowing TableRow) -> Bool {
    if row.bytes.count > 0, row.bytes.start[0] > 0x20, row.bytes.start[0] != delimiter { return true }
    for index in row.cells.indices where row.text(index).contains(where: { $0 > 0x20 || $0 == 0 }) { return true }
    return false
  }

  /// Continues after the line in which the broken cell begins.
  /// - Throws: `TableRowError` always, or `RunFailure` if the source cannot be read.
  private func skip(_ problem: DelimitedRowError, _ scan: RowScan, _ row: inout TableRow) throws {
    let start = base + at
    let first = line
    var search = scan.resume.at
    line = scan.resume.line
    while true {
      if search < window.count, let end = lineEnd(from: search) {
        row.number = first
        row.offset = start
        row.length = base + end.text - start
        at = end.next
        line += 1
        throw problem.error
      }
      // The row is abandoned, so its bytes are no longer needed.
      at = window.count
      search = 0
      // A carriage return at the end of the window may be followed by a line feed.
      if !isAtEnd, at > 0, window.bytes[at - 1] == 0x0D {
        at -= 1
      }
      if try !more(), isAtEnd, window.count == 0 || lineEnd(from: 0) == nil {
        row.number = first
        row.offset = start
        row.length = base + window.count - start
        at = window.count
        throw problem.error
      }
    }
  }

  /// Returns the first line end after an offset in the window. Returns nil if no line end is found or if it may
  /// continue after the window.
  private func lineEnd(from start: Int) -> (text: Int, next: Int)? {
    let text = window.bytes.span
    guard let end = text.firstIndex(of: countsReturns ? 0x0D : 0x0A, from: start) else { return nil }
    let isPair = !countsReturns && end > start && text[end - 1] == 0x0D
    return (isPair ? end - 1 : end, end + 1)
  }
}

/// The state of reading one row.
private struct RowScan {
  /// The current offset in the window.
  var at: Int
  /// The number of the line at that offset.
  var line: Int
  /// The end of the row's text, before its line end.
  var textEnd = 0
  /// The beginning of the broken cell, if the row is broken. Reading continues after the next line end from there.
  var resume: (at: Int, line: Int)
  /// Whether a quoted cell is being read.
  var isOpen = false
  /// Whether the last cell was quoted.
  var isRowEnd = false

  init(at: Int, line: Int) {
    self.at = at
    self.line = line
    resume = (at, line)
  }
}

/// The reason why a row cannot be read, with the relevant line.
private struct DelimitedRowError {
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
