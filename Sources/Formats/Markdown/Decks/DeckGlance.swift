import Foundation

/// A quick look at a body that settles most guides: whether anything in it could be a card.
///
/// It looks at colons and at the ends of lines only, so it costs a fraction of splitting the body into lines. It never
/// says no to what would be at least 40 % sure.
enum DeckGlance {
  /// Whether a body needs a closer look.
  static func mayHoldCards(_ text: UnsafeBufferPointer<UInt8>, _ body: Range<Int>) -> Bool {
    hasColons(text, body) || hasMarks(text, body)
  }

  /// Two colons in a row.
  private static func hasColons(_ text: UnsafeBufferPointer<UInt8>, _ body: Range<Int>) -> Bool {
    var at = body.lowerBound
    while let colon = next(0x3A, text, at..<body.upperBound) {
      if colon + 1 < body.upperBound, text[colon + 1] == 0x3A { return true }
      at = colon + 1
    }
    return false
  }

  /// A line that begins like a question, a line of `?`, or headings that may be cards.
  private static func hasMarks(_ text: UnsafeBufferPointer<UInt8>, _ body: Range<Int>) -> Bool {
    var headings = 0
    var asking = 0
    var at = body.lowerBound
    while at < body.upperBound {
      let end = next(0x0A, text, at..<body.upperBound) ?? body.upperBound
      // A line that CR ends hides others behind it.
      if end - at > 0, next(0x0D, text, at..<max(at, end - 1)) != nil { return true }
      let line = at..<end
      at = end + 1
      guard let first = text[line].firstIndex(where: { !DeckLine.isBlank($0) }) else { continue }
      switch text[first] {
      case 0x3F: return true
      case 0x23:
        headings += 1
        if text[line].last(where: { $0 != 0x23 && $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) == 0x3F { asking += 1 }
        if beginsQuestion(text, first..<end) { return true }
      default:
        if beginsQuestion(text, first..<end) { return true }
      }
    }
    return headings >= 3 && (asking >= 2 || body.count <= headings * 400)
  }

  /// Whether the first letter of a line is that of a question: `Q`, `В`, in any case.
  private static func beginsQuestion(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
    for (index, byte) in text[line].enumerated() {
      switch byte {
      case 0x51, 0x71: return true
      case 0xD0:
        let at = line.lowerBound + index + 1
        guard at < line.upperBound, text[at] == 0x92 || text[at] == 0xB2 else { return false }
        return UnsafeBufferPointer(rebasing: text[at..<line.upperBound]).prefix(64).contains {
          $0 == 0x3A || $0 == 0x2E
        }
      case 0x20, 0x09, 0x23, 0x2A, 0x2B, 0x2D, 0x2E, 0x29, 0x5F, 0x30...0x39: continue
      default: return false
      }
    }
    return false
  }

  private static func next(_ byte: UInt8, _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, let base = text.baseAddress,
      let found = memchr(base + range.lowerBound, Int32(byte), range.count)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
