/// Checks the formats `uri`, `uri-reference`, `iri` and `iri-reference`.
/// - Source: RFC 3986, appendix A; RFC 3987, section 2.2.
enum URIFormats {
  /// Returns whether `text` is a URI, or an IRI if `international` is true. If `relative` is true, the text may also be
  /// a reference, which needs no scheme.
  static func isURI(_ text: Span<UInt8>, international: Bool, relative: Bool) -> Bool {
    text.read { cursor in
      let hasScheme = scheme(&cursor)
      if !hasScheme {
        guard relative else { return false }
        cursor.position = 0
      }
      var hasAuthority = false
      if cursor.accept("/") {
        if cursor.accept("/") {
          guard authority(&cursor, text, international) else { return false }
          hasAuthority = true
        } else {
          cursor.position -= 1
        }
      }
      // If there is no scheme, a colon in the first segment would be ambiguous.
      let allowsColon = hasScheme || hasAuthority || cursor.peek == UInt8(ascii: "/")
      guard path(&cursor, international, colonInFirstSegment: allowsColon) else { return false }
      if cursor.accept("?") {
        skip(&cursor, international) { $0.isOne(of: ":@/?") }
        if international {
          while cursor.acceptBeyondASCII(where: isPrivate) { skip(&cursor, true) { $0.isOne(of: ":@/?") } }
        }
      }
      if cursor.accept("#") { skip(&cursor, international) { $0.isOne(of: ":@/?") } }
      return cursor.isAtEnd
    }
  }

  private static func scheme(_ cursor: inout FormatCursor) -> Bool {
    guard cursor.accept(where: \.isLetter) else { return false }
    _ = cursor.skip { $0.isAlphanumeric || $0.isOne(of: "+-.") }
    return cursor.accept(":")
  }

  private static func path(
    _ cursor: inout FormatCursor, _ international: Bool, colonInFirstSegment: Bool
  ) -> Bool {
    if !colonInFirstSegment {
      skip(&cursor, international) { $0 == UInt8(ascii: "@") }
      if cursor.peek == UInt8(ascii: ":") { return false }
    }
    skip(&cursor, international) { $0.isOne(of: ":@/") }
    return true
  }

  /// Consumes the authority: the bytes after `//`, up to the path.
  private static func authority(
    _ cursor: inout FormatCursor, _ text: Span<UInt8>, _ international: Bool
  ) -> Bool {
    let start = cursor.position
    skip(&cursor, international) { $0 == UInt8(ascii: ":") }
    if !cursor.accept("@") { cursor.position = start }
    if cursor.accept("[") {
      let literal = cursor.position
      _ = cursor.skip { $0 != UInt8(ascii: "]") }
      let inner = text.extracting(literal..<cursor.position)
      guard cursor.accept("]"), AddressFormats.isIPv6(inner) || isFutureAddress(inner) else { return false }
    } else {
      // Every IPv4 address is also a valid registered name.
      skip(&cursor, international) { _ in false }
    }
    if cursor.accept(":") { _ = cursor.skip(while: \.isDigit) }
    guard let next = cursor.peek else { return true }
    return next.isOne(of: "/?#")
  }

  private static func isFutureAddress(_ text: Span<UInt8>) -> Bool {
    text.read { cursor in
      guard cursor.accept("v") || cursor.accept("V"), cursor.skip(while: \.isHexDigit) > 0, cursor.accept(".") else {
        return false
      }
      return cursor.skip { isUnreserved($0) || isSubDelimiter($0) || $0 == UInt8(ascii: ":") } > 0 && cursor.isAtEnd
    }
  }

