/// Checks the formats `date`, `time` and `date-time`.
/// - Source: RFC 3339, sections 5.6 (grammar) and 5.7 (restrictions).
enum DateTimeFormats {
  /// Returns whether `text` is a `full-date`, which must exist in the calendar.
  static func isDate(_ text: Span<UInt8>) -> Bool {
    text.read { date(&$0) && $0.isAtEnd }
  }

  /// Returns whether `text` is a `full-time`, which includes an offset.
  static func isTime(_ text: Span<UInt8>) -> Bool {
    text.read { time(&$0) && $0.isAtEnd }
  }

  /// Returns whether `text` is a `date-time`, which is a date and a time joined by a T.
  static func isDateTime(_ text: Span<UInt8>) -> Bool {
    text.read { cursor in
      guard date(&cursor), cursor.accept("T") || cursor.accept("t") else { return false }
      return time(&cursor) && cursor.isAtEnd
    }
  }

  private static func date(_ cursor: inout FormatCursor) -> Bool {
    guard let year = cursor.digits(4), cursor.accept("-"), let month = cursor.digits(2), cursor.accept("-"),
      let day = cursor.digits(2)
    else { return false }
    return (1...12).contains(month) && day >= 1 && day <= days(in: month, of: year)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func time(_ cursor: inout FormatCursor) -> Bool {
    guard let hour = cursor.digits(2), hour < 24, cursor.accept(":"), let minute = cursor.digits(2), minute < 60,
      cursor.accept(":"), let second = cursor.digits(2), second <= 60
    else { return false }
    if cursor.accept("."), cursor.skip(while: \.isDigit) == 0 { return false }
    guard let offset = offset(&cursor) else { return false }
    guard second == 60 else { return true }
    // A leap second is the last second of a day in UTC, whatever the time zone. It is not known in advance which days
    // have one, so any day may.
    return (hour * 60 + minute - offset + 2 * 1440) % 1440 == 1439
  }

  /// Reads an offset and returns the minutes east of UTC.
  private static func offset(_ cursor: inout FormatCursor) -> Int? {
    if cursor.accept("Z") || cursor.accept("z") { return 0 }
    let isWest = cursor.accept("-")
    guard isWest || cursor.accept("+"), let hours = cursor.digits(2), hours < 24, cursor.accept(":"),
      let minutes = cursor.digits(2), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (isWest ? -1 : 1)
  }
}

/// Checks the format `duration`.
/// - Source: RFC 3339, appendix A.
enum DurationFormat {
  /// Returns whether `text` is `P`, years to days, `T`, and hours to seconds, or `P` and weeks. Numbers must be whole,
  /// and no unit may be missing between two others.
  static func isDuration(_ text: Span<UInt8>) -> Bool {
    text.read { cursor in
      guard cursor.accept("P") else { return false }
      let weeks = cursor.position
      if cursor.skip(while: \.isDigit) > 0, cursor.accept("W") { return cursor.isAtEnd }
      cursor.position = weeks

      guard let hasDate = units("YMD", &cursor) else { return false }
      guard cursor.accept("T") else { return hasDate && cursor.isAtEnd }
      return units("HMS", &cursor) == true && cursor.isAtEnd
    }
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
