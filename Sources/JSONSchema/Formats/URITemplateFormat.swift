/// Checks the format `uri-template`.
/// - Source: RFC 6570, section 2, with erratum 6937, which allows the apostrophe.
enum URITemplateFormat {
  /// Returns whether a text consists of literals and expressions of any level. The grammar includes operators that are
  /// reserved for later use.
  static func isTemplate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var cursor = FormatCursor(text)
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
