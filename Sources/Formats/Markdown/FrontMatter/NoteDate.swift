import Content

/// Parses dates in front matter as people and programs write them. Text is a date only if it names a year, a month and
/// a day.
///
/// The accepted forms are ISO 8601 with or without a time, `20260105`, `2026/01/05`, `05.01.2026 10:15`, `5 January
/// 2026`, `January 5, 2026`, `5 января 2026 г.`, `Monday, January 5th 2026, 10:15:00 am`, `Mon, 05 Jan 2026 10:15:00
/// GMT`, seconds or milliseconds since 1970, and any of these forms in `[[…]]` or `date(…)`. `05/01/2026` is not
/// accepted, because it is ambiguous: it means January 5 or May 1. `31/12/2026` is unambiguous and therefore accepted.
enum NoteDate {
  /// Returns the instant, which is midnight UTC if the text has no time of day; nil if the date is incomplete.
  static func parse(_ text: String) -> Timestamp? {
    guard text.utf8.count <= 96 else { return nil }
    let text = unwrapped(text.trimmingBlanks)
    if let (time, quirks) = Timestamp.parse(text), !quirks.contains(.rollsOver), isISO(text) { return time }
    if text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) { return compact(text) }
    return NoteDateWords(text)?.time
  }

  /// Whether text names a date or a time of day that does not exist: `31.02.2026`.
  static func isImpossible(_ text: String) -> Bool {
    guard text.utf8.count <= 96, parse(text) == nil else { return false }
    let text = unwrapped(text.trimmingBlanks)
    guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return NoteDateWords(text)?.isImpossible ?? false }
    return text.utf8.count == 8 && Int(text.prefix(4)).map { (1900...2199).contains($0) } ?? false
  }

  /// Returns the content of `[[…]]`, the form of links to daily notes, or of Dataview's `date(…)`.
  private static func unwrapped(_ text: String) -> String {
    for (open, close) in [("[[", "]]"), ("date(", ")")] where text.hasPrefix(open) && text.hasSuffix(close) {
      guard text.count > open.count + close.count else { continue }
      return String(text.dropFirst(open.count).dropLast(close.count)).trimmingBlanks
    }
    return text
  }

  /// Whether text begins with four digits and a dash. Bare years are not dates.
  private static func isISO(_ text: String) -> Bool {
    let bytes = Array(text.utf8.prefix(5))
    return bytes.count == 5 && bytes[4] == UInt8(ascii: "-") && bytes.prefix(4).allSatisfy { $0 &- 0x30 < 10 }
  }

  /// Parses text that consists only of digits: `20260105`, `202601051015`, `20260105101500`, seconds (10 digits) or
  /// milliseconds (13) since 1970.
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
      // The digits could also be a year, a month, a day and an hour.
      if (1900...2199).contains(number(0..<4)), time(number(0..<4), number(4..<6), number(6..<8)) != nil { return nil }
      return Timestamp(milliseconds: Int64(number(0..<10)) * 1000)
    case 13: return Timestamp(milliseconds: Int64(number(0..<13)))
    default: return nil
    }
  }

  /// Returns the instant of a day and a time of day; nil if the day does not exist.
  /// - Parameters:
  ///   - rest: seconds, with or without a fraction.
  ///   - zone: `Z`, or an ISO 8601 offset.
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
  /// The text without surrounding blanks, tabs and line ends.
  var trimmingBlanks: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}

/// A date in words. Reading stops at the first word that is not part of a day or a time.
private struct NoteDateWords {
  /// The instant that the words name; nil if the day or hour does not exist.
  private(set) var time: Timestamp?
  /// Whether the words name a day or an hour that does not exist.
  var isImpossible: Bool { time == nil }

  private var year: Int?
  private var month: Int?
  private var day: Int?
  /// The numbers that are not yet assigned to a day, a month or a year, with their digit counts.
  private var numbers: [(value: Int, digits: Int)] = []
  private var clock: (hour: Int, minute: Int, rest: String)?
  /// Whether the text has `pm`; nil if it has neither `am` nor `pm`.
  private var isAfternoon: Bool?
  private var zone: String?

  /// Parses text; nil if it contains anything other than a date.
  init?(_ text: String) {
    for word in text.split(whereSeparator: { " ,\t".contains($0) }) {
      // JavaScript writes a zone name such as `(Moscow Standard Time)` after the offset.
      if word.hasPrefix("("), zone != nil { break }
      guard parse(word.lowercased()) else { return nil }
    }
    assignNumbers()
    guard let year, let month, let day, numbers.isEmpty, isAfternoon == nil || clock != nil, let hour else {
      return nil
    }
    time = NoteDate.time(
      year, month, day, hour: hour, minute: clock?.minute ?? 0, rest: clock?.rest ?? "00", zone: zone ?? "Z")
  }

  /// The hour of the day, from 0 to 23; nil if the hour does not exist.
  private var hour: Int? {
    guard let clock else { return 0 }
    guard let isAfternoon else { return clock.hour }
    guard (1...12).contains(clock.hour) else { return nil }
    return clock.hour % 12 + (isAfternoon ? 12 : 0)
  }

  // MARK: Words

