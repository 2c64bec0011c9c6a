import Content

/// A date of a front matter as people write it: only what names a year, a month and a day is one.
///
/// ISO 8601 with or without a time, `2026/01/05`, `05.01.2026`, `5 January 2026`, `January 5, 2026`, `5 января 2026`.
/// `05/01/2026` is none: half of the world reads it as May.
enum NoteDate {
  /// The instant, midnight UTC where there is no time; nil where something would have to be invented.
  static func parse(_ text: String) -> Timestamp? {
    let text = text.trimmingBlanks
    guard text.utf8.count <= 64 else { return nil }
    if let (time, quirks) = Timestamp.parse(text), !quirks.contains(.rollsOver), isISO(text) { return time }
    let parts = text.split { " ,./".contains($0) }.map(String.init)
    guard parts.count == 3 else { return nil }
    if text.contains("/") {
      guard parts[0].count == 4, let year = Int(parts[0]) else { return nil }
      return time(year, Int(parts[1]), Int(parts[2]))
    }
    if Int(parts[0]) != nil, let month = Int(parts[1]) {
      if parts[0].count == 4, let year = Int(parts[0]) { return time(year, month, Int(parts[2])) }
      guard text.contains("."), parts[2].count == 4, let year = Int(parts[2]) else { return nil }
      return time(year, month, Int(parts[0]))
    }
    guard parts[2].count == 4, let year = Int(parts[2]) else { return nil }
    if let month = month(parts[1]) { return time(year, month, Int(ordinal(parts[0]))) }
    return month(parts[0]).flatMap { time(year, $0, Int(ordinal(parts[1]))) }
  }

  /// Whether a text begins with four digits and a dash: bare numbers and years are no dates.
  private static func isISO(_ text: String) -> Bool {
    let bytes = Array(text.utf8.prefix(5))
    return bytes.count == 5 && bytes[4] == UInt8(ascii: "-") && bytes.prefix(4).allSatisfy { $0 &- 0x30 < 10 }
  }

  private static func time(_ year: Int, _ month: Int?, _ day: Int?) -> Timestamp? {
    guard let month, let day, (1...12).contains(month), (1...31).contains(day), (1...9999).contains(year) else {
      return nil
    }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let years = String(repeating: "0", count: 4 - String(year).count) + String(year)
    guard let (time, quirks) = Timestamp.parse("\(years)-\(two(month))-\(two(day))"), !quirks.contains(.rollsOver)
    else { return nil }
    return time
  }

  /// `5th` is 5.
  private static func ordinal(_ text: String) -> String {
    for ending in ["st", "nd", "rd", "th"] where text.lowercased().hasSuffix(ending) { return String(text.dropLast(2)) }
    return text
  }

  private static let months: [[String]] = [
    ["january", "jan", "января"], ["february", "feb", "февраля"], ["march", "mar", "марта"],
    ["april", "apr", "апреля"], ["may", "мая"], ["june", "jun", "июня"], ["july", "jul", "июля"],
    ["august", "aug", "августа"], ["september", "sep", "sept", "сентября"], ["october", "oct", "октября"],
    ["november", "nov", "ноября"], ["december", "dec", "декабря"],
  ]

  private static func month(_ text: String) -> Int? {
    let word = text.lowercased()
    return months.firstIndex { $0.contains(word) }.map { $0 + 1 }
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
