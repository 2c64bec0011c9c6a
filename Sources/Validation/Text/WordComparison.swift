/// Compares words in UTF-8 bytes.
enum WordComparison {
  /// Whether a scalar is a letter or digit of any script.
  @inline(__always) static func isLetter(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar | 0x20 >= 0x61 && scalar | 0x20 <= 0x7A || scalar >= 0x30 && scalar <= 0x39 }
    return scalar >= 0xC0 && !(0x2000..<0x2C00).contains(scalar)
  }

  /// Whether the text has the ASCII word `word` at `at`, not immediately followed by a letter.
  static func stands(_ word: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, folding: Bool) -> Bool {
    guard at + word.count <= bytes.count else { return false }
    for (index, expected) in word.enumerated() {
      var byte = bytes[at + index]
      if folding, byte >= 0x41, byte <= 0x5A { byte |= 0x20 }
      if byte != expected { return false }
    }
    guard at + word.count < bytes.count, isLetter(UInt32(word[word.count - 1])) else { return true }
    return !isLetter(UTF8Reader.scalar(bytes, at + word.count).value)
  }
}
