import Content
import MarkdownSyntax

/// The lines of a note, and methods that make text from the lines.
struct NoteLines {
  let text: UnsafeBufferPointer<UInt8>
  /// The byte range of each line, without the line end.
  let lines: MarkdownLines

  /// Whether a byte is a blank or a tab.
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Whether a line contains only white space.
  func isBlank(_ line: Int) -> Bool { lines[line].allSatisfy { Self.isWhite(text[$0]) } }

  /// Whether a byte is white space in CommonMark.
  static func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Returns a part of the note without blanks and tabs at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, Self.isBlank(text[start]) { start += 1 }
    while end > start, Self.isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Returns a range of lines without blank lines at either end.
  func trimmedLines(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isBlank(start) { start += 1 }
    while end > start, isBlank(end - 1) { end -= 1 }
    return start..<end
  }

  /// Returns a range of lines without blank lines at either end. A line counts as blank if only white space follows the
  /// marks of up to `quotes` quotations.
  func trimmedLines(_ range: Range<Int>, quotes: Int) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, content(of: start, quotes: quotes).isEmpty { start += 1 }
    while end > start, content(of: end - 1, quotes: quotes).isEmpty { end -= 1 }
    return start..<end
  }

  /// Returns the offset of a line's content, after the marks of up to `quotes` quotations.
  func start(of line: Int, quotes: Int) -> Int {
    var at = lines[line].lowerBound
    let end = lines[line].upperBound
    for _ in 0..<quotes {
      var mark = at
      while mark < end, mark - at < 4, text[mark] == 0x20 { mark += 1 }
      guard mark < end, text[mark] == UInt8(ascii: ">") else { break }
      at = mark + 1
      if at < end, Self.isBlank(text[at]) { at += 1 }
    }
    return at
  }

  /// Returns the content of a line after the marks of up to `quotes` quotations, without blanks at its ends.
  func content(of line: Int, quotes: Int) -> Range<Int> {
    trimmed(start(of: line, quotes: quotes)..<lines[line].upperBound)
  }

  /// Returns the number of white space columns at the beginning of a line; a tab advances to the next multiple of 4.
  func indentation(_ line: Int, quotes: Int = 0) -> Int {
    var column = 0
    for at in start(of: line, quotes: quotes)..<lines[line].upperBound {
      if text[at] == 0x20 {
        column += 1
      } else if text[at] == 0x09 {
        column = (column / 4 + 1) * 4
      } else {
        break
      }
    }
    return column
  }

  /// Returns the column of a byte in its line, after the marks of up to `quotes` quotations.
  func column(of offset: Int, line: Int, quotes: Int = 0) -> Int {
    var column = 0
    let start = start(of: line, quotes: quotes)
    for at in start..<max(offset, start) {
      column = text[at] == 0x09 ? (column / 4 + 1) * 4 : column + 1
    }
    return column
  }

  /// Returns lines as one text with LF between the lines, without indentation; nil if all lines are blank.
  ///
  /// The common indentation of all lines is removed, but at least `base` columns. Lazy lines with less than `base`
  /// columns lose all their indentation. Quotation marks are removed first.
  func joined(_ range: Range<Int>, indentedBy base: Int, quotes: Int = 0) -> SourcedText? {
    let used = trimmedLines(range, quotes: quotes)
    guard !used.isEmpty else { return nil }
    var strip = Int.max
    for line in used where !content(of: line, quotes: quotes).isEmpty {
      let indentation = indentation(line, quotes: quotes)
      if indentation >= base { strip = min(strip, indentation) }
    }
    if strip == Int.max { strip = base }
    var joined = Joined()
    for line in used {
      if line > used.lowerBound { joined.add(UInt8(ascii: "\n"), at: lines[line - 1].upperBound) }
      var (at, column) = (start(of: line, quotes: quotes), 0)
      while column < strip, at < lines[line].upperBound, Self.isBlank(text[at]) {
        column = text[at] == 0x09 ? (column / 4 + 1) * 4 : column + 1
        at += 1
      }
      // Blanks replace the rest of a tab that extends beyond the removed columns.
      for _ in 0..<max(0, column - strip) { joined.add(0x20, at: at - 1) }
      joined.add(text.span, at..<lines[line].upperBound)
    }
    return joined.sourced
  }

  /// Returns parts of the note with one blank between them.
  func joined(_ parts: [Range<Int>]) -> SourcedText {
    var joined = Joined()
    for (index, part) in parts.enumerated() {
      if index > 0 { joined.add(0x20, at: parts[index - 1].upperBound) }
      joined.add(text.span, part)
    }
    if parts.allSatisfy(\.isEmpty), let first = parts.first { return SourcedText(bytes: [], range: first) }
    return joined.sourced
  }

  /// Builds text and records the source positions of its bytes.
  struct Joined {
    private(set) var bytes: [UInt8] = []
    private var stretches: [SourcedText.Stretch] = []
    private var end = 0

    mutating func add(_ byte: UInt8, at source: Int) {
      begin(source)
      bytes.append(byte)
      end = source + 1
    }

    mutating func add(_ text: Span<UInt8>, _ range: Range<Int>) {
      guard !range.isEmpty else { return }
      begin(range.lowerBound)
      bytes.append(contentsOf: text.extracting(range))
      end = range.upperBound
    }

    private mutating func begin(_ source: Int) {
      if stretches.isEmpty || end != source { stretches.append(.init(value: bytes.count, source: source)) }
    }

    var sourced: SourcedText {
      let start = stretches.first?.source ?? 0
      return SourcedText(
        bytes: bytes, range: start..<max(start, end), stretches: stretches.count > 1 ? stretches : [])
    }
  }
}

/// The line ends of notes: LF, CRLF, or CR. Text that is added to a note gets the note's line ends.
enum LineEnd {
  /// The line end of new notes.
  static let standard: [UInt8] = [0x0A]

  /// Returns the first line end in text; nil if the text has no line end.
  static func first(in text: some Collection<UInt8>) -> [UInt8]? {
    guard let end = text.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
    guard text[end] == 0x0D else { return [0x0A] }
    let next = text.index(after: end)
    return next < text.endIndex && text[next] == 0x0A ? [0x0D, 0x0A] : [0x0D]
  }
}
