/// Reads Unicode scalars out of UTF-8 bytes, one at a time.
enum UTF8Reader {
  /// The scalar that begins at `at` and its length in bytes. Bytes that are no UTF-8 read as U+FFFD of one byte.
  @inline(__always) static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> (value: UInt32, length: Int) {
    let first = bytes[at]
    if first < 0x80 { return (UInt32(first), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first < 0xF5, at + length <= bytes.count else { return (0xFFFD, 1) }
    var value = UInt32(first) & (0xFF >> UInt32(length + 1))
    for offset in 1..<length {
      let next = bytes[at + offset]
      guard next & 0xC0 == 0x80 else { return (0xFFFD, 1) }
      value = value << 6 | UInt32(next & 0x3F)
    }
    return (value, length)
  }

  /// Where the scalar that ends before `at` begins; `at` itself at the start.
  @inline(__always) static func before(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
    var start = at
    while start > 0 {
      start -= 1
      if bytes[start] & 0xC0 != 0x80 || at - start >= 4 { break }
    }
    return start
  }

  /// The text of some bytes.
  static func string(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  /// The name that Unicode's charts use, `U+202E`.
  static func name(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
