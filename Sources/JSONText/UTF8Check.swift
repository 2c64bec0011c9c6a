/// Checks UTF-8 as Unicode defines it: shortest forms only, no surrogates, nothing above U+10FFFF.
public enum UTF8Check {
  /// Length in bytes of the non-ASCII character at `bytes`; 0 when it is none.
  @inlinable
  public static func sequenceLength(_ bytes: UnsafePointer<UInt8>, available: Int) -> Int {
    let lead = bytes[0]
    @inline(__always) func isTail(_ index: Int) -> Bool { bytes[index] & 0xC0 == 0x80 }
    switch lead {
    case 0xC2...0xDF:
      return available >= 2 && isTail(1) ? 2 : 0
    case 0xE0...0xEF:
      guard available >= 3, isTail(1), isTail(2) else { return 0 }
      if lead == 0xE0, bytes[1] < 0xA0 { return 0 }
      if lead == 0xED, bytes[1] > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard available >= 4, isTail(1), isTail(2), isTail(3) else { return 0 }
      if lead == 0xF0, bytes[1] < 0x90 { return 0 }
      if lead == 0xF4, bytes[1] > 0x8F { return 0 }
      return 4
    default:
      return 0
    }
  }

  /// Offset of the first byte that is not UTF-8, or nil when all of it is.
  public static func firstInvalid(in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = text.baseAddress else { return nil }
    var at = 0
    while at < text.count {
      if at + 8 <= text.count {
        let word = UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self)
        if word & 0x8080_8080_8080_8080 == 0 {
          at += 8
          continue
        }
      }
      if base[at] < 0x80 {
        at += 1
        continue
      }
      let length = sequenceLength(base + at, available: text.count - at)
      if length == 0 { return at }
      at += length
    }
    return nil
  }
}
