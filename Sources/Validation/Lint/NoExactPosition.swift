import Diagnostics
import MarkdownSyntax

/// An exact position is published only on purpose.
///
/// Waypoints and harbour lights belong in checklists; last night's anchorage may not. The finding is only a
/// note, and there is at most one for each text. Positions in whole minutes are never reported.
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Buoys", "content_data": {
///   "markdown": "Pick up the buoy at 37° 58′.2 N 020° 44′.6 E.\n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Mayday", "language": "ru", "content_data": {
///   "markdown": "Место: 43°35′ с. ш. 039°43′ в. д., крен 5°, 1.500, 2.000 об/мин, 12.50, 13.80 В\n"}}
/// ```
struct NoExactPosition: Rule {
  static let code = DiagnosticCode(
    "LNT0605", "exact-position", .note, "Text contains an exact position.",
    why: "published text shows everyone where a person was or will be",
    fix: "leave the position if it is meant to be public, or remove it")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .manyDigits) { text in
      guard let range = ExactPosition.first(in: text.bytes.span, { !$0.isHome }) else { return }
      report.finding("\(Quotation.of(text.bytes.span, range)) is an exact position", at: text.node, in: range)
    }
  }
}

/// An exact position in text: latitude and longitude to a fraction of a minute.
struct ExactPosition {
  let range: Range<Int>
  /// Whether the surrounding words mention a berth or a home.
  let isHome: Bool

  private static let homes = [
    "home", "house", "our berth", "my berth", "our mooring", "my mooring", "own mooring", "berth:", "mooring:", "дом ",
    "дома", "наш причал", "стоянк", "наше место", "моё место",
  ]

  /// Returns the range of the first position for which `suits` returns true.
  static func first(in bytes: Span<UInt8>, _ suits: (ExactPosition) -> Bool) -> Range<Int>? {
    var at = ByteSearch.digit(in: bytes, from: 0)
    while at < bytes.count {
      if let end = pair(bytes, at) {
        let range = PositionHemisphere.widened(at..<end, in: bytes)
        let found = ExactPosition(range: range, isHome: mentionsHome(bytes, range))
        if suits(found) { return found.range }
        at = end
      } else {
        while at < bytes.count, bytes[at] &- 0x30 < 10 || bytes[at] == UInt8(ascii: ".") { at += 1 }
      }
      at = ByteSearch.digit(in: bytes, from: at)
    }
    return nil
  }

  private struct Angle {
    var end: Int
    var degrees: Double
    /// The number of digits after the decimal point; nil for degrees and minutes.
    var decimals: Int?
  }

  private static func pair(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    guard let first = angle(bytes, start), first.degrees <= 90 else { return nil }
    // Skips the letter of the first hemisphere, a comma and blanks.
    var at = first.end
    while at < bytes.count, at - first.end < 24, !(bytes[at] &- 0x30 < 10), bytes[at] != 0x0A { at += 1 }
    guard at < bytes.count, bytes[at] &- 0x30 < 10, let second = angle(bytes, at), second.degrees <= 180 else {
      return nil
    }
    switch (first.decimals, second.decimals) {
    case (nil, nil): return second.end
    case (let left?, let right?):
      // Two adjacent numbers are a position if they have more decimals than a price has.
      let between = bytes.extracting(first.end..<at).allSatisfy { $0 == 0x20 || $0 == 0x2C || $0 == 0x2D || $0 == 0x3B }
      return between && max(left, right) >= 4 && min(left, right) >= 3 ? second.end : nil
    default: return nil
    }
  }

