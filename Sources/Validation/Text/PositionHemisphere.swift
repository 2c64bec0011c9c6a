/// The letters that say which half of the earth a position is on.
enum PositionHemisphere {
  private static let names: [[UInt8]] = [
    "N", "S", "E", "W", "с. ш.", "ю. ш.", "в. д.", "з. д.", "с.ш.", "ю.ш.", "в.д.", "з.д.",
  ]
  .map { Array($0.utf8) }

  /// A position's range with the letter before its first number, or else the one behind its last.
  static func widened(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    var start = range.lowerBound
    while start > 0, range.lowerBound - start < 2, bytes[start - 1] == 0x20 { start -= 1 }
    for name in names where name.count == 1 && start > 0 && bytes[start - 1] == name[0] {
      if start == 1 || !isLetter(bytes[start - 2]) { return start - 1..<range.upperBound }
    }
    var end = range.upperBound
    while end < bytes.count, end - range.upperBound < 2, bytes[end] == 0x20 { end += 1 }
    for name in names where bytes[end...].starts(with: name) {
      let behind = end + name.count
      if behind == bytes.count || name.count > 1 || !isLetter(bytes[behind]) { return range.lowerBound..<behind }
    }
    return range
  }

  /// Whether a byte belongs to a word; all that is not ASCII may.
  private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x80 }
}
