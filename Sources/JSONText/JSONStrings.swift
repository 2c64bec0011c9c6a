#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The two directions of a JSON string: text to escaped bytes and back.
public enum JSONStrings {
  @inlinable
  static func hexValue(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte &- 0x30)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte &- 0x61 &+ 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte &- 0x41 &+ 10)
    default: nil
    }
  }

  /// Appends the text of a string token's inner bytes, escapes resolved, as UTF-8.
  ///
  /// The bytes must have passed the parser: escapes are not checked again.
  public static func unescape(_ inner: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) {
    guard let base = inner.baseAddress else { return }
    out.reserve(inner.count)
    var at = 0
    var run = 0
    while at < inner.count {
      // Most texts are long stretches without an escape; the C library looks for the next one fastest.
      guard let found = memchr(base + at, Int32(UInt8(ascii: "\\")), inner.count - at) else { break }
      at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      guard at + 1 < inner.count else { break }
      out.append(base + run, at - run)
      switch base[at + 1] {
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = unit(base, at, inner.count)
        if scalar & 0xFC00 == 0xD800 {
          let low = unit(base, at + 6, inner.count)
          scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (low & 0x3FF)
          at += 6
        }
        appendScalar(scalar, into: &out)
        at += 4
      default: out.append(base[at + 1])  // quote, backslash, slash
      }
      at += 2
      run = at
    }
    if run < inner.count { out.append(base + run, inner.count - run) }
  }

  private static func unit(_ base: UnsafePointer<UInt8>, _ at: Int, _ count: Int) -> UInt32 {
    guard at + 6 <= count else { return 0xFFFD }
    var value: UInt32 = 0
    for index in at + 2..<at + 6 { value = value << 4 | (hexValue(base[index]) ?? 0) }
    return value
  }

  private static func appendScalar(_ value: UInt32, into out: inout ByteBuffer) {
    let scalar = UnicodeScalar(value) ?? "\u{FFFD}"
    for byte in UTF8.encode(scalar).map({ $0 }) ?? UTF8.encodedReplacementCharacter { out.append(byte) }
  }
}

extension ByteBuffer {
  /// Appends `text` as a JSON string in quotes: the shortest escapes, non-ASCII as it is, `/` as it is.
  ///
  /// The bytes must be UTF-8.
  public mutating func appendJSONString(_ text: UnsafeBufferPointer<UInt8>) {
    reserve(text.count + 2)
    append(UInt8(ascii: "\""))
    if let base = text.baseAddress {
      var run = 0
      var at = 0
      let count = text.count
      while at < count {
        // Eight bytes at a time while nothing needs an escape.
        if at + 8 <= count {
          let word = UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self).littleEndian
          let special = JSONScanner.needsEscape(word)
          if special == 0 {
            at += 8
            continue
          }
          at += special.trailingZeroBitCount >> 3
        }
        let byte = base[at]
        if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
          at += 1
          continue
        }
        append(base + run, at - run)
        appendEscape(byte)
        at += 1
        run = at
      }
      append(base + run, count - run)
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends `text` as a JSON string in quotes.
  public mutating func appendJSONString(_ text: String) {
    var text = text
    text.withUTF8 { appendJSONString($0) }
  }

  /// Appends the escape of a quote, a backslash or a control character.
  mutating func appendEscape(_ byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0x22, 0x5C: append(byte)
    default:
      append("u00")
      append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let low = byte & 0x0F
      append(low < 10 ? 0x30 + low : 0x61 + low - 10)
    }
  }
}
