/// What the beginning of a line means in Markdown. The only place that decides what a fence, a heading, a list mark, a
/// rule or a table is.
///
/// Every function looks at one line from its first byte that is not a blank, up to its end. Callers check that the
/// indentation is below four columns where CommonMark asks for that.
/// - Source: CommonMark 0.30; tables and tasks: GitHub Flavored Markdown 0.29
package enum LineSyntax {
  /// Whether a byte is a blank or a tab.
  @inline(__always) package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The index behind the bytes at `start` that are equal to the one there.
  package static func endOfRun(_ text: Span<UInt8>, at start: Int, end: Int) -> Int {
    var at = start + 1
    while at < end, text[at] == text[start] { at += 1 }
    return min(at, end)
  }

  /// The first index from `start` on that is not a blank.
  package static func skipBlanks(_ text: Span<UInt8>, from start: Int, end: Int) -> Int {
    var at = start
    while at < end, isBlank(text[at]) { at += 1 }
    return at
  }

  /// A part of a line without blanks at its ends.
  package static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    let start = skipBlanks(text, from: range.lowerBound, end: range.upperBound)
    var end = range.upperBound
    while end > start, isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }

  /// The first line of a text, without its end.
  package static func firstLine(_ text: Span<UInt8>) -> Range<Int> {
    var end = 0
    while end < text.count, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
    return 0..<end
  }

  // MARK: Fences

  /// A line of at least three backticks or tildes.
  package struct Fence: Equatable, Sendable {
    /// A backtick or a tilde.
    package let mark: UInt8
    package let length: Int
    /// Whether it may close a block: nothing but blanks follows.
    package let isBare: Bool

    /// Whether it closes a block that `opening` began.
    package func closes(_ opening: Fence) -> Bool { isBare && mark == opening.mark && length >= opening.length }
  }

  /// Reads a fence; nil if the line is not one.
  package static func fence(_ text: Span<UInt8>, at start: Int, end: Int) -> Fence? {
    guard start + 2 < end, text[start] == UInt8(ascii: "`") || text[start] == UInt8(ascii: "~") else { return nil }
    let behind = endOfRun(text, at: start, end: end)
    guard behind - start >= 3 else { return nil }
    // Backticks behind backticks are code inside a line.
    if text[start] == UInt8(ascii: "`") {
      for at in behind..<end where text[at] == UInt8(ascii: "`") { return nil }
    }
    return Fence(
      mark: text[start], length: behind - start, isBare: skipBlanks(text, from: behind, end: end) == end)
  }

  // MARK: Headings and rules

  /// A heading that begins with `#`.
  package struct Heading: Equatable, Sendable {
    /// 1 to 6.
    package let level: Int
    /// Its text without marks and blanks around it.
    package let text: Range<Int>
    /// The `#` at the end; empty if there are none.
    package let closing: Range<Int>
  }

  /// Reads a heading with `#`; nil if the line is not one.
  package static func heading(_ text: Span<UInt8>, at start: Int, end: Int) -> Heading? {
    guard start < end, text[start] == UInt8(ascii: "#") else { return nil }
    let behind = endOfRun(text, at: start, end: end)
    guard behind - start <= 6, behind == end || isBlank(text[behind]) else { return nil }
    var inner = trimmed(text, behind..<end)
    var closing = inner.upperBound
    while closing > inner.lowerBound, text[closing - 1] == UInt8(ascii: "#") { closing -= 1 }
    let last = inner.upperBound
    if closing < last, closing == inner.lowerBound || isBlank(text[closing - 1]) {
      inner = trimmed(text, inner.lowerBound..<closing)
    } else {
      closing = last
    }
    return Heading(level: behind - start, text: inner, closing: closing..<last)
  }

  /// The level of the heading that the line underlines: `===` is 1, `---` is 2; nil for other lines.
  package static func underline(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    guard start < end, text[start] == UInt8(ascii: "=") || text[start] == UInt8(ascii: "-") else { return nil }
    let behind = endOfRun(text, at: start, end: end)
    guard skipBlanks(text, from: behind, end: end) == end else { return nil }
    return text[start] == UInt8(ascii: "=") ? 1 : 2
  }

  /// Whether the line is a rule: three or more of `-`, `*` or `_`, with or without blanks.
  package static func isRule(_ text: Span<UInt8>, at start: Int, end: Int) -> Bool {
    guard start < end else { return false }
    let mark = text[start]
    guard mark == UInt8(ascii: "-") || mark == UInt8(ascii: "*") || mark == UInt8(ascii: "_") else { return false }
    var count = 0
    for at in start..<end {
      if text[at] == mark { count += 1 } else if !isBlank(text[at]) { return false }
    }
    return count >= 3
  }

  // MARK: Lists

  /// The mark of a list item: `-`, `*`, `+`, `1.`, `1)`.
  package struct ListMark: Equatable, Sendable {
    /// The bullet, or the byte behind the number.
    package let sign: UInt8
    /// The number; nil for a bullet.
    package let number: Int?
    /// The index behind the mark.
    package let end: Int
  }

  /// Reads the mark of an item; a blank or the line's end must follow it.
  package static func listMark(_ text: Span<UInt8>, at start: Int, end: Int) -> ListMark? {
    guard start < end else { return nil }
    var at = start
    var number: Int?
    switch text[at] {
    case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"): break
    case 0x30...0x39:
      var value = 0
      while at < end, at - start < 9, text[at] &- 0x30 < 10 {
        value = value * 10 + Int(text[at] - 0x30)
        at += 1
      }
      guard at < end, text[at] == UInt8(ascii: ".") || text[at] == UInt8(ascii: ")") else { return nil }
      number = value
    default: return nil
    }
    guard at + 1 == end || isBlank(text[at + 1]) else { return nil }
    return ListMark(sign: text[at], number: number, end: at + 1)
  }

  /// The first byte of an item's text, behind its mark and blanks; nil if the line is not an item with text.
  package static func listItem(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    guard let mark = listMark(text, at: start, end: end), mark.end < end else { return nil }
    return skipBlanks(text, from: mark.end, end: end)
  }

  /// The box that a task begins with, `[ ]` or `[x]`, followed by a blank or the line's end.
  package static func box(_ text: Span<UInt8>, at start: Int, end: Int) -> Range<Int>? {
    guard start + 3 <= end, text[start] == UInt8(ascii: "["), text[start + 2] == UInt8(ascii: "]"),
      isBlank(text[start + 1]) || text[start + 1] | 0x20 == UInt8(ascii: "x"),
      start + 3 == end || isBlank(text[start + 3])
    else { return nil }
    return start..<start + 3
  }

  // MARK: Tables

  /// The number of columns of a table's delimiter row (`| --- | :-: |`); nil for other lines.
  package static func delimiterRow(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    let line = trimmed(text, start..<end)
    var at = line.lowerBound
    if at < line.upperBound, text[at] == UInt8(ascii: "|") { at += 1 }
    var columns = 0
    while at < line.upperBound {
      at = skipBlanks(text, from: at, end: line.upperBound)
      if at < line.upperBound, text[at] == UInt8(ascii: ":") { at += 1 }
      guard at < line.upperBound, text[at] == UInt8(ascii: "-") else { return nil }
      at = endOfRun(text, at: at, end: line.upperBound)
      if at < line.upperBound, text[at] == UInt8(ascii: ":") { at += 1 }
      at = skipBlanks(text, from: at, end: line.upperBound)
      columns += 1
      guard at < line.upperBound else { break }
      guard text[at] == UInt8(ascii: "|") else { return nil }
      at += 1
    }
    return columns > 0 ? columns : nil
  }

  /// The number of cells of a table's row; nil if the line has no bar.
  package static func cells(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    let line = trimmed(text, range)
    var bars = 0
    var at = line.lowerBound
    while at < line.upperBound {
      if text[at] == UInt8(ascii: "\\") {
        at += 2
        continue
      }
      if text[at] == UInt8(ascii: "|") { bars += 1 }
      at += 1
    }
    guard bars > 0 else { return nil }
    var cells = bars + 1
    if text[line.lowerBound] == UInt8(ascii: "|") { cells -= 1 }
    let last = line.upperBound - 1
    if bars > 1 || cells > 1, last > line.lowerBound, text[last] == UInt8(ascii: "|"),
      text[last - 1] != UInt8(ascii: "\\")
    {
      cells -= 1
    }
    return cells
  }
}
