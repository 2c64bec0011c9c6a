/// Recognizes Markdown syntax at the beginning of a line. Only this type decides what counts as a fence, a heading, a
/// list mark, a rule or a table.
///
/// Every function examines one line from its first byte that is not a blank, up to its end. Callers check that the
/// indentation is below four columns if CommonMark requires that.
/// - Source: CommonMark 0.30; tables and tasks: GitHub Flavored Markdown 0.29
package enum LineSyntax {
  /// Whether a byte is a blank or a tab.
  @inline(__always) package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Returns the index after the run of equal bytes that begins at `start`.
  package static func endOfRun(_ text: Span<UInt8>, at start: Int, end: Int) -> Int {
    var at = start + 1
    while at < end, text[at] == text[start] { at += 1 }
    return min(at, end)
  }

  /// Returns the index of the first byte at or after `start` that is not a blank.
  package static func skipBlanks(_ text: Span<UInt8>, from start: Int, end: Int) -> Int {
    var at = start
    while at < end, isBlank(text[at]) { at += 1 }
    return at
  }

  /// Returns a range without the blanks at its ends.
  package static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    let start = skipBlanks(text, from: range.lowerBound, end: range.upperBound)
    var end = range.upperBound
    while end > start, isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Returns the range of the first line of text, without the line end.
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
    /// Whether the fence may close a block, because only blanks follow.
    package let isBare: Bool

    /// Whether the fence closes a block that `opening` began.
    package func closes(_ opening: Fence) -> Bool { isBare && mark == opening.mark && length >= opening.length }
  }

  /// Reads a fence; nil if the line is not a fence.
  package static func fence(_ text: Span<UInt8>, at start: Int, end: Int) -> Fence? {
    guard start + 2 < end, text[start] == UInt8(ascii: "`") || text[start] == UInt8(ascii: "~") else { return nil }
    let behind = endOfRun(text, at: start, end: end)
    guard behind - start >= 3 else { return nil }
    // If more backticks follow, the backticks are inline code.
    if text[start] == UInt8(ascii: "`") {
      for at in behind..<end where text[at] == UInt8(ascii: "`") { return nil }
    }
    return Fence(
      mark: text[start], length: behind - start, isBare: skipBlanks(text, from: behind, end: end) == end)
  }

  // MARK: Headings and rules

  /// A heading that begins with `#`.
  package struct Heading: Equatable, Sendable {
    /// The level, 1 to 6.
    package let level: Int
    /// The range of the heading's text, without marks and surrounding blanks.
    package let text: Range<Int>
    /// The range of the closing `#` marks; empty if the heading has no closing marks.
    package let closing: Range<Int>
  }

  /// Reads a heading that begins with `#`; nil if the line is not such a heading.
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

  /// Returns the level of the heading that the line underlines: 1 for `===`, 2 for `---`, nil for other lines.
  package static func underline(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    guard start < end, text[start] == UInt8(ascii: "=") || text[start] == UInt8(ascii: "-") else { return nil }
    let behind = endOfRun(text, at: start, end: end)
    guard skipBlanks(text, from: behind, end: end) == end else { return nil }
    return text[start] == UInt8(ascii: "=") ? 1 : 2
  }

  /// Whether the line is a rule: three or more `-`, `*` or `_` characters, with or without blanks.
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
    /// The bullet, or the byte after the number.
    package let sign: UInt8
    /// The number; nil for a bullet.
    package let number: Int?
    /// The index after the mark.
    package let end: Int
  }

  /// Reads the mark of a list item. A blank or the line's end must follow the mark.
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

  /// Returns the offset of an item's text, after the mark and blanks; nil if the line is not an item with text.
  package static func listItem(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    guard let mark = listMark(text, at: start, end: end), mark.end < end else { return nil }
    return skipBlanks(text, from: mark.end, end: end)
  }

  /// Returns the range of the box at the beginning of a task: `[ ]` or `[x]`. A blank or the line's end must follow the
  /// box.
  package static func box(_ text: Span<UInt8>, at start: Int, end: Int) -> Range<Int>? {
    guard start + 3 <= end, text[start] == UInt8(ascii: "["), text[start + 2] == UInt8(ascii: "]"),
      isBlank(text[start + 1]) || text[start + 1] | 0x20 == UInt8(ascii: "x"),
      start + 3 == end || isBlank(text[start + 3])
    else { return nil }
    return start..<start + 3
  }

  // MARK: Tables

  /// Returns the number of columns of a table's delimiter row (`| --- | :-: |`); nil for other lines.
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

  /// Returns the number of cells in a table row; nil if the line has no pipe.
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

