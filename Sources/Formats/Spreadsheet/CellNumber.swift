import Foundation
import JSONText

/// Formats a sheet's numbers for readers: 12 instead of 12.0, and 0.1 instead of 0.1000000000000000055.
enum CellNumber {
  /// Appends a number as text in the given format. Bytes that are not a number are appended unchanged.
  static func append(
    _ bytes: Span<UInt8>, as format: CellFormat, dates: SerialDate, to buffer: inout ByteBuffer
  ) {
    if isShort(bytes) {
      switch format {
      case .general:
        buffer.append(bytes)
        return
      case .padded(let width):
        pad(bytes, to: Int(width), &buffer)
        return
      default: break
      }
    }
    guard let value = Double(String(decoding: bytes)), value.isFinite else {
      buffer.append(bytes)
      return
    }
    switch format {
    case .date, .time, .elapsed:
      if dates.append(value, as: format, to: &buffer) { return }
    case .percent:
      buffer.append(utf8: text(shifted(value)))
      buffer.append(0x25)
      return
    case .general, .padded: break
    }
    buffer.append(utf8: text(value))
  }

  /// Returns the shortest decimal text that has the same value.
  static func text(_ value: Double) -> String {
    if value.magnitude <= 9_007_199_254_740_992, value == value.rounded() { return String(Int(value)) }
    let text = value.description
    guard text.utf8.contains(0x65) else { return text.hasSuffix(".0") ? String(text.dropLast(2)) : text }
    return plain(text) ?? text
  }

  /// Returns a number with an exponent in plain digits, if the result is short: 1e-05 becomes 0.00001. Otherwise
  /// returns nil.
  private static func plain(_ text: String) -> String? {
    let parts = text.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]), (-9...20).contains(exponent) else { return nil }
    let isNegative = parts[0].hasPrefix("-")
    let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".")
    guard let whole = mantissa.first else { return nil }
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
    let sign = isNegative ? "-" : ""
    if exponent < 0 { return sign + "0." + String(repeating: "0", count: -exponent - 1) + whole + fraction }
    guard fraction.count <= exponent else { return nil }
    return sign + whole + fraction + String(repeating: "0", count: exponent - fraction.count)
  }

  /// Returns a number times one hundred, without the rounding error of a multiplication: 0.07 is 7 percent.
  private static func shifted(_ value: Double) -> Double {
    Double(String(format: "%.15g", value * 100)) ?? value * 100
  }

  /// Whether bytes are a number with so few digits that no shorter text has the same value, such as `12`, `-3` or
  /// `0.25`.
  private static func isShort(_ bytes: Span<UInt8>) -> Bool {
    var at = 0
    if bytes.first == 0x2D { at = 1 }
    guard at < bytes.count, bytes.count - at <= 16 else { return false }
    let first = at
    var point = -1
    while at < bytes.count {
      let byte = bytes[at]
      if byte == 0x2E {
        guard point < 0, at > first else { return false }
        point = at
      } else if byte < 0x30 || byte > 0x39 {
        return false
      }
      at += 1
    }
    let digits = at - first - (point < 0 ? 0 : 1)
    guard digits > 0, digits <= 15 else { return false }
    if bytes[first] == 0x30, at > first + 1, point != first + 1 { return false }
    if point >= 0 { return bytes[at - 1] != 0x30 && point < at - 1 }
    return first == 0 || bytes[first] != 0x30
  }

  private static func pad(_ bytes: Span<UInt8>, to width: Int, _ buffer: inout ByteBuffer) {
    guard !bytes.contains(0x2E) else {
      buffer.append(bytes)
      return
    }
    let sign = bytes.first == 0x2D ? 1 : 0
    if sign == 1 { buffer.append(0x2D) }
    for _ in 0..<max(0, width - (bytes.count - sign)) { buffer.append(0x30) }
    buffer.append(bytes.extracting(droppingFirst: sign))
  }
}

/// The effect of a number format on how a number is displayed.
///
/// - Source: ECMA-376 part 1, 18.8.30 (numFmt), 18.8.31 (numFmts)
enum CellFormat: Equatable, Sendable {
  /// The number is displayed unchanged.
  case general
  /// A day, possibly with a time.
  case date
  /// A time of day.
  case time
  /// A duration, whose hours may exceed 24.
  case elapsed
  case percent
  /// The number has leading zeros, up to a minimum number of digits.
  case padded(UInt8)

  /// Returns the effect of a built-in format, which is identified by its number.
  static func builtIn(_ id: Int) -> CellFormat {
    switch id {
    case 9, 10: .percent
    case 14...17, 22, 27...31, 36, 50...54, 57, 58: .date
    case 18...21, 32...35, 45, 47, 55, 56: .time
    case 46: .elapsed
    default: .general
    }
  }

