/// How a text separates its cells and ends its rows.
package struct DelimitedDialect: Sendable, Equatable {
  /// What is between cells: a comma, a semicolon, a tab or a bar.
  package var delimiter: UInt8
  /// What is between rows, as the first one has it: LF, CRLF or CR.
  package var lineEnd: [UInt8]
  /// How long the line is that says `sep=;` for Excel, with its line end; 0 where there is none.
  package var separatorLine = 0

  /// Whether a carriage return alone ends a line: no one else does it in this text.
  package var countsReturns: Bool { lineEnd == [0x0D] }

  /// Describes a dialect.
  package init(delimiter: UInt8, lineEnd: [UInt8] = [0x0A]) {
    self.delimiter = delimiter
    self.lineEnd = lineEnd
  }

  /// What may separate cells, the rarest in prose first: it wins where two separate as well.
  static let delimiters: [UInt8] = [0x09, UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: ",")]

  /// Finds out the dialect of a text from its beginning.
  ///
  /// Excel's `sep=;` says it. Else the delimiter counts that gives most rows the same number of cells, two at least.
  /// - Parameters:
  ///   - head: the beginning of the text, without a byte order mark.
  ///   - isWhole: whether that is all of it.
  ///   - expected: the delimiter that the file's name speaks for; it wins where it occurs at all.
  ///   - preferred: the delimiter that wins among equals.
  package init(
    of head: UnsafeBufferPointer<UInt8>, isWhole: Bool, expected: UInt8? = nil, preferred: UInt8? = nil
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

  /// The line end of the first line; a quoted cell's counts too, programs write the same there.
  private static func lineEnd(of head: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    // Old Excel for macOS wrote nothing but carriage returns; a stray one in a text of line feeds is none.
    guard let feed = head.firstIndex(of: 0x0A) else { return head.contains(0x0D) ? [0x0D] : [0x0A] }
    return feed > 0 && head[feed - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
  }

  /// Reads `sep=;`, which Excel writes and reads before the first row, with or without quotes.
  private static func separatorLine(of head: UnsafeBufferPointer<UInt8>) -> (delimiter: UInt8, length: Int)? {
    guard let end = head.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
    var line = head[..<end]
    if line.first == UInt8(ascii: "\""), line.last == UInt8(ascii: "\""), line.count > 2 {
      line = line.dropFirst().dropLast()
    }
    guard line.count == 5, line.dropLast().map({ $0 | 0x20 }).elementsEqual("sep=".utf8.map { $0 | 0x20 }),
      let delimiter = line.last, delimiter < 0x80, delimiter != UInt8(ascii: "\"")
    else { return nil }
    let isPair = head[end] == 0x0D && end + 1 < head.count && head[end + 1] == 0x0A
    return (delimiter, end + (isPair ? 2 : 1))
  }
}

/// How many cells the first rows of a text have when a byte separates them.
private struct DelimiterCount {
  /// The number of cells that most rows have.
  private(set) var most = 1
  /// How many rows have it.
  private(set) var rows = 0

  /// Rows that are looked at.
  private static let looked = 50

  init(_ delimiter: UInt8, in head: UnsafeBufferPointer<UInt8>, isWhole: Bool) {
    var counts: [Int: Int] = [:]
    var (cells, seen, isQuoted, isStart, hasText) = (1, 0, false, true, false)
    func endRow() {
      if hasText {
        counts[cells, default: 0] += 1
        seen += 1
      }
      (cells, isStart, hasText) = (1, true, false)
    }
    rows: for byte in head {
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
    // Rows of one cell are titles and notes above a table as often as they are a table.
    for (cells, rows) in counts where cells > 1 {
      if rows > self.rows || (rows == self.rows && cells > most) { (most, self.rows) = (cells, rows) }
    }
  }
}

/// How much of a text a reader takes on before it says no.
package enum DelimitedLimits {
  /// Bytes of one row: a document in a cell may be long, but no one types sixteen megabytes.
  package static let row = 16 << 20
  /// Cells of one row: what a sheet has room for.
  package static let cells = 16_384
  /// Bytes at the beginning of a text that its dialect is found out from.
  static let head = 1 << 16
}
