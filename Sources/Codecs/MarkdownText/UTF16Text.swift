/// Recognises and converts UTF-16.
package enum UTF16Text {
  /// Converts the bytes behind `start`.
  /// - Returns: nil when a byte is left over, a surrogate stands alone, or zeros stand among the letters.
  package static func decode(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isLittleEndian: Bool) -> [UInt8]? {
    guard (bytes.count - start).isMultiple(of: 2) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = start
    var zeros = 0
    while at < bytes.count {
      let unit = unit(bytes, at, isLittleEndian)
      at += 2
      if unit == 0 { zeros += 1 }
      guard unit & 0xF800 == 0xD800 else {
        append(UInt32(unit), to: &out)
        continue
      }
      guard unit < 0xDC00, at < bytes.count else { return nil }
      let low = Self.unit(bytes, at, isLittleEndian)
      guard low & 0xFC00 == 0xDC00 else { return nil }
      append(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF)), to: &out)
      at += 2
    }
    return zeros * 10 > bytes.count / 2 ? nil : out
  }

  /// Whether bytes without a byte order mark are text of European scripts in one byte order and rubbish in the other.
  static func recognise(_ bytes: UnsafeBufferPointer<UInt8>) -> (isLittleEndian: Bool, certainty: Int)? {
    guard bytes.count >= 4, bytes.count.isMultiple(of: 2) else { return nil }
    var plausible = (little: 0, big: 0)
    // A few thousand letters say enough.
    let looked = min(bytes.count, 16384)
    for at in stride(from: 0, to: looked, by: 2) {
      if isPlausible(unit(bytes, at, true)) { plausible.little += 1 }
      if isPlausible(unit(bytes, at, false)) { plausible.big += 1 }
    }
    let isLittle = plausible.little >= plausible.big
    let (better, other) = isLittle ? (plausible.little, plausible.big) : (plausible.big, plausible.little)
    let all = looked / 2
    guard better * 10 >= all * 9, other * 2 < better else { return nil }
    return (isLittle, min(99, (better - other) * 100 / all))
  }

  private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, _ isLittleEndian: Bool) -> UInt16 {
    let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
    return isLittleEndian ? second << 8 | first : first << 8 | second
  }

  /// Letters of European scripts, their punctuation, and surrogates, which emoji need.
  private static func isPlausible(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x24F, 0x370...0x52F, 0x2010...0x2122, 0x2500...0x27BF,
      0xD800...0xDFFF:
      true
    default: false
    }
  }

  /// Appends a Unicode scalar as UTF-8.
  static func append(_ scalar: UInt32, to out: inout [UInt8]) {
    switch scalar {
    case 0..<0x80: out.append(UInt8(scalar))
    case 0x80..<0x800:
      out.append(UInt8(0xC0 | scalar >> 6))
      out.append(UInt8(0x80 | scalar & 0x3F))
    case 0x800..<0x10000:
      out.append(UInt8(0xE0 | scalar >> 12))
      out.append(UInt8(0x80 | scalar >> 6 & 0x3F))
      out.append(UInt8(0x80 | scalar & 0x3F))
    default:
      out.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      out.append(UInt8(0x80 | scalar >> 12 & 0x3F))
      out.append(UInt8(0x80 | scalar >> 6 & 0x3F))
      out.append(UInt8(0x80 | scalar & 0x3F))
    }
  }
}
