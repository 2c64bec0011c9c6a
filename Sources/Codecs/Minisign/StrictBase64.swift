/// Base64 with padding and exactly one text for each value: no blanks and no unused bits that are set.
///
/// - Source: RFC 4648, sections 4 and 3.5
enum StrictBase64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes bytes.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var word: UInt32 = 0
      for byte in group { word = word << 8 | UInt32(byte) }
      word <<= 8 * UInt32(3 - group.count)
      for place in 0..<4 {
        let digit = digits[Int(word >> UInt32(18 - 6 * place) & 63)]
        text.append(place <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return text
  }

  /// Decodes a text. Returns nil if it is not the exact encoding of any bytes.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var word: UInt32 = 0
    var count = 0
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    for byte in text.dropLast(padding) {
      guard let value = value(of: byte) else { return nil }
      word = word << 6 | value
      count += 1
      if count % 4 == 0 {
        bytes += [
          UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word),
        ]
        word = 0
      }
    }
    switch padding {
    case 1:
      guard word & 3 == 0 else { return nil }
      bytes += [UInt8(truncatingIfNeeded: word >> 10), UInt8(truncatingIfNeeded: word >> 2)]
    case 2:
      guard word & 15 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: word >> 4))
    default: break
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - 65)
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - 71)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit + 4)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
