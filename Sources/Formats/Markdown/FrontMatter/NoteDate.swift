import Content

/// A date of a front matter as people and their programs write it: only what names a year, a month and a day is one.
///
/// ISO 8601 with or without a time, `20260105`, `2026/01/05`, `05.01.2026 10:15`, `5 January 2026`, `January 5, 2026`,
/// `5 января 2026 г.`, `Monday, January 5th 2026, 10:15:00 am`, `Mon, 05 Jan 2026 10:15:00 GMT`, seconds or
/// milliseconds since 1970, and any of them in `[[…]]` or `date(…)`. `05/01/2026` is none: half of the world reads it as
/// May. `31/12/2026` can be read in one way only.
enum NoteDate {
  /// The instant, midnight UTC where there is no time; nil where something would have to be invented.
  static func parse(_ text: String) -> Timestamp? {
    guard text.utf8.count <= 96 else { return nil }
    let text = unwrapped(text.trimmingBlanks)
    if let (time, quirks) = Timestamp.parse(text), !quirks.contains(.rollsOver), isISO(text) { return time }
    if text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) { return compact(text) }
    return NoteDateWords(text)?.time
  }

  /// What stands inside of `[[…]]`, as links to daily notes, and of Dataview's `date(…)`.
  private static func unwrapped(_ text: String) -> String {
    for (open, close) in [("[[", "]]"), ("date(", ")")] where text.hasPrefix(open) && text.hasSuffix(close) {
      guard text.count > open.count + close.count else { continue }
      return String(text.dropFirst(open.count).dropLast(close.count)).trimmingBlanks
    }
    return text
  }

  /// Whether a text begins with four digits and a dash: bare years are no dates.
  private static func isISO(_ text: String) -> Bool {
    let bytes = Array(text.utf8.prefix(5))
    return bytes.count == 5 && bytes[4] == UInt8(ascii: "-") && bytes.prefix(4).allSatisfy { $0 &- 0x30 < 10 }
  }

  /// Digits alone: `20260105`, `202601051015`, `20260105101500`, seconds (10 digits) or milliseconds (13) since 1970.
  private static func compact(_ text: String) -> Timestamp? {
    let digits = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1 & 0x0F) } }
    switch digits.count {
    case 8, 12, 14:
      guard (1900...2199).contains(number(0..<4)) else { return nil }
      let hasTime = digits.count > 8
      return time(
        number(0..<4), number(4..<6), number(6..<8), hour: hasTime ? number(8..<10) : 0,
        minute: hasTime ? number(10..<12) : 0, rest: digits.count == 14 ? String(text.suffix(2)) : "00")
    case 10:
      // It could be a year, a month, a day and an hour as well.
      if (1900...2199).contains(number(0..<4)), time(number(0..<4), number(4..<6), number(6..<8)) != nil { return nil }
      return Timestamp(milliseconds: Int64(number(0..<10)) * 1000)
    case 13: return Timestamp(milliseconds: Int64(number(0..<13)))
    default: return nil
    }
  }

  /// The instant of a day and a time of it; nil when there is no such day.
  /// - Parameters:
  ///   - rest: seconds, with a fraction or without.
  ///   - zone: `Z`, or an offset as ISO 8601 writes it.
  static func time(
    _ year: Int, _ month: Int, _ day: Int, hour: Int = 0, minute: Int = 0, rest: String = "00", zone: String = "Z"
  ) -> Timestamp? {
    guard (1...12).contains(month), (1...31).contains(day), (1...9999).contains(year), (0...23).contains(hour),
      (0...59).contains(minute)
    else { return nil }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let years = String(repeating: "0", count: 4 - String(year).count) + String(year)
    let iso = "\(years)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(rest)\(zone)"
    guard let (time, quirks) = Timestamp.parse(iso), !quirks.contains(.rollsOver) else { return nil }
    return time
  }
}

extension String {
  /// Without blanks, tabs and line ends around it.
  var trimmingBlanks: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}
