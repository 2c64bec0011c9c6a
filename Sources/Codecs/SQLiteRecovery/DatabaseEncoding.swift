/// The text encoding of a database.
/// - Source: https://sqlite.org/fileformat2.html, section 1.3.13
package enum DatabaseEncoding: UInt8, Sendable {
  case utf8 = 1
  case utf16LittleEndian = 2
  case utf16BigEndian = 3

  /// Converts text to UTF-8.
  ///
  /// UTF-8 is copied unchanged, valid or not. A lone surrogate in UTF-16 becomes three bytes, as SQLite writes it. An
  /// odd byte at the end becomes U+FFFD.
  func utf8(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    if self == .utf8 { return Array(bytes) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var high: UInt32?
    var iterator = bytes.makeIterator()
    while let first = iterator.next() {
      guard let second = iterator.next() else {
        if let pending = high { Self.append(pending, to: &result) }
        Self.append(0xFFFD, to: &result)
        return result
      }
      let unit =
        self == .utf16LittleEndian ? UInt32(second) << 8 | UInt32(first) : UInt32(first) << 8 | UInt32(second)
      if let pending = high {
        high = nil
        if unit & 0xFC00 == 0xDC00 {
          Self.append(0x10000 + (pending & 0x3FF) << 10 + (unit & 0x3FF), to: &result)
          continue
        }
        Self.append(pending, to: &result)
      }
      if unit & 0xFC00 == 0xD800 { high = unit } else { Self.append(unit, to: &result) }
    }
    if let pending = high { Self.append(pending, to: &result) }
    return result
  }

  private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    switch scalar {
    case ..<0x80: bytes.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800:
      bytes.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    case ..<0x10000:
      bytes.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    default:
      bytes.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    }
  }
}
