import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownText
import Synchronization

/// A delimited text: its content as UTF-8, and its detected encoding and dialect.
///
/// A UTF-8 file is read in place. The content of a pipe, or of a file in another encoding, is first copied to a
/// temporary file. Any number of threads can use a source. The memory use does not depend on the length of the text.
package final class DelimitedSource: Sendable {
  /// The name of the source in findings.
  package let name: String
  /// The encoding of the source.
  package let encoding: TextEncoding
  /// Whether the text began with a byte order mark.
  package let hadBOM: Bool
  /// The certainty of the encoding in percent.
  package let certainty: Int
  /// The delimiter and line end of the text.
  package let dialect: DelimitedDialect
  /// The number of bytes that all readers together have read so far.
  package let bytesRead = Atomic(0)
  /// The offset of the first row, after a byte order mark and a `sep=` line.
  package let start: Int
  /// The size of the text in bytes.
  package let size: Int
  /// Whether some bytes are not valid UTF-8. Rows with such bytes cannot be used; other rows can.
  let isDamaged: Bool
  /// Whether the text contains a zero byte. Rows with zero bytes cannot be used.
  let hasZeros: Bool

  /// The row that `text(of:)` read last. It is cached because findings and rejects need the same row several times.
  private let lastRow = Mutex<(offset: Int, text: [UInt8])>((-1, []))

  private let descriptor: Int32

  /// Opens a text and detects its encoding and its dialect.
  /// - Parameters:
  ///   - known: the dialect, if it is known.
  ///   - delimiter: the delimiter, if it is known.
  ///   - isExplicit: whether the user specified the delimiter, so that it overrides a `sep=` line in the text.
  ///   - preferred: the delimiter that wins if several are possible.
  /// - Throws: `RunFailure` if the source cannot be read or is not text.
  package init(
    _ source: Source, dialect known: DelimitedDialect? = nil, delimiter: UInt8? = nil, isExplicit: Bool = false,
    preferred: UInt8? = nil
  ) throws {
    name = source.name
    let file = try Self.open(source)
    do {
      let encoded = try EncodedText(descriptor: file, name: name)
      encoding = encoded.encoding
      hadBOM = encoded.hadBOM
      certainty = encoded.certainty
      isDamaged = encoded.isDamaged
      hasZeros = encoded.hasZeros
      descriptor = try encoded.utf8()
      if descriptor != file { close(file) }
    } catch {
      close(file)
      throw error
    }
    size = Self.size(of: descriptor)
    let text = encoding == .utf8 && hadBOM ? 3 : 0
    var head = ByteBuffer(capacity: DelimitedLimits.head)
    try Self.read(descriptor, at: text, count: DelimitedLimits.head, into: &head, name: name)
    var found =
      known
      ?? DelimitedDialect(
        of: head.bytes.span, isWhole: text + head.count >= size, expected: source.pathExtension == "tsv" ? 0x09 : nil,
        preferred: preferred)
    if let delimiter, isExplicit || found.separatorLine == 0 { found.delimiter = delimiter }
    dialect = found
    start = text + dialect.separatorLine
  }

  deinit { close(descriptor) }

  /// Returns a reader for the rows of the text.
  package func rows() -> DelimitedRows { DelimitedRows(self) }

  /// Returns the bytes in a range of the text in the source's encoding.
  package func original(_ range: Range<Int>) -> [UInt8] {
    var text = ByteBuffer(capacity: max(64, range.count))
    guard (try? read(at: range.lowerBound, count: range.count, into: &text)) != nil else { return [] }
    return EncodedText.encode(text.bytes.span, encoding)
  }

  /// The bytes before the first row: the byte order mark and the `sep=` line.
  package var preamble: [UInt8] { mark + original(start - dialect.separatorLine..<start) }

  /// The byte order mark.
  private var mark: [UInt8] {
    switch encoding {
    case .utf8: hadBOM ? [0xEF, 0xBB, 0xBF] : []
    case .utf16LittleEndian: hadBOM ? [0xFF, 0xFE] : []
    case .utf16BigEndian: hadBOM ? [0xFE, 0xFF] : []
    case .windows1251, .windows1252: []
    }
  }

  /// The line end between rows in the source's encoding.
  package var lineEnd: [UInt8] {
    let bytes = dialect.lineEnd
    return EncodedText.encode(bytes.span, encoding)
  }

  /// Appends `count` bytes from an offset, or fewer at the end of the text.
  /// - Throws: `RunFailure` if the source cannot be read.
  func read(at offset: Int, count: Int, into buffer: inout ByteBuffer) throws {
    let before = buffer.count
    try Self.read(descriptor, at: offset, count: count, into: &buffer, name: name)
    bytesRead.add(buffer.count - before, ordering: .relaxed)
  }

  /// Appends up to `count` bytes of a file.
  static func read(_ descriptor: Int32, at offset: Int, count: Int, into buffer: inout ByteBuffer, name: String) throws
  {
    var left = count
    while left > 0 {
      let got = try buffer.append(room: left) { room throws -> Int in
        while true {
          let got = pread(descriptor, room.baseAddress, room.count, off_t(offset + count - left))
          if got >= 0 { return got }
          if errno != EINTR { throw RunFailure(.failed, "read '\(name)': \(String(cString: strerror(errno)))") }
        }
      }
      if got == 0 { return }
      left -= got
    }
  }

  /// Returns the size of a file in bytes.
  static func size(of descriptor: Int32) -> Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Opens a file. The content of a pipe or device is first copied to a temporary file.
  private static func open(_ source: Source) throws -> Int32 {
    let name = source.isStandardInput ? "standard input" : source.path
    let opened = source.isStandardInput ? dup(0) : Foundation.open(source.path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw RunFailure(.failed, "read '\(name)': \(String(cString: strerror(errno)))") }
    var status = stat()
    if !source.isStandardInput, fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return opened }
    defer { close(opened) }
    let spool = try UnlinkedFile.descriptor()
    do {
      let sink = ByteSink(descriptor: spool, name: "a temporary file")
      var buffer = ByteBuffer(capacity: 1 << 16)
      while true {
        buffer.removeAll()
        let got = try buffer.append(room: 1 << 16) { room throws -> Int in
          let got = FileRead.some(opened, into: room)
          if got < 0 { throw RunFailure(.failed, "read '\(name)': \(String(cString: strerror(errno)))") }
          return got
        }
        if got == 0 { break }
        try sink.write(buffer.bytes.span)
      }
      try sink.flush()
    } catch {
      close(spool)
      throw error
    }
    return spool
  }

  // MARK: Rejected rows

  /// Opens a source: with the delimiter that the user specified; otherwise, as the rejects of a table that are imported
  /// again; otherwise, with the detected dialect.
  package static func opening(_ source: Source, _ options: TableOptions) throws -> DelimitedSource {
    if let delimiter = options.delimiter { return try DelimitedSource(source, delimiter: delimiter, isExplicit: true) }
    return try options.retry.map { try rejects(source, of: $0.table) } ?? DelimitedSource(source)
  }

  /// Opens rejected rows, in the form in which they were last saved, to import them again.
  ///
  /// A spreadsheet program may have saved the file with a different delimiter. The known header reveals which one. The
  /// delimiter of the table that the rows come from is used only if nothing else decides.
  /// - Throws: `RunFailure` if the file cannot be read, is not text, or no longer has the table's header.
  package static func rejects(_ source: Source, of table: TableOrigin) throws -> DelimitedSource {
    let own = table.delimiter?.utf8.first
    let found = try DelimitedSource(source, preferred: own)
    let columns = table.columns.map(\.trimmingBlanks).filter { !$0.isEmpty }
    if columns.isEmpty { return found }
    var tried: Set<UInt8> = []
    for delimiter in [own, found.dialect.delimiter].compactMap({ $0 }) + DelimitedDialect.delimiters
    where tried.insert(delimiter).inserted {
      let text = delimiter == found.dialect.delimiter ? found : try DelimitedSource(source, delimiter: delimiter)
      let header = text.firstCells.map { Array($0.utf8) }
      if columns.allSatisfy({ header.contains(Array($0.utf8)) }) { return text }
    }
    let header = found.firstCells
    let known = Set(header.map { Array($0.utf8) })
    let missing = columns.filter { !known.contains(Array($0.utf8)) }
    func list(_ names: [String]) -> String {
      names.prefix(12).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 12 ? " …" : "")
    }
    throw RunFailure(
      .failed,
      "read the rejects '\(found.name)': the header has no \(list(missing)); it is \(list(header)), but the "
        + "table's header was \(list(columns))",
      advice: "Give the file the header that the import wrote, with any delimiter, in UTF-8.")
  }

  /// The cells of the first row, trimmed of blanks; empty if there is no row.
  private var firstCells: [String] {
    var row = TableRow()
    guard (try? rows().next(into: &row)) == true else { return [] }
    return row.cells.indices.map { String(decoding: row.text($0), as: UTF8.self).trimmingBlanks }
  }
}

