import MarkdownSyntax

/// A text that was taken from a note, and the bytes of the note that it came from.
///
/// Taking off indentation or joining lines makes a text of several stretches; each of them is in one piece in the
/// note. All offsets count from the start of the note's text.
struct SourcedText: Sendable {
  /// The text itself, UTF-8.
  var bytes: [UInt8]
  /// All of the note that it came from.
  var range: Range<Int>
  /// Where stretches begin, in the text and in the note, ascending; empty for one stretch that begins with `range`.
  var stretches: [Stretch] = []

  /// A piece that is in the note as it is in the text.
  struct Stretch: Sendable {
    let value: Int
    let source: Int
  }

  /// A text that is in the note as it is.
  init(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    bytes = Array(text[range])
    self.range = range
  }

  /// A text that was put together.
  init(bytes: [UInt8], range: Range<Int>, stretches: [Stretch] = []) {
    self.bytes = bytes
    self.range = range
    self.stretches = stretches
  }

  /// The text as a string.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes of the note that a part of the text came from; all of them where nothing better is known.
  func source(of part: Range<Int>) -> Range<Int> {
    let first = place(part.lowerBound)
    let last = part.isEmpty ? first : place(part.upperBound - 1) + 1
    guard range.contains(first) || first == range.upperBound, last >= first, last <= range.upperBound else {
      return range
    }
    return first..<last
  }

  // MARK: Parts

  /// Where a byte of the text is in the note.
  func place(_ value: Int) -> Int {
    guard let index = stretch(at: value) else { return range.lowerBound + value }
    return stretches[index].source + value - stretches[index].value
  }

  /// A part of the text, with its own places.
  func part(_ part: Range<Int>) -> SourcedText {
    let bytes = Array(self.bytes[part])
    guard !part.isEmpty else { return SourcedText(bytes: [], range: place(part.lowerBound)..<place(part.lowerBound)) }
    let range = place(part.lowerBound)..<place(part.upperBound - 1) + 1
    guard range.lowerBound <= range.upperBound else { return SourcedText(bytes: bytes, range: self.range) }
    guard let first = stretch(at: part.lowerBound) else { return SourcedText(bytes: bytes, range: range) }
    var inside = [Stretch(value: 0, source: range.lowerBound)]
    var next = first + 1
    while next < stretches.count, stretches[next].value < part.upperBound {
      inside.append(Stretch(value: stretches[next].value - part.lowerBound, source: stretches[next].source))
      next += 1
    }
    return SourcedText(bytes: bytes, range: range, stretches: inside.count > 1 ? inside : [])
  }

  /// The last stretch that begins at or before a byte.
  private func stretch(at value: Int) -> Int? {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].value <= value { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}

/// The lines of a note, and texts that are made of them.
struct NoteLines {
  let text: UnsafeBufferPointer<UInt8>
  /// The bytes of each line, without its end.
  let lines: MarkdownLines

  /// Whether a byte is a blank or a tab.
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Whether a line holds nothing but white space.
  func isBlank(_ line: Int) -> Bool { lines[line].allSatisfy { Self.isWhite(text[$0]) } }

  /// Whether CommonMark takes a byte for white space.
  static func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// A part of the note without blanks and tabs at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, Self.isBlank(text[start]) { start += 1 }
    while end > start, Self.isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Lines without the blank ones at both ends.
  func trimmedLines(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isBlank(start) { start += 1 }
    while end > start, isBlank(end - 1) { end -= 1 }
    return start..<end
  }

  /// How many columns of white space a line begins with; a tab goes to the next column that 4 divides.
  func indentation(_ line: Int) -> Int {
    var column = 0
    for at in lines[line] {
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

  /// The column of a byte in its line.
  func column(of offset: Int, line: Int) -> Int {
    var column = 0
    for at in lines[line].lowerBound..<max(offset, lines[line].lowerBound) {
      column = text[at] == 0x09 ? (column / 4 + 1) * 4 : column + 1
    }
    return column
  }

  /// Lines as one text with LF between them, indentation taken off; nil when all are blank.
  ///
  /// What is taken off is what all lines have in common, and at least `base` columns; lines with less than `base` (lazy
  /// ones) lose all they have.
  func joined(_ range: Range<Int>, indentedBy base: Int) -> SourcedText? {
    let used = trimmedLines(range)
    guard !used.isEmpty else { return nil }
    var strip = Int.max
    for line in used where !isBlank(line) {
      let indentation = indentation(line)
      if indentation >= base { strip = min(strip, indentation) }
    }
    if strip == Int.max { strip = base }
    var joined = Joined()
    for line in used {
      if line > used.lowerBound { joined.add(UInt8(ascii: "\n"), at: lines[line - 1].upperBound) }
      var (at, column) = (lines[line].lowerBound, 0)
      while column < strip, at < lines[line].upperBound, Self.isBlank(text[at]) {
        column = text[at] == 0x09 ? (column / 4 + 1) * 4 : column + 1
        at += 1
      }
      // The rest of a tab that reaches further.
      for _ in 0..<max(0, column - strip) { joined.add(0x20, at: at - 1) }
      joined.add(text, at..<lines[line].upperBound)
    }
    return joined.sourced
  }

  /// Parts of the note with one blank between them.
  func joined(_ parts: [Range<Int>]) -> SourcedText {
    var joined = Joined()
    for (index, part) in parts.enumerated() {
      if index > 0 { joined.add(0x20, at: parts[index - 1].upperBound) }
      joined.add(text, part)
    }
    if parts.allSatisfy(\.isEmpty), let first = parts.first { return SourcedText(bytes: [], range: first) }
    return joined.sourced
  }

  /// Puts a text together and knows where its bytes came from.
  struct Joined {
    private(set) var bytes: [UInt8] = []
    private var stretches: [SourcedText.Stretch] = []
    private var end = 0

    mutating func add(_ byte: UInt8, at source: Int) {
      begin(source)
      bytes.append(byte)
      end = source + 1
    }

    mutating func add(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
      guard !range.isEmpty else { return }
      begin(range.lowerBound)
      bytes.append(contentsOf: text[range])
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
