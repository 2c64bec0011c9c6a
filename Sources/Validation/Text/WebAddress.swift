/// Classifies the target of a link.
package enum WebAddress {
  /// Whether the bytes begin with a scheme, such as `https:`, `mailto:` or `app:`.
  package static func begins(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    var at = range.lowerBound
    while at < range.upperBound, at - range.lowerBound < 20, isSchemePart(bytes[at]) { at += 1 }
    // A single letter is a drive, not a scheme.
    return at < range.upperBound && bytes[at] == UInt8(ascii: ":") && at - range.lowerBound > 1
      && bytes[range.lowerBound] > 0x40
  }

  /// Whether the bytes begin with `prefix`, ignoring case.
  static func begins(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, with prefix: StaticString) -> Bool {
    let count = prefix.utf8CodeUnitCount
    guard range.count >= count else { return false }
    return prefix.withUTF8Buffer { expected in
      for index in 0..<count {
        var byte = bytes[range.lowerBound + index]
        if byte >= 0x41, byte <= 0x5A { byte |= 0x20 }
        if byte != expected[index] { return false }
      }
      return true
    }
  }

  /// Whether the target is a web address.
  package static func isWeb(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    begins(bytes, range, with: "http://") || begins(bytes, range, with: "https://") || begins(bytes, range, with: "//")
  }

  private static func isSchemePart(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte &- 0x30 < 10
      || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