/// The seven kinds of HTML blocks, each defined by the line that begins the block and the line that ends it.
/// - Source: CommonMark 0.30, section 4.6
enum HTMLBlockSyntax: Sendable {
  /// `<script>`, `<pre>`, `<style>` or `<textarea>`, up to a closing tag of one of these elements.
  case verbatim
  /// `<!--` … `-->`
  case comment
  /// `<?` … `?>`
  case instruction
  /// `<!X` … `>`
  case declaration
  /// `<![CDATA[` … `]]>`
  case characterData
  /// The tag of a block element, up to a blank line.
  case element
  /// Any other tag alone on its line, up to a blank line. It cannot interrupt a paragraph.
  case anyTag

  /// Whether a blank line ends the block.
  var endsAtBlankLine: Bool { self == .element || self == .anyTag }

  /// Reads a line that begins with `<`; nil if no block begins with the line.
  init?(_ text: Span<UInt8>, at start: Int, end: Int) {
    guard start + 1 < end, text[start] == UInt8(ascii: "<") else { return nil }
    switch text[start + 1] {
    case UInt8(ascii: "!"):
      if Self.begins(text, start + 2, end, Self.commentStart) {
        self = .comment
      } else if start + 2 < end, Self.isLetter(text[start + 2]) {
        self = .declaration
      } else if Self.begins(text, start + 2, end, Self.characterDataStart) {
        self = .characterData
      } else {
        return nil
      }
    case UInt8(ascii: "?"): self = .instruction
    default:
      let isClosing = text[start + 1] == UInt8(ascii: "/")
      let name = isClosing ? start + 2 : start + 1
      var at = name
      while at < end, at - name <= Self.longestName, Self.isLetter(text[at]) || text[at] &- 0x30 < 10 { at += 1 }
      let word = at - name <= Self.longestName ? Self.word(text, name..<at) : ""
      let isSolitary = at == end || text[at] <= 0x20 || text[at] == UInt8(ascii: ">")
      if !isClosing, isSolitary, Self.verbatimNames.contains(word) {
        self = .verbatim
      } else if isSolitary || at + 1 < end && text[at] == UInt8(ascii: "/") && text[at + 1] == UInt8(ascii: ">"),
        Self.blockNames.contains(word)
      {
        self = .element
      } else if let behind = Self.tag(text, at: start, end: end),
        LineSyntax.skipBlanks(text, from: behind, end: end) == end, isClosing || !Self.verbatimNames.contains(word)
      {
        self = .anyTag
      } else {
        return nil
      }
    }
  }

  /// Whether a line of the block ends the block.
  func isEnded(_ text: Span<UInt8>, by line: Range<Int>) -> Bool {
    switch self {
    case .comment: Self.contains(text, line, Self.commentEnd)
    case .instruction: Self.contains(text, line, Self.instructionEnd)
    case .declaration: Self.contains(text, line, Self.declarationEnd)
    case .characterData: Self.contains(text, line, Self.characterDataEnd)
    case .verbatim: Self.containsVerbatimEnd(text, line)
    case .element, .anyTag: false
    }
  }

  // MARK: Names

  private static let longestName = 10
  private static let verbatimNames: Set<String> = ["script", "pre", "style", "textarea"]
  private static let blockNames: Set<String> = [
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
    "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
    "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "section", "source",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
  ]

  private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }

  private static func word(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    var word = ""
    for at in range { word.unicodeScalars.append(Unicode.Scalar(text[at] | 0x20)) }
    return word
  }

  // MARK: Searching

  private static let commentStart = Array("--".utf8)
  private static let commentEnd = Array("-->".utf8)
  private static let instructionEnd = Array("?>".utf8)
  private static let declarationEnd = Array(">".utf8)
  private static let characterDataStart = Array("[CDATA[".utf8)
  private static let characterDataEnd = Array("]]>".utf8)
  private static let closingTag = Array("</".utf8)

  private static func begins(_ text: Span<UInt8>, _ start: Int, _ end: Int, _ word: [UInt8]) -> Bool {
    guard start + word.count <= end else { return false }
    for offset in word.indices where text[start + offset] != word[offset] { return false }
    return true
  }

  private static func contains(_ text: Span<UInt8>, _ line: Range<Int>, _ word: [UInt8]) -> Bool {
    let first = word[0]
    for at in line where text[at] == first && begins(text, at, line.upperBound, word) { return true }
    return false
  }

  private static func containsVerbatimEnd(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
    for at in line where text[at] == UInt8(ascii: "<") && begins(text, at, line.upperBound, closingTag) {
      var end = at + 2
      while end < line.upperBound, end - at - 2 <= longestName, isLetter(text[end]) { end += 1 }
      if end < line.upperBound, text[end] == UInt8(ascii: ">"), verbatimNames.contains(word(text, at + 2..<end)) {
        return true
      }
    }
    return false
  }

  // MARK: Tags

  /// Returns the index after a complete opening or closing tag; nil if there is no such tag.
  private static func tag(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    var at = start + 1
    let isClosing = at < end && text[at] == UInt8(ascii: "/")
    if isClosing { at += 1 }
    guard at < end, isLetter(text[at]) else { return nil }
    while at < end, isLetter(text[at]) || text[at] &- 0x30 < 10 || text[at] == 0x2D { at += 1 }
    while !isClosing {
      let next = LineSyntax.skipBlanks(text, from: at, end: end)
      guard next > at, next < end, isAttributeStart(text[next]) else { break }
      at = next
      while at < end, isAttributeStart(text[at]) || text[at] &- 0x30 < 10 || text[at] == 0x2D || text[at] == 0x2E {
        at += 1
      }
      let sign = LineSyntax.skipBlanks(text, from: at, end: end)
      guard sign < end, text[sign] == UInt8(ascii: "=") else { continue }
      let value = LineSyntax.skipBlanks(text, from: sign + 1, end: end)
      guard value < end, let behind = attributeValue(text, at: value, end: end) else { return nil }
      at = behind
    }
    at = LineSyntax.skipBlanks(text, from: at, end: end)
    if !isClosing, at < end, text[at] == UInt8(ascii: "/") { at += 1 }
    return at < end && text[at] == UInt8(ascii: ">") ? at + 1 : nil
  }

  private static func isAttributeStart(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
  }

  private static func attributeValue(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    var at = start
    if text[start] == UInt8(ascii: "\"") || text[start] == UInt8(ascii: "'") {
      at += 1
      while at < end, text[at] != text[start] { at += 1 }
      return at < end ? at + 1 : nil
    }
    // An unquoted value cannot contain " ' = < > ` or blanks.
    while at < end, text[at] > 0x20, ![0x22, 0x27, 0x3D, 0x3C, 0x3E, 0x60].contains(text[at]) { at += 1 }
    return at > start ? at : nil
  }
}

