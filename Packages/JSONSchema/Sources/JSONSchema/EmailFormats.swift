import JSONText

/// Checks the formats `email` and `idn-email`.
/// - Source: RFC 5321, sections 4.1.2 and 4.5.3.1; RFC 6531, section 3.3.
enum EmailFormats {
  /// Returns whether `text` is a mailbox: a local part, `@`, and a domain or address literal.
  ///
  /// If `international` is true, the local part may have any characters beyond ASCII, and the domain may have labels
  /// beyond ASCII as people write them: capital letters and decomposed accents are valid.
  static func isMailbox(_ text: Span<UInt8>, international: Bool) -> Bool {
    text.read { cursor in
      let isLocalPart =
        cursor.peek == UInt8(ascii: "\"")
        ? quotedString(&cursor, international: international) : dotString(&cursor, international: international)
      guard isLocalPart, cursor.position <= 64, cursor.accept("@") else { return false }
      let domain = text.extracting(droppingFirst: cursor.position)
      return domain.first == UInt8(ascii: "[")
        ? isAddressLiteral(domain) : isDomain(domain, international: international)
    }
  }

  private static func dotString(_ cursor: inout FormatCursor, international: Bool) -> Bool {
    repeat {
      let count = cursor.skip { byte in
        byte.isAlphanumeric || byte.isOne(of: "!#$%&'*+-/=?^_`{|}~") || (international && byte >= 0x80)
      }
      if count == 0 { return false }
    } while cursor.accept(".")
    return true
  }

  private static func quotedString(_ cursor: inout FormatCursor, international: Bool) -> Bool {
    guard cursor.accept("\"") else { return false }
    while let byte = cursor.peek {
      cursor.position += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard cursor.accept(where: { 0x20...0x7E ~= $0 }) else { return false }
      case 0x20...0x7E: break
      default: if !international || byte < 0x80 { return false }
      }
    }
    return false
  }

  private static func isDomain(_ text: Span<UInt8>, international: Bool) -> Bool {
    let isASCII = text.allSatisfy { $0 < 0x80 }
    // RFC 5321 counts octets. For labels beyond ASCII, it counts the octets of the ASCII form, which has at least a
    // quarter of the octets of the UTF-8 form.
    guard text.count <= (isASCII ? 255 : 4 * 255) else { return false }
    func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.isAlphanumeric || (international && byte >= 0x80) }
    let areLabels = text.read { cursor in
      repeat {
        let start = cursor.position
        let count = cursor.skip { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        guard count > 0, isLetterOrDigit(text[start]), isLetterOrDigit(text[start + count - 1]) else { return false }
        // RFC 1035 limits labels to 63 octets.
        if isASCII, count > 63 { return false }
      } while cursor.accept(".")
      return cursor.isAtEnd
    }
    if isASCII || !areLabels { return areLabels }
    return HostnameFormats.areLabels(String(decoding: text).split(separator: ".").map(InternationalLabel.mapped))
  }

  private static func isAddressLiteral(_ text: Span<UInt8>) -> Bool {
    guard text.count >= 2, text[text.count - 1] == UInt8(ascii: "]") else { return false }
    let inner = text.extracting(1..<text.count - 1)
    return inner.read { cursor in
      // `IPv6` is the only tag that IANA has registered. Case is ignored, as in all ABNF strings.
      if cursor.accept("I") || cursor.accept("i"), cursor.accept("P") || cursor.accept("p"),
        cursor.accept("v") || cursor.accept("V"), cursor.accept("6"), cursor.accept(":")
      {
        return AddressFormats.isIPv6(inner.extracting(droppingFirst: cursor.position), mail: true)
      }
      return AddressFormats.isIPv4(inner, leadingZeros: true)
    }
  }
}

/// Checks the formats `ipv4` and `ipv6`.
/// - Source: RFC 2673, section 3.2; RFC 4291, section 2.2.
enum AddressFormats {
  /// Returns whether `text` is four numbers from 0 to 255 without leading zeros.
  static func isIPv4(_ text: Span<UInt8>) -> Bool { isIPv4(text, leadingZeros: false) }

  /// Returns whether `text` is four numbers from 0 to 255 of at most three digits. Mail addresses (RFC 5321) may have
  /// leading zeros.
  static func isIPv4(_ text: Span<UInt8>, leadingZeros: Bool) -> Bool {
    text.read { cursor in
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
  }

  /// Returns whether `text` is eight groups of up to four hexadecimal digits. `::` may replace some groups, and an IPv4
  /// address may replace the last two.
  static func isIPv6(_ text: Span<UInt8>) -> Bool { isIPv6(text, mail: false) }

  /// Returns whether `text` is an IPv6 address, with the rules of mail addresses (RFC 5321) if `mail` is true: `::`
  /// replaces at least two groups, and IPv4 addresses may have leading zeros.
  static func isIPv6(_ text: Span<UInt8>, mail: Bool) -> Bool {
    text.read { cursor in
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
          guard isIPv4(text.extracting(droppingFirst: start), leadingZeros: mail) else { return false }
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
}