  private mutating func parse(_ word: String) -> Bool {
    if Self.fillers.contains(word) { return true }
    let bare = word.hasSuffix(".") ? String(word.dropLast()) : word
    if Self.weekdays.contains(bare) { return true }
    if let found = Self.months.firstIndex(where: { $0.contains(bare) }) {
      guard month == nil else { return false }
      month = found + 1
      return true
    }
    if word == "am" || word == "pm" {
      guard isAfternoon == nil else { return false }
      isAfternoon = word == "pm"
      return true
    }
    if word.utf8.contains(UInt8(ascii: ":")), word.utf8.first.map({ $0 &- 0x30 < 10 }) == true {
      return parseClock(word)
    }
    return parseZone(word) || parseDay(bare) || parseNumber(bare)
  }

  private mutating func parseClock(_ word: String) -> Bool {
    guard clock == nil else { return false }
    var word = word
    for (mark, afternoon) in [("am", false), ("pm", true)] where word.hasSuffix(mark) {
      word = String(word.dropLast(2))
      isAfternoon = afternoon
    }
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hour = Self.number(parts[0]), let minute = Self.number(parts[1]) else {
      return false
    }
    var rest = "00"
    if parts.count == 3 {
      rest = String(parts[2])
      guard rest.utf8.count >= 2, rest.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 == UInt8(ascii: ".") }) else {
        return false
      }
    }
    clock = (hour, minute, rest)
    return true
  }

  /// Parses a time zone: `Z`, `UTC`, `GMT`, `+0300`, `+03:00`, `GMT+0300`.
  private mutating func parseZone(_ word: String) -> Bool {
    guard zone == nil, clock != nil else { return false }
    var offset = word
    for name in ["utc", "gmt", "z"] where offset.hasPrefix(name) {
      offset = String(offset.dropFirst(name.count))
      if offset.isEmpty {
        zone = "Z"
        return true
      }
      break
    }
    guard let sign = offset.first, sign == "+" || sign == "-" else { return false }
    let digits = offset.dropFirst().filter { $0 != ":" }
    guard digits.utf8.count == 4, digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return false }
    zone = "\(sign)\(digits.prefix(2)):\(digits.suffix(2))"
    return true
  }

  /// Parses a numeric date: `2026-1-5`, `2026/01/05`, `2026.01.05`, `05.01.2026`, `31/12/2026`, `12/31/2026`.
  private mutating func parseDay(_ word: String) -> Bool {
    for mark in ["-", "/", "."] as [Character] {
      let parts = word.split(separator: mark, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let values = parts.compactMap(Self.number)
      guard values.count == 3, year == nil, month == nil, day == nil else { return false }
      if parts[0].utf8.count == 4 {
        (year, month, day) = (values[0], values[1], values[2])
        return true
      }
      guard parts[2].utf8.count == 4, mark != "-" else { return false }
      if mark == "." || values[0] > 12 {
        (day, month, year) = (values[0], values[1], values[2])
        return true
      }
      guard values[1] > 12 else { return false }
      (month, day, year) = (values[0], values[1], values[2])
      return true
    }
    return false
  }

  /// Parses a number: `5`, `5th`, `2026`.
  private mutating func parseNumber(_ word: String) -> Bool {
    var word = word[...]
    for ending in ["st", "nd", "rd", "th"] where word.hasSuffix(ending) { word = word.dropLast(2) }
    guard let value = Self.number(word), numbers.count < 3 else { return false }
    numbers.append((value, word.utf8.count))
    return true
  }

  /// Assigns the numbers to the year, month and day. Next to a month name, the four-digit number is the year. `2026 01
  /// 05` is in ISO order.
  private mutating func assignNumbers() {
    if month != nil, numbers.count == 2, let at = numbers.firstIndex(where: { $0.digits == 4 }), day == nil {
      year = numbers.remove(at: at).value
      if numbers[0].digits <= 2 { day = numbers.removeFirst().value }
    } else if month == nil, numbers.count == 3, numbers[0].digits == 4 {
      (year, month, day) = (numbers[0].value, numbers[1].value, numbers[2].value)
      numbers = []
    }
  }

  private static func number(_ word: some StringProtocol) -> Int? {
    guard !word.isEmpty, word.utf8.count <= 4, word.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
    return Int(word)
  }

  private static let fillers: Set<String> = ["at", "of", "г", "г.", "года", "в"]
  private static let weekdays: Set<String> = Set(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
    понедельник вторник среда четверг пятница суббота воскресенье пн вт ср чт пт сб вс
    """.split(whereSeparator: \.isWhitespace).map(String.init))
  private static let months: [[String]] = [
    ["january", "jan", "января", "янв"], ["february", "feb", "февраля", "фев"], ["march", "mar", "марта", "мар"],
    ["april", "apr", "апреля", "апр"], ["may", "мая"], ["june", "jun", "июня", "июн"], ["july", "jul", "июля", "июл"],
    ["august", "aug", "августа", "авг"], ["september", "sep", "sept", "сентября", "сен", "сент"],
    ["october", "oct", "октября", "окт"], ["november", "nov", "ноября", "ноя"], ["december", "dec", "декабря", "дек"],
  ]
}