  /// Parses an angle, such as `37.9420`, `37°56.5'`, `37° 58′.2` or `37°56'30"`, but never whole minutes.
  private static func angle(_ bytes: Span<UInt8>, _ start: Int) -> Angle? {
    var at = start
    guard let degrees = number(bytes, &at, 3) else { return nil }
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
      let first = at + 1
      at = first
      while at < bytes.count, bytes[at] &- 0x30 < 10 { at += 1 }
      return at - first >= 3 && at - first <= 12 ? Angle(end: at, degrees: Double(degrees), decimals: at - first) : nil
    }
    blanks(bytes, &at)
    guard at + 1 < bytes.count, bytes[at] == 0xC2, bytes[at + 1] == 0xB0 else { return nil }
    at += 2
    blanks(bytes, &at)
    guard let minutes = number(bytes, &at, 2), minutes < 60 else { return nil }
    var isExact = fraction(bytes, &at)
    guard mark(bytes, &at) else { return isExact ? Angle(end: at, degrees: Double(degrees)) : nil }
    if !isExact { isExact = fraction(bytes, &at) }
    if !isExact {
      blanks(bytes, &at)
      var seconds = at
      if number(bytes, &seconds, 2) != nil {
        _ = fraction(bytes, &seconds)
        if mark(bytes, &seconds) {
          _ = mark(bytes, &seconds)
          at = seconds
          isExact = true
        }
      }
    }
    return isExact ? Angle(end: at, degrees: Double(degrees)) : nil
  }

  private static func number(_ bytes: Span<UInt8>, _ at: inout Int, _ most: Int) -> Int? {
    let start = at
    var value = 0
    while at < bytes.count, bytes[at] &- 0x30 < 10 {
      guard at - start < most else { return nil }
      value = value * 10 + Int(bytes[at] - 0x30)
      at += 1
    }
    return at > start ? value : nil
  }

  private static func fraction(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
    guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: ".") || bytes[at] == UInt8(ascii: ","),
      bytes[at + 1] &- 0x30 < 10
    else { return false }
    at += 1
    while at < bytes.count, bytes[at] &- 0x30 < 10 { at += 1 }
    return true
  }

  /// Skips a mark for minutes or seconds (' " ’ ” ′ ″) and returns whether there was one.
  private static func mark(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
    guard at < bytes.count else { return false }
    if bytes[at] == 0x27 || bytes[at] == 0x22 {
      at += 1
      return true
    }
    let (scalar, length) = UTF8Reader.scalar(bytes, at)
    guard [0x2019, 0x201D, 0x2032, 0x2033].contains(scalar) else { return false }
    at += length
    return true
  }

  private static func blanks(_ bytes: Span<UInt8>, _ at: inout Int) {
    while at < bytes.count, bytes[at] == 0x20 { at += 1 }
  }

  private static func mentionsHome(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var start = range.lowerBound
    while start > 0, range.lowerBound - start < 80, bytes[start - 1] != 0x0A { start -= 1 }
    var end = range.upperBound
    while end < bytes.count, end - range.upperBound < 40, bytes[end] != 0x0A { end += 1 }
    let near = UTF8Reader.string(bytes, start..<end).lowercased()
    return homes.contains { near.contains($0) }
  }
}

/// The letters for hemispheres in a position.
private enum PositionHemisphere {
  private static let names: [[UInt8]] = [
    "N", "S", "E", "W", "с. ш.", "ю. ш.", "в. д.", "з. д.", "с.ш.", "ю.ш.", "в.д.", "з.д.",
  ]
  .map { Array($0.utf8) }

  /// Extends a position's range to include the letter before its first number, or else the letter after its last
  /// number.
  fileprivate static func widened(_ range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
    var start = range.lowerBound
    while start > 0, range.lowerBound - start < 2, bytes[start - 1] == 0x20 { start -= 1 }
    for name in names where name.count == 1 && start > 0 && bytes[start - 1] == name[0] {
      if start == 1 || !isLetter(bytes[start - 2]) { return start - 1..<range.upperBound }
    }
    var end = range.upperBound
    while end < bytes.count, end - range.upperBound < 2, bytes[end] == 0x20 { end += 1 }
    for name in names where bytes.starts(with: name.span, at: end) {
      let behind = end + name.count
      if behind == bytes.count || name.count > 1 || !isLetter(bytes[behind]) { return range.lowerBound..<behind }
    }
    return range
  }

  /// Whether a byte may belong to a word. Every non-ASCII byte may.
  private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x80 }
}
