/// Checks the formats `ipv4` and `ipv6`.
/// - Source: RFC 2673, section 3.2; RFC 4291, section 2.2.
enum AddressFormats {
  /// Returns whether a text is four numbers from 0 to 255 without leading zeros.
  static func isIPv4(_ text: UnsafeBufferPointer<UInt8>) -> Bool { isIPv4(text, leadingZeros: false) }

  /// Returns whether a text is four numbers from 0 to 255 of at most three digits. Mail addresses (RFC 5321) may have
  /// leading zeros.
  static func isIPv4(_ text: UnsafeBufferPointer<UInt8>, leadingZeros: Bool) -> Bool {
    var cursor = FormatCursor(text)
    for index in 0..<4 {
      if index > 0, !cursor.accept(".") { return false }
      let start = cursor.position
      var number = 0
      while let byte = cursor.peek, byte.isDigit, cursor.position - start < 3 {
        number = number * 10 + Int(byte & 15)
        cursor.position += 1
      }
      let count = cursor.position - start
      guard count > 0, number <= 255 else { return false }
      if !leadingZeros, count > 1, text[start] == UInt8(ascii: "0") { return false }
    }
    return cursor.isAtEnd
  }

  /// Returns whether a text is eight groups of up to four hexadecimal digits. `::` may replace some groups, and an IPv4
  /// address may replace the last two.
  static func isIPv6(_ text: UnsafeBufferPointer<UInt8>) -> Bool { isIPv6(text, mail: false) }

  /// Returns whether a text is an IPv6 address, with the rules of mail addresses (RFC 5321) if `mail` is true: `::`
  /// replaces at least two groups, and IPv4 addresses may have leading zeros.
  static func isIPv6(_ text: UnsafeBufferPointer<UInt8>, mail: Bool) -> Bool {
    var cursor = FormatCursor(text)
    var groups = 0
    var isCompressed = false
    if cursor.accept(":") {
      guard cursor.accept(":") else { return false }
      isCompressed = true
    }
    while !cursor.isAtEnd {
      let start = cursor.position
      let count = cursor.skip(while: \.isHexDigit)
      if cursor.peek == UInt8(ascii: ".") {
        guard isIPv4(text.part(start..<text.count), leadingZeros: mail) else { return false }
        groups += 2
        break
      }
      guard (1...4).contains(count) else { return false }
      groups += 1
      if cursor.isAtEnd { break }
      guard cursor.accept(":") else { return false }
      if cursor.accept(":") {
        if isCompressed { return false }
        isCompressed = true
      } else if cursor.isAtEnd {
        return false
      }
    }
    return isCompressed ? groups <= (mail ? 6 : 7) : groups == 8
  }
}
