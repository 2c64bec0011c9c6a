import Diagnostics

/// A step's title begins with words, not with a bullet or a box.
///
/// The app itself draws a box before each step. Typed bullets often come with a list that is pasted from another
/// program. `--fix` removes them.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "- Check the oil"}, {"title": "[ ] Check the belts"}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Двигатель", "content_data": {"sections": [{"title": "Холодный", "items": [
///   {"title": "• Масло"}, {"title": "☐ Ремни"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "-5 °C: antifreeze"}, {"title": "- 5 °C: heater"}, {"title": "[Skipper] Check the oil"},
///   {"title": "—"}, {"title": "*Only* the port one"}]}]}}
/// ```
struct NoTypedBullets: Rule {
  static let code = DiagnosticCode(
    "LNT0219", "typed-bullet", .note, "A step's title begins with a typed bullet or box.",
    why: "the app draws its own box, so the crew sees two", fix: "delete the bullet")

  /// Bullets, boxes and ticks that are three bytes long.
  private static let signs: Set<UInt32> = [
    0x2022, 0x2023, 0x2043, 0x25A0, 0x25A1, 0x25A2, 0x25AA, 0x25AB, 0x25CB, 0x25CF, 0x25E6, 0x2610, 0x2611, 0x2612,
    0x2705, 0x2713, 0x2714, 0x274F, 0x2751, 0x2752, 0xF0B7,
  ]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for step in item.steps {
      guard let title = step.title, let first = title.bytes.first, Self.mayBegin(first) else { continue }
      let length = Self.prefix(title.bytes.span)
      guard length > 0 else { continue }
      let rest = UTF8Reader.string(title.bytes.span, length..<title.bytes.count)
      let mark = UTF8Reader.string(title.bytes.span, 0..<length).trimmed
      report.finding(
        "the step \(title.quoted) begins with \(Quotation.of(mark))", at: title.node, in: 0..<length,
        edit: .text(rest))
    }
  }

  @inline(__always) private static func mayBegin(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "[") || byte == 0xC2
      || byte == 0xE2 || byte == 0xEF
  }

  /// Returns the number of bytes of all bullets and boxes at the beginning, including the blanks after them. Returns 0
  /// if no text would be left.
  private static func prefix(_ bytes: Span<UInt8>) -> Int {
    var at = 0
    // “- [ ] Close” has a bullet and a box. More than two are unlikely.
    for _ in 0..<4 {
      guard at < bytes.count, let next = sign(bytes, at) else { break }
      at = next
      while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
    }
    return at < bytes.count ? at : 0
  }

  /// Returns the position after the bullet or box that begins here, or nil.
  private static func sign(_ bytes: Span<UInt8>, _ at: Int) -> Int? {
    switch bytes[at] {
    case UInt8(ascii: "-"), UInt8(ascii: "*"): return isApart(bytes, at + 1) ? at + 1 : nil
    case UInt8(ascii: "["):
      if at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "]") { return at + 2 }
      guard at + 2 < bytes.count, bytes[at + 2] == UInt8(ascii: "]") else { return nil }
      let mark = bytes[at + 1]
      // In “[x] axis” the bracketed letter belongs to the title, but it cannot be distinguished from a box.
      return mark == 0x20 || mark | 0x20 == UInt8(ascii: "x") ? at + 3 : nil
    case 0xC2, 0xE2, 0xEF:
      let (scalar, length) = UTF8Reader.scalar(bytes, at)
      // Dashes and middle dots are bullets only if a blank follows.
      if scalar == 0x2013 || scalar == 0x2014 || scalar == 0xB7 {
        return isApart(bytes, at + length) ? at + length : nil
      }
      guard signs.contains(scalar) else { return nil }
      var end = at + length
      // Skips the variation selector for the coloured or plain form.
      if end + 2 < bytes.count, bytes[end] == 0xEF, bytes[end + 1] == 0xB8, bytes[end + 2] | 1 == 0x8F { end += 3 }
      return end
    default: return nil
    }
  }

  /// Whether a blank follows that is not followed by a number. “- 5 °C” is a temperature.
  private static func isApart(_ bytes: Span<UInt8>, _ at: Int) -> Bool {
    guard at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 else { return false }
    guard at + 1 < bytes.count else { return true }
    return !(0x30...0x39).contains(bytes[at + 1])
  }
}