  /// Returns the effect of a format code, such as `yyyy-mm-dd`, `[h]:mm`, `0.0%` or `"No. "0`.
  static func of(code: String) -> CellFormat {
    var (hasDay, hasTime, hasElapsed, hasPercent, hasDigits) = (false, false, false, false, false)
    var zeros = 0
    var isPlain = true
    var bytes = Array(code.utf8)[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case 0x3B: bytes = []  // ; ends the section for positive numbers
      case 0x22:  // "text"
        bytes = bytes.drop { $0 != 0x22 }.dropFirst()
        isPlain = false
      case 0x5C, 0x5F, 0x2A:  // \x, _x, *x: a sign, its width, its repetition
        bytes = bytes.dropFirst()
        isPlain = false
      case 0x5B:  // [Red], [$-409], [>100], [h]
        let inside = bytes.prefix { $0 != 0x5D }
        bytes = bytes.dropFirst(inside.count + 1)
        if let first = inside.first, inside.allSatisfy({ $0 | 0x20 == first | 0x20 }) {
          hasElapsed = hasElapsed || [0x68, 0x6D, 0x73].contains(first | 0x20)
        }
        isPlain = false
      case 0x79, 0x59, 0x64, 0x44: hasDay = true  // y, d
      case 0x68, 0x48, 0x73, 0x53: hasTime = true  // h, s
      case 0x6D, 0x4D: hasDay = hasDay || !hasTime && !isMinute(bytes)  // m
      case 0x47 where bytes.starts(with: Array("eneral".utf8)): bytes = bytes.dropFirst(6)
      case 0x25: hasPercent = true
      case 0x30: (zeros, hasDigits) = (zeros + 1, true)
      case 0x23, 0x3F: (isPlain, hasDigits) = (false, true)
      default: isPlain = false
      }
    }
    if hasElapsed { return .elapsed }
    if hasDay { return .date }
    if hasTime { return .time }
    if hasPercent { return .percent }
    return isPlain && hasDigits && zeros > 1 && zeros < 64 ? .padded(UInt8(zeros)) : .general
  }

  /// Whether an `m` precedes seconds, as in `mm:ss`, and therefore means minutes.
  private static func isMinute(_ rest: ArraySlice<UInt8>) -> Bool {
    let behind = rest.drop { $0 | 0x20 == 0x6D }
    return behind.first == 0x3A && behind.dropFirst().first.map { $0 | 0x20 == 0x73 } ?? false
  }
}

/// Converts serial dates, which are numbers of days since a start date, to text.
///
/// - Source: ECMA-376 part 1, 18.17.4
struct SerialDate {
  /// Whether days are counted from 1 January 1904, as on old Macs.
  var countsFrom1904 = false

  /// The number of milliseconds in a day.
  private static let day = 86_400_000

  /// Appends a date or a time: `2024-03-01`, `2024-03-01T12:30:00`, `1:30`, `36:00:05`.
  /// - Returns: false if the date does not exist; in this case, nothing is appended.
  func append(_ serial: Double, as format: CellFormat, to buffer: inout ByteBuffer) -> Bool {
    guard serial >= 0, serial < 2_958_466 else { return false }
    // Doubles represent seconds with errors of up to half a millisecond.
    let all = Int((serial * Double(Self.day)).rounded())
    let (days, time) = (all / Self.day, all % Self.day)
    switch format {
    case .elapsed: clock(all, isPadded: false, to: &buffer)
    case .time where days == 0: clock(time, isPadded: false, to: &buffer)
    default:
      date(days, to: &buffer)
      if time > 0 {
        buffer.append(0x54)
        clock(time, isPadded: true, to: &buffer)
      }
    }
    return true
  }

  private func date(_ days: Int, to buffer: inout ByteBuffer) {
    // In Excel, as in Lotus 1-2-3, day 60 is 29 February 1900, which did not exist.
    if !countsFrom1904, days == 60 {
      buffer.append("1900-02-29")
      return
    }
    let sinceEpoch = countsFrom1904 ? days - 24_107 : days < 60 ? days - 25_568 : days - 25_569
    // Convert days to a date. Years that begin in March have their leap day at the end (Howard Hinnant, "chrono").
    let shifted = sinceEpoch + 719_468
    let (era, inEra) = (shifted / 146_097, shifted % 146_097)
    let year = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * year + year / 4 - year / 100)
    let part = (5 * inYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    digits(year + era * 400 + (month <= 2 ? 1 : 0), 4, to: &buffer)
    buffer.append(0x2D)
    digits(month, 2, to: &buffer)
    buffer.append(0x2D)
    digits(inYear - (153 * part + 2) / 5 + 1, 2, to: &buffer)
  }

  /// Appends hours and minutes. Seconds are appended if they are not zero or if the time belongs to a date.
  private func clock(_ time: Int, isPadded: Bool, to buffer: inout ByteBuffer) {
    let (hours, seconds) = (time / 3_600_000, time % 60_000)
    if isPadded { digits(hours, 2, to: &buffer) } else { buffer.append(utf8: String(hours)) }
    buffer.append(0x3A)
    digits(time / 60_000 % 60, 2, to: &buffer)
    guard isPadded || seconds > 0 else { return }
    buffer.append(0x3A)
    digits(seconds / 1000, 2, to: &buffer)
    guard seconds % 1000 > 0 else { return }
    buffer.append(0x2E)
    digits(seconds % 1000, 3, to: &buffer)
  }

  private func digits(_ value: Int, _ count: Int, to buffer: inout ByteBuffer) {
    var scale = 1
    for _ in 1..<count { scale *= 10 }
    while scale > 0 {
      buffer.append(0x30 + UInt8(value / scale % 10))
      scale /= 10
    }
  }
}
