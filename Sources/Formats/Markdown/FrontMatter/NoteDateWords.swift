import Content

/// A date in words: reads each of them, and gives up at the first that says nothing about a day or a time.
struct NoteDateWords {
  /// The instant that the words name.
  private(set) var time: Timestamp?

  private var year: Int?
  private var month: Int?
  private var day: Int?
  /// Numbers that are not yet known to be a day, a month or a year, with how many digits they have.
  private var numbers: [(value: Int, digits: Int)] = []
  private var clock: (hour: Int, minute: Int, rest: String)?
  /// Whether it said `pm`; nil when it said nothing.
  private var isAfternoon: Bool?
  private var zone: String?

  /// Reads a text; nil when it holds anything else than a date.
  init?(_ text: String) {
    for word in text.split(whereSeparator: { " ,\t".contains($0) }) {
      // `(Moscow Standard Time)` behind an offset, as JavaScript writes it.
      if word.hasPrefix("("), zone != nil { break }
      guard take(word.lowercased()) else { return nil }
    }
    settleNumbers()
    guard let year, let month, let day, numbers.isEmpty, isAfternoon == nil || clock != nil, let hour else {
      return nil
    }
    time = NoteDate.time(
      year, month, day, hour: hour, minute: clock?.minute ?? 0, rest: clock?.rest ?? "00", zone: zone ?? "Z")
    guard time != nil else { return nil }
  }

  /// The hour of the day, from 0 to 23; nil when the clock has no such hour.
  private var hour: Int? {
    guard let clock else { return 0 }
    guard let isAfternoon else { return clock.hour }
    guard (1...12).contains(clock.hour) else { return nil }
    return clock.hour % 12 + (isAfternoon ? 12 : 0)
  }

  // MARK: Words

  private mutating func take(_ word: String) -> Bool {
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
      return take(clock: word)
    }
    return take(zone: word) || take(day: bare) || take(number: bare)
  }

  private mutating func take(clock word: String) -> Bool {
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

  /// `Z`, `UTC`, `GMT`, `+0300`, `+03:00`, `GMT+0300`.
  private mutating func take(zone word: String) -> Bool {
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

  /// `2026-1-5`, `2026/01/05`, `2026.01.05`, `05.01.2026`, `31/12/2026`, `12/31/2026`.
  private mutating func take(day word: String) -> Bool {
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

  /// `5`, `5th`, `2026`.
  private mutating func take(number word: String) -> Bool {
    var word = word[...]
    for ending in ["st", "nd", "rd", "th"] where word.hasSuffix(ending) { word = word.dropLast(2) }
    guard let value = Self.number(word), numbers.count < 3 else { return false }
    numbers.append((value, word.utf8.count))
    return true
  }

  /// Numbers beside the name of a month: the one with four digits is the year. `2026 01 05` is in the order of ISO.
  private mutating func settleNumbers() {
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
