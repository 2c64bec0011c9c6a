/// Finds the tags before or after the text of a card: `#lights`.
///
/// A tag consists of letters, digits, `_`, `-` and `/`, and has at least one letter. Every character beyond ASCII
/// counts as a letter.
enum CardTags {
  /// Returns the tags at the end of a line, in order and without `#`, and the text before the tags.
  static func atEnd(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>
  ) -> (tags: [Range<Int>], rest: Range<Int>) {
    var tags: [Range<Int>] = []
    var end = line.upperBound
    while true {
      while end > line.lowerBound, DeckLine.isBlank(bytes[end - 1]) { end -= 1 }
      var at = end
      var hasLetter = false
      while at > line.lowerBound, isPart(bytes[at - 1]) {
        at -= 1
        hasLetter = hasLetter || isLetter(bytes[at])
      }
      guard hasLetter, at > line.lowerBound, bytes[at - 1] == 0x23,
        at - 1 == line.lowerBound || DeckLine.isBlank(bytes[at - 2])
      else { break }
      tags.append(at..<end)
      end = at - 1
    }
    return (tags.reversed(), line.lowerBound..<end)
  }

  /// Returns the tags at the beginning of a line, where plugins put deck names, and the text after the tags.
  static func atStart(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>
  ) -> (tags: [Range<Int>], rest: Range<Int>) {
    var tags: [Range<Int>] = []
    var start = line.lowerBound
    while start < line.upperBound, bytes[start] == 0x23 {
      var at = start + 1
      var hasLetter = false
      while at < line.upperBound, isPart(bytes[at]) {
        hasLetter = hasLetter || isLetter(bytes[at])
        at += 1
      }
      guard hasLetter, at < line.upperBound, DeckLine.isBlank(bytes[at]) else { break }
      tags.append(start + 1..<at)
      while at < line.upperBound, DeckLine.isBlank(bytes[at]) { at += 1 }
      start = at
    }
    return (tags, start..<line.upperBound)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2D || byte == 0x2F
  }
}
