import Content

/// Parses a date and time in a parameter: strictly RFC 3339.
enum WireDate {
  /// Parses a string like `2026-01-05T10:11:12Z`, optionally with a fraction or an offset.
  static func parse(_ text: String) -> Timestamp? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.count <= 40 else { return nil }
    func digits(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[range] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    guard digits(0..<4) != nil, bytes[4] == UInt8(ascii: "-"), digits(5..<7) != nil, bytes[7] == UInt8(ascii: "-"),
      digits(8..<10) != nil, bytes[10] | 0x20 == UInt8(ascii: "t"), let hour = digits(11..<13), hour < 24,
      bytes[13] == UInt8(ascii: ":"), let minute = digits(14..<16), minute < 60, bytes[16] == UInt8(ascii: ":"),
      let second = digits(17..<19), second <= 60
    else { return nil }
    var at = 19
    if bytes[at] == UInt8(ascii: ".") {
      at += 1
      let start = at
      while at < bytes.count, bytes[at] >= 0x30, bytes[at] <= 0x39 { at += 1 }
      guard at > start, at < bytes.count else { return nil }
    }
    if bytes[at] | 0x20 == UInt8(ascii: "z") {
      guard at + 1 == bytes.count else { return nil }
    } else {
      guard bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-"), at + 6 == bytes.count,
        let hours = digits(at + 1..<at + 3), hours < 24, bytes[at + 3] == UInt8(ascii: ":"),
        let minutes = digits(at + 4..<at + 6), minutes < 60
      else { return nil }
    }
    // The app's parser accepts only upper case and no leap second, which is read as the preceding second.
    var plain = bytes
    if second == 60 { plain.replaceSubrange(17..<19, with: Array("59".utf8)) }
    guard let (time, quirks) = Timestamp.parse(String(decoding: plain, as: UTF8.self).uppercased()),
      !quirks.contains(.rollsOver)
    else { return nil }
    return time
  }
}
