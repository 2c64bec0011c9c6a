/// The bytes with which a text separates its cells and ends its rows.
package struct DelimitedDialect: Sendable, Equatable {
  /// The byte between cells: a comma, a semicolon, a tab or a bar.
  package var delimiter: UInt8
  /// The bytes between rows, taken from the first row: LF, CRLF or CR.
  package var lineEnd: [UInt8]
  /// The length of Excel's `sep=;` line, including the line end; 0 if there is no such line.
  package var separatorLine = 0

  /// Whether a carriage return alone ends a line, because this text has no other line end.
  package var countsReturns: Bool { lineEnd == [0x0D] }

  /// Creates a dialect.
  package init(delimiter: UInt8, lineEnd: [UInt8] = [0x0A]) {
    self.delimiter = delimiter
    self.lineEnd = lineEnd
  }

  /// The possible delimiters, ordered from the rarest in prose. If several of them fit equally well, the first one
  /// wins.
  static let delimiters: [UInt8] = [0x09, UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: ",")]

  /// Detects the dialect of a text from its beginning.
  ///
  /// Excel's `sep=;` line decides. If there is no such line, the delimiter that gives most rows the same number of
  /// cells, at least two, is chosen.
  /// - Parameters:
  ///   - head: the beginning of the text, without a byte order mark.
  ///   - isWhole: whether `head` is the whole text.
  ///   - expected: the delimiter that the file's name suggests. It wins if it occurs in the text.
  ///   - preferred: the delimiter that wins if several fit equally well.
  package init(
    of head: Span<UInt8>, isWhole: Bool, expected: UInt8? = nil, preferred: UInt8? = nil
  ) {
    self.init(delimiter: expected ?? UInt8(ascii: ","), lineEnd: Self.lineEnd(of: head))
    if let line = Self.separatorLine(of: head) {
      delimiter = line.delimiter
      separatorLine = line.length
      return
    }
    if let expected, DelimiterCount(expected, in: head, isWhole: isWhole).most > 1 { return }
    var best = 0
    var cells = 0
    for candidate in Self.delimiters {
      let count = DelimiterCount(candidate, in: head, isWhole: isWhole)
      guard count.most > 1 else { continue }
      let isBetter = candidate == preferred || (delimiter != preferred && count.most > cells)
      if count.rows > best || (count.rows == best && isBetter) {
        (best, cells, delimiter) = (count.rows, count.most, candidate)
      }
    }
  }

  /// Returns the line end of the first line. A line end in a quoted cell counts too, because programs use the same line
  /// end there.
  private static func lineEnd(of head: Span<UInt8>) -> [UInt8] {
    // Old versions of Excel for macOS wrote only carriage returns. A stray carriage return in a text with line feeds
    // does not end a line.
    guard let feed = head.firstIndex(of: 0x0A) else { return head.contains(0x0D) ? [0x0D] : [0x0A] }
    return feed > 0 && head[feed - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
  }

  /// Reads the line `sep=;`, with or without quotes. Excel writes and reads this line before the first row.
  private static func separatorLine(of head: Span<UInt8>) -> (delimiter: UInt8, length: Int)? {
    guard let end = head.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
    var line = head.extracting(first: end)
    if line.first == UInt8(ascii: "\""), line.last == UInt8(ascii: "\""), line.count > 2 {
      line = line.extracting(1..<line.count - 1)
    }
    guard line.count == 5, Array(line.extracting(first: 4)).map({ $0 | 0x20 }) == "sep=".utf8.map({ $0 | 0x20 }),
      let delimiter = line.last, delimiter < 0x80, delimiter != UInt8(ascii: "\"")
    else { return nil }
    let isPair = head[end] == 0x0D && end + 1 < head.count && head[end + 1] == 0x0A
    return (delimiter, end + (isPair ? 2 : 1))
  }
}

/// Counts the cells of a text's first rows for one delimiter.
private struct DelimiterCount {
  /// The most frequent number of cells.
  private(set) var most = 1
  /// The number of rows with that many cells.
  private(set) var rows = 0

  /// The number of rows that are examined.
  private static let looked = 50

  init(_ delimiter: UInt8, in head: Span<UInt8>, isWhole: Bool) {
    var counts: [Int: Int] = [:]
    var (cells, seen, isQuoted, isStart, hasText) = (1, 0, false, true, false)
    func endRow() {
      if hasText {
        counts[cells, default: 0] += 1
        seen += 1
      }
      (cells, isStart, hasText) = (1, true, false)
    }
    rows: for at in head.indices {
      let byte = head[at]
      if isQuoted {
        // A doubled quote ends the cell and opens it again.
        if byte == UInt8(ascii: "\"") { isQuoted = false }
        continue
      }
      switch byte {
      case UInt8(ascii: "\"") where isStart: isQuoted = true
      case delimiter:
        cells += 1
        isStart = true
        continue
      case 0x0A, 0x0D:
        endRow()
        if seen == Self.looked { break rows }
        continue
      default: break
      }
      hasText = true
      isStart = byte == UInt8(ascii: "\"")
    }
    if isWhole { endRow() }
    // Rows with one cell are often titles and notes above a table, so they do not count.
    for (cells, rows) in counts where cells > 1 {
      if rows > self.rows || (rows == self.rows && cells > most) { (most, self.rows) = (cells, rows) }
    }
  }
}

/// The limits beyond which a reader rejects a text.
package enum DelimitedLimits {
  /// The size of the largest row in bytes. A document in a cell may be long, but people do not type sixteen megabytes.
  package static let row = 16 << 20
  /// The largest number of cells in a row, which is also the limit of a sheet.
  package static let cells = 16_384
  /// The number of bytes at the beginning of a text from which the dialect is detected.
  static let head = 1 << 16
}
