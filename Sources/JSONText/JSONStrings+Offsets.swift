extension JSONStrings {
  /// Where a byte of a string's text stands in the string as it was written.
  ///
  /// - Parameter offset: byte offset in the text, escapes resolved.
  /// - Returns: byte offset in `inner`, the bytes between the quotes; the start of the escape that made the byte.
  public static func writtenOffset(ofTextOffset offset: Int, in inner: UnsafeBufferPointer<UInt8>) -> Int {
    var offsets = WrittenOffsets()
    return offsets.written(offset, in: inner)
  }

  /// How long the byte or the escape at `at` is, and how many bytes of UTF-8 it makes.
  static func step(_ inner: UnsafeBufferPointer<UInt8>, _ at: Int) -> (written: Int, made: Int) {
    guard inner[at] == UInt8(ascii: "\\"), at + 1 < inner.count else { return (1, 1) }
    return inner[at + 1] == UInt8(ascii: "u") ? unicodeEscape(inner, at) : (2, 1)
  }

  /// How long a `\u` escape (or a pair of them) is, and how many bytes of UTF-8 it makes.
  private static func unicodeEscape(_ inner: UnsafeBufferPointer<UInt8>, _ at: Int) -> (written: Int, made: Int) {
    guard at + 6 <= inner.count else { return (inner.count - at, 1) }
    var unit: UInt32 = 0
    for index in at + 2..<at + 6 { unit = unit << 4 | (hexValue(inner[index]) ?? 0) }
    switch unit {
    case 0..<0x80: return (6, 1)
    case 0x80..<0x800: return (6, 2)
    case 0xD800..<0xDC00: return (12, 4)
    default: return (6, 3)
    }
  }
}
