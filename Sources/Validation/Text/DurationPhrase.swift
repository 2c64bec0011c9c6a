/// A duration that text states: `10-minute check`, `Уборка (15 минут)`, `takes 2 hours`.
///
/// The phrase consists of digits and an English, Russian or German unit. No duration is found in doubtful cases: two
/// times in the same text, a range, or adjacent words that make the time a point in time (`first 10 minutes`,
/// `за 10 минут до выхода`).
struct DurationPhrase {
  /// The duration in minutes.
  let minutes: Int
  /// The phrase's position in the text.
  let range: Range<Int>

  /// Finds the only duration that the text states.
  /// - Parameter isProse: whether the text is longer prose, which mentions many times. Only a time at its beginning or
  ///   after a word like `takes` then counts as a duration.
  init?(in bytes: Span<UInt8>, isProse: Bool = false) {
    var found: DurationPhrase?
    var at = 0
    while at < bytes.count {
      guard Self.isDigit(bytes[at]) else {
        at += 1
        continue
      }
      let start = at
      var number = 0
      while at < bytes.count, Self.isDigit(bytes[at]) {
        number = min(number * 10 + Int(bytes[at] - UInt8(ascii: "0")), 1_000_000)
        at += 1
      }
      guard let unit = Self.unit(bytes, at) else { continue }
      guard found == nil, Self.isIsolated(bytes, start) else { return nil }
      found = DurationPhrase(minutes: number * unit.minutes, range: start..<unit.end)
      at = unit.end
    }
    guard let found, found.minutes > 0 else { return nil }
    let before = Self.word(bytes, before: found.range.lowerBound)
    let after = Self.word(bytes, after: found.range.upperBound)
    if Self.momentsBefore.contains(before) || Self.momentsAfter.contains(after) { return nil }
    if isProse, found.range.lowerBound > 0, !Self.durations.contains(before) { return nil }
    self = found
  }

  private init(minutes: Int, range: Range<Int>) {
    self.minutes = minutes
    self.range = range
  }

  private static let momentsBefore: Set<String> = [
    "first", "last", "next", "every", "each", "within", "after", "before", "until", "past", "than", "per",
    "первые", "первых", "последние", "каждые", "через", "после", "до", "раз", "ближайшие", "течение",
    "erste", "ersten", "letzte", "letzten", "alle", "nach", "vor",
  ]
  private static let momentsAfter: Set<String> = [
    "before", "after", "early", "earlier", "late", "later", "ago", "away", "out", "from", "old", "on", "off", "apart",
    "каждый", "до", "после", "назад", "раньше", "позже", "от", "vor", "nach", "früher", "später",
  ]
  private static let durations: Set<String> = [
    "takes", "take", "about", "approx", "approximately", "ca", "duration", "time", "needs", "need", "allow", "in",
    "plan",
    "занимает", "займёт", "займет", "около", "примерно", "нужно", "длится", "за", "время", "dauert", "dauer", "etwa",
  ]

  // MARK: Pieces

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
  }

  /// Whether the number is separate, not the end of a fraction, a range, a clock time or a comparison.
  private static func isIsolated(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    var before = start - 1
    while before >= 0, bytes[before] == 0x20 { before -= 1 }
    guard before >= 0 else { return true }
    switch bytes[before] {
    case UInt8(ascii: "."), UInt8(ascii: ","): return before != start - 1
    case UInt8(ascii: ":"): return before != start - 1 || before == 0 || !isDigit(bytes[before - 1])
    case UInt8(ascii: "-"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "+"), UInt8(ascii: "/"): return false
    case 0xA4, 0xA5: return false  // ≤ ≥
    case 0x93, 0x94:  // a dash between two numbers makes a range; any other is punctuation
      let number = before - 3
      return number < 0
        || !(isDigit(bytes[number]) || bytes[number] == 0x20 && number > 0 && isDigit(bytes[number - 1]))
    default: return !isLetter(bytes[before]) || before != start - 1
    }
  }

  /// Returns the unit after a number, and the unit's end.
  private static func unit(_ bytes: Span<UInt8>, _ start: Int) -> (minutes: Int, end: Int)? {
    var at = start
    if at < bytes.count, bytes[at] == 0x20 || bytes[at] == UInt8(ascii: "-") {
      at += 1
    } else if at + 1 < bytes.count, bytes[at] == 0xC2, bytes[at + 1] == 0xA0 {
      at += 2
    }
    var end = at
    while end < bytes.count, end - at < 40, isLetter(bytes[end]) { end += 1 }
    guard end > at else { return nil }
    let word = String(decoding: bytes.extracting(at..<end)).lowercased()
    switch word {
    case "min", "mins", "minute", "minutes", "minuten", "мин": return (1, end)
    case "h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "ч": return (60, end)
    default:
      if word.hasPrefix("минут") { return (1, end) }
      return word == "час" || word == "часа" || word == "часов" || word.hasPrefix("часов") ? (60, end) : nil
    }
  }

  private static func word(_ bytes: Span<UInt8>, before end: Int) -> String {
    var last = end
    while last > 0, !isLetter(bytes[last - 1]) { last -= 1 }
    var first = last
    while first > 0, last - first < 40, isLetter(bytes[first - 1]) { first -= 1 }
    return String(decoding: bytes.extracting(first..<last)).lowercased()
  }

  private static func word(_ bytes: Span<UInt8>, after start: Int) -> String {
    var first = start
    while first < bytes.count, bytes[first] == 0x20 { first += 1 }
    var last = first
    while last < bytes.count, last - first < 40, isLetter(bytes[last]) { last += 1 }
    return String(decoding: bytes.extracting(first..<last)).lowercased()
  }
}

extension DurationPhrase {
  /// Returns the same duration for longer text in which it begins `count` bytes later.
  func moved(by count: Int) -> DurationPhrase {
    DurationPhrase(minutes: minutes, range: range.lowerBound + count..<range.upperBound + count)
  }
}
