/// One line of Markdown, without its end, and what its first characters make of it.
struct MarkdownLine {
  /// The line's bytes in the text.
  let range: Range<Int>
  /// The first byte that is no blank.
  let first: Int
  /// Behind the last byte that is no blank.
  let last: Int
  /// Columns of blanks before the first byte; a tab fills up to the next multiple of four.
  let indent: Int
  private let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
    var first = range.lowerBound
    var indent = 0
    while first < range.upperBound, Self.isBlank(bytes[first]) {
      indent += bytes[first] == 0x09 ? 4 - indent % 4 : 1
      first += 1
    }
    var last = range.upperBound
    while last > first, Self.isBlank(bytes[last - 1]) || bytes[last - 1] == 0x0D { last -= 1 }
    self.first = first
    self.last = last
    self.indent = indent
  }

  @inline(__always) static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  var isBlank: Bool { first >= last }

  /// Whether it is `---` and nothing else.
  var isDashes: Bool { last - range.lowerBound == 3 && bytes[range.lowerBound..<last].allSatisfy { $0 == 0x2D } }

  /// How many times the byte at `start` stands there.
  func run(from start: Int) -> Int {
    var end = start
    while end < range.upperBound, bytes[end] == bytes[start] { end += 1 }
    return end - start
  }

  /// The mark and length of an opening fence.
  var fence: (mark: UInt8, length: Int)? {
    let mark = bytes[first]
    guard mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else { return nil }
    let length = run(from: first)
    guard length >= 3 else { return nil }
    // Backticks behind backticks are code inside a line.
    if mark == UInt8(ascii: "`"), bytes[first + length..<range.upperBound].contains(mark) { return nil }
    return (mark, length)
  }

  /// Whether the line closes a fence.
  func closes(_ mark: UInt8, _ length: Int) -> Bool {
    guard bytes[first] == mark else { return false }
    let own = run(from: first)
    return own >= length && first + own == last
  }

  /// The level of the heading that the line underlines: `==` 1, `---` 2.
  var underline: Int? {
    let mark = bytes[first]
    guard mark == UInt8(ascii: "=") || mark == UInt8(ascii: "-"), first + run(from: first) == last else { return nil }
    if mark == UInt8(ascii: "=") { return last - first >= 2 ? 1 : nil }
    return last - first >= 3 ? 2 : nil
  }

  /// Whether it is the line of dashes under a table's head.
  var isTableRule: Bool {
    var dashes = 0
    var bars = 0
    for byte in bytes[first..<last] {
      switch byte {
      case UInt8(ascii: "-"): dashes += 1
      case UInt8(ascii: "|"): bars += 1
      case UInt8(ascii: ":"), 0x20, 0x09: break
      default: return false
      }
    }
    return dashes > 0 && bars > 0
  }

  /// Where the content of a list item begins; nil when the line is none.
  var item: (content: Int, isOrdered: Bool)? {
    var end = first
    switch bytes[first] {
    case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"): end += 1
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      while end < last, bytes[end] &- 0x30 < 10 { end += 1 }
      guard end < last, end - first < 10, bytes[end] == UInt8(ascii: ".") || bytes[end] == UInt8(ascii: ")") else {
        return nil
      }
      end += 1
    default: return nil
    }
    guard end < last, Self.isBlank(bytes[end]) else { return nil }
    while end < last, Self.isBlank(bytes[end]) { end += 1 }
    return (end, bytes[first] &- 0x30 < 10)
  }

  /// The box of a task, `[ ]` or `[x]`.
  func box(at start: Int) -> Range<Int>? {
    guard start + 3 <= last, bytes[start] == UInt8(ascii: "["), bytes[start + 2] == UInt8(ascii: "]"),
      start + 3 == last || Self.isBlank(bytes[start + 3])
    else { return nil }
    let mark = bytes[start + 1]
    return mark == 0x20 || mark | 0x20 == UInt8(ascii: "x") ? start..<start + 3 : nil
  }
}
