/// Checks the formats `json-pointer` and `relative-json-pointer`.
/// - Source: RFC 6901, section 3; draft-bhutton-relative-json-pointer-00, section 3.
enum PointerFormats {
  /// Returns whether a text is empty or consists of steps that begin with `/`, in which `~` is written as `~0`.
  static func isPointer(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var cursor = FormatCursor(text)
    return pointer(&cursor)
  }

  /// Returns whether a text is a number of levels, an optional offset of elements, and a pointer or `#`.
  static func isRelativePointer(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var cursor = FormatCursor(text)
    guard number(&cursor) else { return false }
    if cursor.accept("#") { return cursor.isAtEnd }
    if cursor.accept("+") || cursor.accept("-"), !number(&cursor) { return false }
    return pointer(&cursor)
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
