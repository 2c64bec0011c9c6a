import Diagnostics

/// A tag is one word or a few words, without surrounding signs.
///
/// The app compares tags letter by letter: `#safety` is not `safety`, and `safety, engine` is one tag that no search
/// finds. `--fix` removes `#` and surrounding blanks. If the item already has the corrected tag, `duplicate-tag`
/// reports it.
///
/// ```json bad /tags/0 /tags/1 /tags/2
/// {"content_type": "checklist", "title": "Fire", "tags": ["#fire", "safety, engine", " drill "],
///  "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Пожар", "tags": ["пожар на борту", "check-in", "24/7", "C#"],
///  "content_data": {"sections": []}}
/// ```
struct TagIsPlainWords: Rule {
  static let code = DiagnosticCode(
    "LNT0404", "tag-with-signs", .warning, "A tag has signs that do not belong in a word.",
    why: "a search for the word does not find the tag", fix: "write the tag as plain words, one tag per subject")

  init(limits: RuleLimits) {}

  private var seen = SmallSet()

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard item.tagTexts.contains(where: { Self.hasSigns($0) }) else { return }
    seen.removeAll()
    for text in item.tagTexts {
      let bytes = text.bytes.span
      guard let first = bytes.first, seen.insert(TextKey.hash(bytes, .words)), Self.hasSigns(text) else { continue }
      if let sign = bytes.firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) {
        report.finding(
          "is \(Quotation.of(text.string)) one tag or several?", at: text.node, in: sign..<sign + 1,
          fix: "make each one a separate tag")
      } else {
        let plain = Self.plain(bytes)
        guard !plain.isEmpty else { continue }
        report.finding(
          "the tag \(Quotation.of(text.string)) has "
            + (first == UInt8(ascii: "#") ? "a # in front" : "surrounding blanks"),
          at: text.node, fix: "write \(Quotation.of(plain))", edit: .text(plain))
      }
    }
  }

  /// Whether a tag has signs that do not belong in a word. A blank tag has no signs.
  static func hasSigns(_ text: OutlineText) -> Bool {
    guard let first = text.bytes.first, let last = text.bytes.last else { return false }
    guard
      first == UInt8(ascii: "#") || first <= 0x20 || last <= 0x20
        || text.bytes.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") })
    else { return false }
    return !text.isBlank
  }

  private static func plain(_ bytes: Span<UInt8>) -> String {
    var start = 0
    var end = bytes.count
    while start < end, bytes[start] <= 0x20 || bytes[start] == UInt8(ascii: "#") { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    return UTF8Reader.string(bytes, start..<end)
  }
}
