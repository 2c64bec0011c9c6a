/// Checks the format `duration`.
/// - Source: RFC 3339, appendix A.
enum DurationFormat {
  /// Returns whether a text is `P`, years to days, `T`, and hours to seconds, or `P` and weeks. Numbers must be whole,
  /// and no unit may be missing between two others.
  static func isDuration(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var cursor = FormatCursor(text)
    guard cursor.accept("P") else { return false }
    let weeks = cursor.position
    if cursor.skip(while: \.isDigit) > 0, cursor.accept("W") { return cursor.isAtEnd }
    cursor.position = weeks

    guard let hasDate = units("YMD", &cursor) else { return false }
    guard cursor.accept("T") else { return hasDate && cursor.isAtEnd }
    return units("HMS", &cursor) == true && cursor.isAtEnd
  }

  /// Reads numbers with units in the order of `names`. Returns nil after a syntax error, and false if there are no
  /// numbers.
  private static func units(_ names: StaticString, _ cursor: inout FormatCursor) -> Bool? {
    var next: Int?
    while let byte = cursor.peek, byte.isDigit {
      _ = cursor.skip(while: \.isDigit)
      guard let unit = cursor.peek, let index = names.withUTF8Buffer({ $0.firstIndex(of: unit) }),
        next == nil || next == index
      else { return nil }
      cursor.position += 1
      next = index + 1
    }
    return next != nil
  }
}
