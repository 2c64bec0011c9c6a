/// Reads code points in UTF-8, forwards and backwards. No bytes outside the text are read, even if the text is invalid.
enum UTF8Scalar {
  /// Returns the first byte of a code point's UTF-8.
  static func leadByte(of scalar: UInt32) -> UInt8 {
    switch scalar {
    case ..<0x80: UInt8(scalar)
    case ..<0x800: UInt8(0xC0 | scalar >> 6)
    case ..<0x10000: UInt8(0xE0 | scalar >> 12)
    default: UInt8(0xF0 | (scalar >> 18) & 7)
    }
  }

  /// Reads the code point at `position`, which must be before `end`, and returns it with the position of the next code
  /// point.
  @inline(__always) static func decode(
    _ text: UnsafePointer<UInt8>, _ position: Int, end: Int
  ) -> (scalar: UInt32, next: Int) {
    let first = UInt32(text[position])
    if first < 0x80 { return (first, position + 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    // A text that is not UTF-8 violates the caller's contract, but must still not be read beyond its end.
    guard position + length <= end else { return (first, position + 1) }
    var scalar = first & (0x7F >> UInt32(length))
    for index in 1..<length { scalar = scalar << 6 | UInt32(text[position + index]) & 0x3F }
    return (scalar, position + length)
  }

  /// Returns the start of the code point that ends at `position`, which must be greater than 0.
  @inline(__always) static func previous(_ text: UnsafePointer<UInt8>, _ position: Int) -> Int {
    var start = position - 1
    while start > 0, position - start < 4, text[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }
}
