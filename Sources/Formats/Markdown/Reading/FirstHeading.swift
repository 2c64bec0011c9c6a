/// Finds the first heading of a guide: that is its title where the front matter has none.
enum FirstHeading {
  /// The heading's text without marks; nil when there is none. Headings in fences are code.
  static func find(_ text: UnsafeBufferPointer<UInt8>, in body: Range<Int>) -> Range<Int>? {
    var fence: (mark: UInt8, length: Int)?
    var before: Range<Int>?
    var at = body.lowerBound
    while at < body.upperBound {
      var end = at
      while end < body.upperBound, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
      let line = trimmed(text, at..<end)
      let indent = line.lowerBound - at
      at = end + 1
      guard !line.isEmpty, indent < 4 else {
        before = nil
        continue
      }
      let mark = text[line.lowerBound]
      let run = run(text, line)
      if let open = fence {
        if mark == open.mark, run >= open.length, run == line.count { fence = nil }
        continue
      }
      if run >= 3, mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") {
        fence = (mark, run)
        before = nil
      } else if mark == UInt8(ascii: "#"), run <= 6, run < line.count, isBlank(text[line.lowerBound + run]) {
        let found = withoutClosing(text, trimmed(text, line.lowerBound + run..<line.upperBound))
        if !found.isEmpty { return HeadingNotation.withoutBold(text, found) }
      } else if let before, run == line.count, mark == UInt8(ascii: "=") || mark == UInt8(ascii: "-") && run >= 2 {
        return before
      } else {
        // Two lines of text above the line are a heading as well, whose first line nobody would call a title.
        before = before == nil && run < line.count && !beginsBlock(mark) ? line : nil
      }
    }
    return nil
  }

  private static func beginsBlock(_ mark: UInt8) -> Bool {
    mark == UInt8(ascii: ">") || mark == UInt8(ascii: "-") || mark == UInt8(ascii: "*") || mark == UInt8(ascii: "+")
      || mark == UInt8(ascii: "|") || mark == UInt8(ascii: "<")
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func trimmed(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (first, last) = (range.lowerBound, range.upperBound)
    while first < last, isBlank(text[first]) { first += 1 }
    while last > first, isBlank(text[last - 1]) { last -= 1 }
    return first..<last
  }

  private static func run(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Int {
    var end = line.lowerBound
    while end < line.upperBound, text[end] == text[line.lowerBound] { end += 1 }
    return end - line.lowerBound
  }

  private static func withoutClosing(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound, text[end - 1] == UInt8(ascii: "#") { end -= 1 }
    guard end < range.upperBound, end == range.lowerBound || isBlank(text[end - 1]) else { return range }
    return trimmed(text, range.lowerBound..<end)
  }
}