/// Finds bytes of a given kind in text, eight at a time.
///
/// Most rules search for syntax that begins with a byte that is rare in prose. Skipping the text between such bytes
/// costs a fraction of a nanosecond per byte.
public enum ByteSearch {
  /// Returns a byte repeated eight times.
  @inlinable @inline(__always)
  public static func all(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  /// Returns the high bit of every byte that is in a range of ASCII bytes. The result for a byte does not depend on its
  /// neighbors.
  @inlinable @inline(__always)
  public static func within(_ word: UInt64, _ range: ClosedRange<UInt8>) -> UInt64 {
    let low = word & all(0x7F)
    // Each sum is below 0x100, so no byte carries into the next byte.
    let notBelow = low &+ all(0x80 - range.lowerBound)
    let above = low &+ all(0x7F - range.upperBound)
    return notBelow & ~above & ~word & all(0x80)
  }

  /// Returns the high bit of every byte that equals a given ASCII byte.
  @inlinable @inline(__always)
  public static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
    let apart = word ^ all(byte)
    return ~((apart & all(0x7F)) &+ all(0x7F) | apart) & all(0x80)
  }

  /// Returns the index of the first matching byte at or after `start` and before `end`, or `end` if no byte matches.
  /// - Parameter matches: returns the high bits of the matching bytes in a word of eight bytes.
  @inlinable @inline(__always)
  public static func first(
    in bytes: Span<UInt8>, from start: Int, to end: Int, _ matches: (UInt64) -> UInt64
  ) -> Int {
    var at = start
    while at + 8 <= end {
      let found = matches(bytes.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian)
      if found != 0 { return at + found.trailingZeroBitCount / 8 }
      at += 8
    }
    guard at < end else { return end }
    // The bytes after the end are zeros, and a match in them does not count.
    var word: UInt64 = 0
    for index in at..<end { word |= UInt64(bytes[index]) << UInt64(8 * (index - at)) }
    let found = matches(word)
    return found == 0 ? end : min(end, at + found.trailingZeroBitCount / 8)
  }

  /// Returns the position of the first occurrence of the given bytes at or after `start` and completely before `end`;
  /// nil if they do not occur.
  public static func position(
    of sought: [UInt8], in text: Span<UInt8>, from start: Int, to end: Int
  ) -> Int? {
    guard sought.count > 1, end <= text.count else { return nil }
    let (one, two) = (sought[0], sought[1])
    let bytes = text.bytes
    var at = start
    while at + sought.count <= end {
      // Search for the first two bytes at eight positions at once.
      if at + 9 <= end {
        let pairs =
          equal(bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian, one)
          & equal(bytes.unsafeLoadUnaligned(fromByteOffset: at + 1, as: UInt64.self).littleEndian, two)
        if pairs == 0 {
          at += 8
          continue
        }
        at += pairs.trailingZeroBitCount / 8
        if at + sought.count > end { return nil }
      }
      if sought.indices.allSatisfy({ text[at + $0] == sought[$0] }) { return at }
      at += 1
    }
    return nil
  }

  /// Returns the index of the first digit at or after `start`, or the text's end.
  public static func digit(in bytes: Span<UInt8>, from start: Int) -> Int {
    first(in: bytes, from: start, to: bytes.count) { within($0, 0x30...0x39) }
  }
}
