import JSONText

/// An id as 128 bits, for those who handle too many of them to make a text of each.
package struct UUIDBits: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the text of an id, in capitals or small letters; nil when it is none.
  package init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard UUIDText.form(of: text) != .none else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in text.enumerated() where byte != UInt8(ascii: "-") {
      let digit = UInt64(byte < 0x40 ? byte &- 0x30 : (byte | 0x20) &- 0x61 &+ 10)
      if index < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
    }
    self.init(high: high, low: low)
  }

  /// The name-based id (version 5) that begins with a SHA-1.
  init(version5 digest: Digest.SHA1) {
    high = digest.0.bigEndian & 0xFFFF_FFFF_FFFF_0FFF | 0x5000
    low = digest.1.bigEndian & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// As the app writes it: capitals, 36 characters.
  package var text: String {
    String(unsafeUninitializedCapacity: 36) { write(into: UnsafeMutableRawBufferPointer($0)) }
  }

  /// The 16 bytes, the first one first.
  var bytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
  }

  /// Writes the text.
  /// - Parameter out: has room for 36 bytes.
  /// - Returns: 36.
  fileprivate func write(into out: UnsafeMutableRawBufferPointer) -> Int {
    var at = 0
    var rest = high
    for digit in 0..<32 {
      if digit == 16 { rest = low }
      if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
        out[at] = UInt8(ascii: "-")
        at += 1
      }
      let value = UInt8(truncatingIfNeeded: rest >> 60)
      out[at] = value < 10 ? 0x30 + value : 0x37 + value
      rest <<= 4
      at += 1
    }
    return at
  }
}

extension ByteBuffer {
  /// Appends an id as the app writes it, without quotes.
  package mutating func append(_ id: UUIDBits) {
    append(room: 36) { (out: UnsafeMutableRawBufferPointer) throws(Never) -> Int in id.write(into: out) }
  }
}
