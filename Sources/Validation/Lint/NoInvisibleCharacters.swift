import Diagnostics

/// A text has only characters that people can see.
///
/// Controls, characters of no width, byte order marks and private characters come along with copied text. Nobody sees
/// them, searching stumbles over them, and some devices show boxes. Joiners of emoji and of Persian and Indic words
/// belong there. `--fix` removes what has no look.
///
/// ```json bad /title /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "\ufeffEngine", "content_data": {"sections": [
///   {"title": "Before", "items": [{"title": "Oil\u200b level and cool\u00adant"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "👩‍✈️ Капитан\u00a0— первый 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "description": "می‌خواهم\n\tдвигатель",
///  "content_data": {"sections": []}}
/// ```
struct NoInvisibleCharacters: Rule {
  static let code = DiagnosticCode(
    "LNT0409", "invisible-character", .warning, "A text has characters that nobody can see.",
    why: "searching does not find the word, and some devices show a box", fix: "remove the characters")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .invisible) { text in
      var first: (range: Range<Int>, scalar: UInt32)?
      var count = 0
      var removable = 0
      var out: [UInt8] = []
      var done = 0
      var at = 0
      let bytes = text.bytes
      while at < bytes.count {
        let (scalar, length) = UTF8Reader.scalar(bytes, at)
        let range = at..<at + length
        at += length
        guard Self.isOdd(scalar, bytes, range) else { continue }
        count += 1
        first = first ?? (range, scalar)
        // A private character had a meaning on somebody's device; what it was only they know.
        guard !Invisible.isPrivate(scalar) else { continue }
        removable += 1
        out += bytes[done..<range.lowerBound]
        out += Array(Invisible.replacement(scalar).utf8)
        done = range.upperBound
      }
      guard let first else { return }
      out += bytes[done...]
      report.finding(
        "the text has \(Self.words(first.scalar)) \(UTF8Reader.name(first.scalar))\(Quotation.more(count - 1))",
        at: text.node, in: first.range, edit: removable > 0 ? .text(String(decoding: out, as: UTF8.self)) : nil)
    }
  }

  private static func isOdd(_ scalar: UInt32, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    switch scalar {
    case 0x200C, 0x200D:
      // Between letters of scripts that do not join, a joiner does nothing but hide.
      let before =
        range.lowerBound > 0 ? UTF8Reader.scalar(bytes, UTF8Reader.before(bytes, range.lowerBound)).value : 0x20
      let after = range.upperBound < bytes.count ? UTF8Reader.scalar(bytes, range.upperBound).value : 0x20
      return joinsNothing(before) && joinsNothing(after)
    case 0xE0020...0xE007F:
      // Flags of countries without a code are a black flag with hidden letters behind it.
      let before = UTF8Reader.scalar(bytes, UTF8Reader.before(bytes, range.lowerBound)).value
      return before != 0x1F3F4 && !(0xE0020...0xE007F).contains(before)
    default: return Invisible.isInvisible(scalar)
    }
  }

  private static func joinsNothing(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return true }
    let script = Script(scalar)
    return script == .latin || script == .cyrillic || script == .greek
  }

  private static func words(_ scalar: UInt32) -> String {
    switch scalar {
    case 0..<0xA0: "the control character"
    case 0xAD: "the soft hyphen"
    case 0xFEFF: "the byte order mark"
    case 0x2028, 0x2029: "the separator of lines"
    default: Invisible.isPrivate(scalar) ? "the private character" : "the hidden character"
    }
  }
}
