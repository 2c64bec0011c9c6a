import JSONText

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