extension String {
  /// The text trimmed of blanks, as it is used to compare headers.
  fileprivate var trimmingBlanks: String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }
    let text = utf8.drop(while: isBlank)
    return String(decoding: text.reversed().drop(while: isBlank).reversed(), as: UTF8.self)
  }
}

/// The place of a cell, or of a part of its text, in a delimited text.
package struct DelimitedPosition: Sendable, Equatable {
  /// The line, counted from 1.
  package var line: Int
  /// The column in Unicode scalars, counted from 1.
  package var column: Int
  /// The column after the last character; nil if the text ends on another line.
  package var endColumn: Int?

  package init(line: Int, column: Int, endColumn: Int?) {
    self.line = line
    self.column = column
    self.endColumn = endColumn
  }
}

extension DelimitedSource {
  /// Finds the position of a cell by reading its row again.
  /// - Parameters:
  ///   - row: the number and offset from `TableRow`.
  ///   - cell: the index of the cell, from 0; nil for the beginning of the row.
  ///   - part: a byte range in the cell's text as it was read; nil for the whole text.
  package func position(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>? = nil) -> DelimitedPosition {
    guard let cell else { return DelimitedPosition(line: row.number, column: 1, endColumn: nil) }
    let text = text(of: row)
    let spot = CellSpan(of: cell, in: text.span, dialect: dialect)
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

  /// Returns the original bytes of a row, without its line end.
  package func original(row: (number: Int, offset: Int)) -> [UInt8] {
    EncodedText.encode(text(of: row).span, encoding)
  }

  /// Returns the original bytes that a file with only some of the rows must begin with: the byte order mark, the `sep=`
  /// line, and the header with its line ending.
  /// - Parameter row: the header; nil for the first row that can be read.
  package func header(_ row: (number: Int, offset: Int)?) -> [UInt8] {
    let rows = oneRow()
    if let row { rows.seek(to: row.offset, line: row.number) }
    var header = TableRow()
    guard (try? rows.next(into: &header)) == true else { return preamble }
    return preamble + original(header.offset..<header.offset + header.length) + lineEnd
  }

  /// Reports the detected encoding if it is not UTF-8.
  package func reportEncoding(to findings: DiagnosticLog) {
    guard encoding != .utf8 else { return }
    let certainty = certainty < 100 ? " (\(certainty) % sure)" : ""
    findings.report(
      Diagnostic(
        .tableEncoding, "the table is read as \(encoding.rawValue)\(certainty)",
        at: Place(file: name, line: 1, column: 1)))
  }

  /// Returns the text of a cell as readers return it, or nil if the row has no such cell.
  package func text(row place: (number: Int, offset: Int), cell: Int) -> [UInt8]? {
    let rows = oneRow()
    rows.seek(to: place.offset, line: place.number)
    var row = TableRow()
    guard (try? rows.next(into: &row)) == true, row.cells.indices.contains(cell) else { return nil }
    return Array(row.text(cell))
  }

  /// Returns a reader for single rows. Every finding reads its row again, so a read must not cover much more than the
  /// row.
  private func oneRow() -> DelimitedRows { DelimitedRows(self, piece: 1 << 12) }

  /// Returns a row as UTF-8, including its quotes.
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
      // A row that cannot be used still has text.
    } catch {
      return []
    }
    guard row.offset == place.offset else { return [] }
    var text = ByteBuffer(capacity: max(64, row.length))
    guard (try? read(at: row.offset, count: row.length, into: &text)) != nil else { return [] }
    return Array(text.bytes)
  }
}

/// The range of one cell in the text of its row.
private struct CellSpan {
  /// The text between the quotes, or between the delimiters.
  var text: Range<Int>
  let isQuoted: Bool
  /// Whether the cell begins with an apostrophe that protects against formulas and is not part of the cell's value.
  let hasApostrophe: Bool

  /// Finds a cell. Past the last cell, the range is the end of the row.
  init(of cell: Int, in row: Span<UInt8>, dialect: DelimitedDialect) {
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
        hasApostrophe = FormulaEscaping.isEscaped(row.extracting(text))
        if hasApostrophe { text = text.lowerBound + 1..<text.upperBound }
        return
      }
      at = next + 1
      index += 1
    }
  }

  /// Converts an offset in the cell's text to an offset in the row.
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
