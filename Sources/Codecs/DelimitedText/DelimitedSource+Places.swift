import Diagnostics
import Interchange
import JSONText

/// Where a cell, or a part of its text, stands in a delimited text.
package struct DelimitedPosition: Sendable, Equatable {
  /// The line, from 1.
  package var line: Int
  /// The column in Unicode scalars, from 1.
  package var column: Int
  /// The column behind the last one on the same line; nil where the text goes on in another line.
  package var endColumn: Int?

  package init(line: Int, column: Int, endColumn: Int?) {
    self.line = line
    self.column = column
    self.endColumn = endColumn
  }
}

extension DelimitedSource {
  /// Finds a cell again by reading its row once more.
  /// - Parameters:
  ///   - row: number and offset as `TableRow` had them.
  ///   - cell: the cell, from 0; nil for the beginning of the row.
  ///   - part: bytes of the cell's text as it was read; nil for all of it.
  package func position(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>? = nil) -> DelimitedPosition {
    guard let cell else { return DelimitedPosition(line: row.number, column: 1, endColumn: nil) }
    let text = text(of: row)
    let spot = text.withUnsafeBufferPointer { CellSpan(of: cell, in: $0, dialect: dialect) }
    let start = spot.offset(of: part?.lowerBound ?? 0, in: text)
    let end = part.map { spot.offset(of: $0.upperBound, in: text) } ?? spot.text.upperBound
    var position = DelimitedPosition(line: row.number, column: 1, endColumn: nil)
    func walk(to offset: Int, from: Int) {
      for at in from..<max(from, min(offset, text.count)) {
        let isReturn = text[at] == 0x0D && dialect.countsReturns
        if text[at] == 0x0A && !dialect.countsReturns || isReturn {
          position.line += 1
          position.column = 1
        } else if text[at] & 0xC0 != 0x80 {
          position.column += 1
        }
      }
    }
    walk(to: start, from: 0)
    let begin = position
    walk(to: end, from: start)
    return DelimitedPosition(
      line: begin.line, column: begin.column, endColumn: position.line == begin.line ? position.column : nil)
  }

  /// A row byte for byte as its source wrote it, without its line end.
  package func original(row: (number: Int, offset: Int)) -> [UInt8] {
    text(of: row).withUnsafeBufferPointer { EncodedText.encode($0, encoding) }
  }

  /// What a file of some of the rows begins with, byte for byte: the byte order mark, the `sep=` line, the header and its
  /// line end.
  /// - Parameter row: the header; nil for the first row that can be read.
  package func header(_ row: (number: Int, offset: Int)?) -> [UInt8] {
    let rows = oneRow()
    if let row { rows.seek(to: row.offset, line: row.number) }
    var header = TableRow()
    guard (try? rows.next(into: &header)) == true else { return preamble }
    return preamble + original(header.offset..<header.offset + header.length) + lineEnd
  }

  /// Says which encoding was found out, where it is not UTF-8.
  package func reportEncoding(to findings: DiagnosticLog) {
    guard encoding != .utf8 else { return }
    let certainty = certainty < 100 ? " (\(certainty) % sure)" : ""
    findings.report(
      Diagnostic(
        .tableEncoding, "the table is read as \(encoding.rawValue)\(certainty)",
        at: Place(file: name, line: 1, column: 1)))
  }

  /// The text of a cell as reading gives it; nil where there is none.
  package func text(row place: (number: Int, offset: Int), cell: Int) -> [UInt8]? {
    let rows = oneRow()
    rows.seek(to: place.offset, line: place.number)
    var row = TableRow()
    guard (try? rows.next(into: &row)) == true, row.cells.indices.contains(cell) else { return nil }
    return Array(row.text(cell))
  }

  /// Reads single rows. Every finding reads its row again, so it must not take in more of the text than the row.
  private func oneRow() -> DelimitedRows { DelimitedRows(self, piece: 1 << 12) }

  /// A row as UTF-8, quotes and all.
  private func text(of place: (number: Int, offset: Int)) -> [UInt8] {
    if let text = lastRow.withLock({ $0.offset == place.offset ? $0.text : nil }) { return text }
    let text = read(place)
    lastRow.withLock { $0 = (place.offset, text) }
    return text
  }

  private func read(_ place: (number: Int, offset: Int)) -> [UInt8] {
    let rows = oneRow()
    rows.seek(to: place.offset, line: place.number)
    var row = TableRow()
    do {
      guard try rows.next(into: &row) else { return [] }
    } catch is TableRowError {
      // A row that cannot be used has a text all the same.
    } catch {
      return []
    }
    guard row.offset == place.offset else { return [] }
    var text = ByteBuffer(capacity: max(64, row.length))
    guard (try? read(at: row.offset, count: row.length, into: &text)) != nil else { return [] }
    return Array(text.bytes)
  }
}

/// Where the text of one cell lies in the text of its row.
private struct CellSpan {
  /// The text between the quotes, or between the delimiters.
  var text: Range<Int>
  let isQuoted: Bool
  /// Whether an apostrophe against formulas stands in front, which the cell was read without.
  let hasApostrophe: Bool

  /// Finds a cell; behind the last one lies the end of the row.
  init(of cell: Int, in row: UnsafeBufferPointer<UInt8>, dialect: DelimitedDialect) {
    let quote = UInt8(ascii: "\"")
    var at = 0
    var index = 0
    while true {
      let isQuoted = at < row.count && row[at] == quote
      var end = isQuoted ? at + 1 : at
      let start = end
      if isQuoted {
        while end < row.count {
          if row[end] == quote {
            guard end + 1 < row.count, row[end + 1] == quote else { break }
            end += 1
          }
          end += 1
        }
      } else {
        while end < row.count, row[end] != dialect.delimiter { end += 1 }
      }
      var next = end
      while next < row.count, row[next] != dialect.delimiter { next += 1 }
      if index == cell || next >= row.count {
        self.isQuoted = isQuoted
        text = index == cell ? start..<end : row.count..<row.count
        let cell = UnsafeBufferPointer(rebasing: row[text])
        hasApostrophe = FormulaText.isEscaped(cell)
        if hasApostrophe { text = text.lowerBound + 1..<text.upperBound }
        return
      }
      at = next + 1
      index += 1
    }
  }

  /// Where a byte of the cell's text lies in the row.
  func offset(of byte: Int, in row: [UInt8]) -> Int {
    guard isQuoted else { return min(text.lowerBound + byte, text.upperBound) }
    var at = text.lowerBound
    var left = byte
    while left > 0, at < text.upperBound {
      at += row[at] == UInt8(ascii: "\"") ? 2 : 1
      left -= 1
    }
    return min(at, text.upperBound)
  }
}
