import JSONText

/// An instant in milliseconds since 1970 UTC, and its text forms.
public struct Timestamp: Hashable, Comparable, Sendable, Encodable {
  /// Milliseconds since 1970-01-01 00:00:00 UTC.
  public let milliseconds: Int64

  /// Makes an instant.
  ///
  /// Instants more than 36 million years away are clamped. Foreign stores and headers can hold any number, and sums and
  /// differences of instants must not overflow.
  public init(milliseconds: Int64) { self.milliseconds = min(max(milliseconds, -1 << 60), 1 << 60) }

  /// Encodes the instant as RFC 3339 in UTC, with milliseconds.
  public func encode(to encoder: any Encoder) throws { try iso8601.encode(to: encoder) }

  /// Earlier instants come first.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// Unusual properties of the text that an instant was read from.
  public struct Quirks: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Makes a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The text is not in the app's column form, but the app reads it.
    public static let otherForm = Quirks(rawValue: 1)
    /// The app cannot decode the text, so it shows the whole table as empty.
    public static let undecodable = Quirks(rawValue: 2)
    /// The text has a month, day or hour that does not exist and rolls over to the next one.
    public static let rollsOver = Quirks(rawValue: 4)
    /// The text has more than three digits after the second. The additional digits are removed, as the app does.
    public static let cut = Quirks(rawValue: 8)
  }

  /// Reads any form that a person would recognise: the app's form and ISO 8601 with or without time, fraction and
  /// offset. Surrounding blanks and single digits are allowed.
  /// - Returns: The instant and the unusual properties of the text; nil if the text is not a date.
  /// - Source: facts of the app's reader: formats/sqlite-library.md, "Dates"
  public static func parse(_ text: Span<UInt8>) -> (Timestamp, Quirks)? {
    var parser = TimestampParser(end: text.count)
    return parser.parse(text)
  }

  /// Parses a date and time.
  public static func parse(_ text: String) -> (Timestamp, Quirks)? { parse(text.utf8.span) }

  /// The form of bundles, packs and vaults: `2026-01-05T10:11:12.345Z`.
  public var iso8601: String { text(separator: UInt8(ascii: "T"), suffix: UInt8(ascii: "Z")) }

  /// The form of the app's columns: `2026-01-05 10:11:12.345`.
  public var columnText: String { text(separator: UInt8(ascii: " "), suffix: nil) }

  /// The form of ticks and publish payloads, without a fraction: `2026-01-05T10:11:12Z`.
  public var wholeSeconds: String {
    let text = iso8601
    return String(text.dropLast(5)) + "Z"
  }

  /// Whether text has the form of `wholeSeconds`, with a day and time that exist.
  public static func isWholeSeconds(_ text: Span<UInt8>) -> Bool {
    guard text.count == 20, text[10] == UInt8(ascii: "T"), text[19] == UInt8(ascii: "Z"),
      let (_, quirks) = parse(text)
    else { return false }
    return !quirks.contains(.rollsOver) && !quirks.contains(.undecodable)
  }

  private func text(separator: UInt8, suffix: UInt8?) -> String {
    var bytes = [UInt8](repeating: 0, count: 23)
    var out = bytes.mutableSpan
    write(to: &out, separator: separator)
    if let suffix { bytes.append(suffix) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes 23 bytes: `YYYY-MM-DD`, the separator, `HH:MM:SS.SSS`. Years outside 0–9999 are clamped.
  func write(to out: inout MutableSpan<UInt8>, separator: UInt8) {
    let limited = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    var days = limited / 86_400_000
    var rest = limited % 86_400_000
    if rest < 0 {
      rest += 86_400_000
      days -= 1
    }
    let (year, month, day) = CivilDate.fromDays(days)
    func write(_ value: Int64, _ at: Int, _ width: Int) {
      var value = value
      for index in stride(from: at + width - 1, through: at, by: -1) {
        out[index] = UInt8(truncatingIfNeeded: 0x30 + value % 10)
        value /= 10
      }
    }
    write(year, 0, 4)
    out[4] = UInt8(ascii: "-")
    write(month, 5, 2)
    out[7] = UInt8(ascii: "-")
    write(day, 8, 2)
    out[10] = separator
    write(rest / 3_600_000, 11, 2)
    out[13] = UInt8(ascii: ":")
    write(rest / 60_000 % 60, 14, 2)
    out[16] = UInt8(ascii: ":")
    write(rest / 1000 % 60, 17, 2)
    out[19] = UInt8(ascii: ".")
    write(rest % 1000, 20, 3)
  }
}

/// Converts between days since 1970 and the proleptic Gregorian calendar.
/// - Source: the era-based algorithm of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
private enum CivilDate {
  fileprivate static func toDays(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  fileprivate static func fromDays(_ days: Int64) -> (Int64, Int64, Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }

  fileprivate static func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

extension ByteBuffer {
  /// Appends `YYYY-MM-DDTHH:MM:SS.SSSZ` in quotes.
  package mutating func appendJSONDate(_ date: Timestamp) {
    append(UInt8(ascii: "\""))
    append(date, separator: UInt8(ascii: "T"))
    append("Z\"")
  }

  /// Appends the app's column form, `YYYY-MM-DD HH:MM:SS.SSS`.
  package mutating func appendColumnDate(_ date: Timestamp) { append(date, separator: UInt8(ascii: " ")) }

  private mutating func append(_ date: Timestamp, separator: UInt8) {
    append(room: 23) { (room: UnsafeMutableRawBufferPointer) throws(Never) -> Int in
      var out = room.bindMemory(to: UInt8.self).mutableSpan
      date.write(to: &out, separator: separator)
      return 23
    }
  }
}

extension Timestamp {
  /// Whether `text` begins with `YYYY-MM-DD?HH:MM:SS.SSS`, with an existing month, day and hour.
  ///
  /// Nearly every date has this form, so only a few need the parser.
  package static func isPlain(_ text: Span<UInt8>, separator: UInt8) -> Bool {
    @inline(__always) func two(_ at: Int) -> UInt8 {
      let tens = text[at] &- 0x30
      let ones = text[at + 1] &- 0x30
      return tens < 10 && ones < 10 ? tens &* 10 &+ ones : 255
    }
    guard text.count >= 23, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == separator,
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "."),
      two(0) < 100, two(2) < 100, two(20) < 100, text[22] &- 0x30 < 10
    else { return false }
    let month = two(5)
    let day = two(8)
    // The 29th to 31st need the parser, which knows the calendar.
    return month &- 1 < 12 && day &- 1 < 28 && two(11) < 24 && two(14) < 60 && two(17) < 60
      || month &- 1 < 12 && day &- 1 < 31 && two(11) < 24 && two(14) < 60 && two(17) < 60
        && Int64(day) <= CivilDate.daysInMonth(Int64(two(0)) * 100 + Int64(two(2)), Int64(month))
  }

  /// The epoch of times written by Apple's encoders: 2001-01-01 00:00:00 UTC.
  package static let of2001 = Timestamp(milliseconds: 978_307_200_000)

  /// Makes an instant from seconds since 2001. Fractions are rounded to milliseconds.
  ///
  /// Builds of the app up to January 2026 wrote times in this form into payloads.
  /// - Returns: nil outside the years 1 to 9999, the only ones that ISO 8601 can write.
  package init?(secondsSince2001 seconds: Double) {
    // The limit is far outside these years and far inside the range of 64 bits. It also excludes NaN and infinities.
    guard abs(seconds) < 1e12 else { return nil }
    let time = Int64((seconds * 1000).rounded()) + Self.of2001.milliseconds
    guard (-62_135_596_800_000...253_402_300_799_999).contains(time) else { return nil }
    self.init(milliseconds: time)
  }

  /// Seconds since 2001, as Apple's encoders write a time.
  package var secondsSince2001: Double { Double(milliseconds - Self.of2001.milliseconds) / 1000 }
}

/// Parses dates in their many spellings; see `Timestamp.parse`.
private struct TimestampParser {
  private var at = 0
  /// The end of the text without trailing blanks.
  private var end: Int
  private var quirks: Timestamp.Quirks = []

  init(end: Int) { self.end = end }

  mutating func parse(_ text: Span<UInt8>) -> (Timestamp, Timestamp.Quirks)? {
    trimBlanks(text)
    guard end - at >= 8, let year = digits(text, exactly: 4), consume(text, "-"),
      let month = shortNumber(text), consume(text, "-"), let day = shortNumber(text), month >= 1, day >= 1
    else { return nil }
    var clock = Clock()
    if at < end {
      guard readClock(text, &clock) else { return nil }
    } else {
      quirks.insert(.otherForm)
    }
    if month > 12 || day > CivilDate.daysInMonth(year, month) || clock.rollsOver {
      quirks.insert(.rollsOver)
    }
    let days = CivilDate.toDays(year + (month - 1) / 12, (month - 1) % 12 + 1, 1) + day - 1
    let seconds = days * 86_400 + clock.hour * 3600 + clock.minute * 60 + clock.second - clock.offset * 60
    return (Timestamp(milliseconds: seconds * 1000 + clock.millisecond), quirks)
  }

  private struct Clock {
    var hour: Int64 = 0
    var minute: Int64 = 0
    var second: Int64 = 0
    var millisecond: Int64 = 0
    /// Minutes east of UTC.
    var offset: Int64 = 0
    var rollsOver: Bool { hour > 23 || minute > 59 || second > 59 }
  }

  private mutating func readClock(_ text: Span<UInt8>, _ clock: inout Clock) -> Bool {
    if consume(text, "T") || consume(text, "t") {
      quirks.insert(.otherForm)
    } else if !consume(text, " ") {
      return false
    }
    guard let hour = shortNumber(text), consume(text, ":"), let minute = shortNumber(text) else { return false }
    clock.hour = hour
    clock.minute = minute
    if consume(text, ":") {
      guard let second = shortNumber(text) else { return false }
      clock.second = second
      if consume(text, ".") || consume(text, ",") {
        guard readFraction(text, &clock) else { return false }
      } else {
        quirks.insert(.otherForm)
      }
    } else {
      quirks.insert(.otherForm)
    }
    return readZone(text, &clock) && at == end
  }

  private mutating func readFraction(_ text: Span<UInt8>, _ clock: inout Clock) -> Bool {
    let first = at
    while at < end, text[at] &- 0x30 < 10 {
      let place = at - first
      if place < 3 { clock.millisecond = clock.millisecond * 10 + Int64(text[at] - 0x30) }
      if place >= 3, text[at] != 0x30 { quirks.insert(.cut) }
      at += 1
    }
    let count = at - first
    guard count > 0 else { return false }
    if count != 3 { quirks.insert(.otherForm) }
    if count == 1 { clock.millisecond *= 100 }
    if count == 2 { clock.millisecond *= 10 }
    return true
  }

  private mutating func readZone(_ text: Span<UInt8>, _ clock: inout Clock) -> Bool {
    guard at < end else { return true }
    quirks.insert(.otherForm)
    if consume(text, " ") { quirks.insert(.undecodable) }
    if consume(text, "Z") || consume(text, "z") { return true }
    let sign: Int64
    if consume(text, "+") {
      sign = 1
    } else if consume(text, "-") {
      sign = -1
    } else {
      return false
    }
    guard let hours = digits(text, exactly: 2) else { return false }
    var minutes: Int64 = 0
    if consume(text, ":") {
      guard let written = digits(text, exactly: 2) else { return false }
      minutes = written
    } else {
      quirks.insert(.undecodable)  // the app's reader requires the colon
      if let written = digits(text, exactly: 2) { minutes = written }
    }
    clock.offset = sign * (hours * 60 + minutes)
    return true
  }

  // MARK: Pieces

  private mutating func trimBlanks(_ text: Span<UInt8>) {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    while at < end, isBlank(text[at]) {
      at += 1
      quirks.formUnion([.otherForm, .undecodable])
    }
    while end > at, isBlank(text[end - 1]) {
      end -= 1
      quirks.formUnion([.otherForm, .undecodable])
    }
  }

  private mutating func consume(_ text: Span<UInt8>, _ character: Unicode.Scalar) -> Bool {
    guard at < end, text[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func digits(_ text: Span<UInt8>, exactly count: Int) -> Int64? {
    guard at + count <= end else { return nil }
    var value: Int64 = 0
    for index in at..<at + count {
      guard text[index] &- 0x30 < 10 else { return nil }
      value = value * 10 + Int64(text[index] - 0x30)
    }
    at += count
    return value
  }

  /// Parses one or two digits. The app does not accept a single digit.
  private mutating func shortNumber(_ text: Span<UInt8>) -> Int64? {
    if let value = digits(text, exactly: 2) { return value }
    guard let value = digits(text, exactly: 1) else { return nil }
    quirks.formUnion([.otherForm, .undecodable])
    return value
  }
}