  /// Consumes unreserved characters, percent-encoded bytes, sub-delimiters and the bytes that `extra` allows.
  private static func skip(_ cursor: inout FormatCursor, _ international: Bool, extra: (UInt8) -> Bool) {
    while cursor.accept(where: { isUnreserved($0) || isSubDelimiter($0) || extra($0) })
      || cursor.acceptPercentEncoded() || (international && cursor.acceptBeyondASCII(where: isUniversal))
    {}
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool { byte.isAlphanumeric || byte.isOne(of: "-._~") }

  private static func isSubDelimiter(_ byte: UInt8) -> Bool { byte.isOne(of: "!$&'()*+,;=") }

  /// Returns whether a code point is in RFC 3987's `ucschar`.
  static func isUniversal(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: true
    case 0x10000...0xDFFFD: scalar & 0xFFFF <= 0xFFFD
    case 0xE1000...0xEFFFD: true
    default: false
    }
  }

  /// Returns whether a code point is in RFC 3987's `iprivate`.
  static func isPrivate(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: true
    default: false
    }
  }
}

/// Checks the format `uri-template`.
/// - Source: RFC 6570, section 2, with erratum 6937, which allows the apostrophe.
enum URITemplateFormat {
  /// Returns whether `text` consists of literals and expressions of any level. The grammar includes operators that are
  /// reserved for later use.
  static func isTemplate(_ text: Span<UInt8>) -> Bool {
    text.read { cursor in
      while !cursor.isAtEnd {
        if cursor.accept("{") {
          guard expression(&cursor) else { return false }
        } else {
          let isLiteral =
            cursor.accept { 0x21...0x7E ~= $0 && !$0.isOne(of: "\"%<>\\^`{|}") } || cursor.acceptPercentEncoded()
            || cursor.acceptBeyondASCII { URIFormats.isUniversal($0) || URIFormats.isPrivate($0) }
          guard isLiteral else { return false }
        }
      }
      return true
    }
  }

  private static func expression(_ cursor: inout FormatCursor) -> Bool {
    _ = cursor.accept { $0.isOne(of: "+#./;?&=,!@|") }
    repeat {
      guard variable(&cursor) else { return false }
    } while cursor.accept(",")
    return cursor.accept("}")
  }

  private static func variable(_ cursor: inout FormatCursor) -> Bool {
    repeat {
      var count = 0
      while cursor.accept(where: { $0.isAlphanumeric || $0 == UInt8(ascii: "_") }) || cursor.acceptPercentEncoded() {
        count += 1
      }
      if count == 0 { return false }
    } while cursor.accept(".")
    if cursor.accept(":") {
      guard let first = cursor.peek, first != UInt8(ascii: "0") else { return false }
      return (1...4).contains(cursor.skip(while: \.isDigit))
    }
    _ = cursor.accept("*")
    return true
  }
}

/// Checks the formats `json-pointer` and `relative-json-pointer`.
/// - Source: RFC 6901, section 3; draft-bhutton-relative-json-pointer-00, section 3.
enum PointerFormats {
  /// Returns whether `text` is empty or consists of steps that begin with `/`, in which `~` is written as `~0`.
  static func isPointer(_ text: Span<UInt8>) -> Bool {
    text.read { pointer(&$0) }
  }

  /// Returns whether `text` is a number of levels, an optional offset of elements, and a pointer or `#`.
  static func isRelativePointer(_ text: Span<UInt8>) -> Bool {
    text.read { cursor in
      guard number(&cursor) else { return false }
      if cursor.accept("#") { return cursor.isAtEnd }
      if cursor.accept("+") || cursor.accept("-"), !number(&cursor) { return false }
      return pointer(&cursor)
    }
  }

  private static func number(_ cursor: inout FormatCursor) -> Bool {
    if cursor.accept("0") { return true }
    return cursor.skip(while: \.isDigit) > 0
  }

  /// Consumes the rest of the text if it is a pointer.
  private static func pointer(_ cursor: inout FormatCursor) -> Bool {
    if cursor.isAtEnd { return true }
    guard cursor.peek == UInt8(ascii: "/") else { return false }
    while let byte = cursor.peek {
      cursor.position += 1
      if byte == UInt8(ascii: "~"), !cursor.accept("0"), !cursor.accept("1") { return false }
    }
    return true
  }
}
