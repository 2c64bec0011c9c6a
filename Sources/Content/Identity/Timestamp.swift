/// An instant in milliseconds since 1970 UTC, and the texts that it is written as.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01 00:00:00 UTC.
  public let milliseconds: Int64

  /// Makes an instant.
  ///
  /// Instants more than 36 million years away are clamped: stores and headers from outside can hold any number, and
  /// sums and differences of instants must not overflow.
  public init(milliseconds: Int64) { self.milliseconds = min(max(milliseconds, -1 << 60), 1 << 60) }

  /// Earlier comes first.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// What is unusual about the text that an instant was read from.
  public struct Quirks: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Makes a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It is not the app's column form, but the app reads it.
    public static let otherForm = Quirks(rawValue: 1)
    /// The app cannot decode it; for the app the whole table is empty.
    public static let undecodable = Quirks(rawValue: 2)
    /// A month, day or hour that does not exist counts on into the next.
    public static let rollsOver = Quirks(rawValue: 4)
    /// It has more than three digits after the second; the rest was cut, as the app does.
    public static let cut = Quirks(rawValue: 8)
  }

  /// Reads any form that a person would recognise: the app's, ISO 8601 with or without time, fraction and
  /// offset, blanks at the ends, single digits.
  /// - Returns: the instant and what is unusual about the text; nil when it is no date.
  /// - Source: facts of the app's reader: formats/sqlite-library.md, "Dates"
  public static func parse(_ text: UnsafeBufferPointer<UInt8>) -> (Timestamp, Quirks)? {
    var parser = TimestampParser(text)
    return parser.parse()
  }

  /// Reads a date and time from text.
  public static func parse(_ text: String) -> (Timestamp, Quirks)? {
    var text = text
    return text.withUTF8 { parse($0) }
  }

  /// `2026-01-05T10:11:12.345Z`, the form of bundles, packs and vaults.
  public var iso8601: String { text(separator: UInt8(ascii: "T"), suffix: UInt8(ascii: "Z")) }

  /// `2026-01-05 10:11:12.345`, the form of the app's columns.
  public var columnText: String { text(separator: UInt8(ascii: " "), suffix: nil) }

  /// `2026-01-05T10:11:12Z`, the form of ticks and publish payloads. Cuts the fraction.
  public var wholeSeconds: String {
    let text = iso8601
    return String(text.dropLast(5)) + "Z"
  }

  /// Whether a text is `wholeSeconds` of a moment: that form, and a day and time that exist.
  public static func isWholeSeconds(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 20, text[10] == UInt8(ascii: "T"), text[19] == UInt8(ascii: "Z"),
      let (_, quirks) = parse(text)
    else { return false }
    return !quirks.contains(.rollsOver) && !quirks.contains(.undecodable)
  }

  private func text(separator: UInt8, suffix: UInt8?) -> String {
    var bytes = [UInt8](repeating: 0, count: 23)
    bytes.withUnsafeMutableBufferPointer { write(to: $0, separator: separator) }
    if let suffix { bytes.append(suffix) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes 23 bytes, `YYYY-MM-DD` separator `HH:MM:SS.SSS`; years outside 0–9999 are clamped.
  func write(to out: UnsafeMutableBufferPointer<UInt8>, separator: UInt8) {
    let limited = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    var days = limited / 86_400_000
    var rest = limited % 86_400_000
    if rest < 0 {
      rest += 86_400_000
      days -= 1
    }
    let (year, month, day) = CivilDate.fromDays(days)
    func put(_ value: Int64, _ at: Int, _ width: Int) {
      var value = value
      for index in stride(from: at + width - 1, through: at, by: -1) {
        out[index] = UInt8(truncatingIfNeeded: 0x30 + value % 10)
        value /= 10
      }
    }
    put(year, 0, 4)
    out[4] = UInt8(ascii: "-")
    put(month, 5, 2)
    out[7] = UInt8(ascii: "-")
    put(day, 8, 2)
    out[10] = separator
    put(rest / 3_600_000, 11, 2)
    out[13] = UInt8(ascii: ":")
    put(rest / 60_000 % 60, 14, 2)
    out[16] = UInt8(ascii: ":")
    put(rest / 1000 % 60, 17, 2)
    out[19] = UInt8(ascii: ".")
    put(rest % 1000, 20, 3)
  }
}

/// Days since 1970 and the proleptic Gregorian calendar.
/// - Source: the era-based algorithm of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
enum CivilDate {
  static func toDays(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func fromDays(_ days: Int64) -> (Int64, Int64, Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }

  static func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}
