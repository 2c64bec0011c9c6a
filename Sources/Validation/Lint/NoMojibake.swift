import Diagnostics

/// A text is read in the encoding in which it was written.
///
/// `Ã©` for é, `ÐŸÑ€Ð¾` or `РџСЂРѕ` for Про, `â€™` for an apostrophe, and � appear when a program reads the bytes in
/// another encoding.
///
/// ```json bad /title /description
/// {"content_type": "checklist", "title": "ÐŸÑ€Ð¾Ð²ÐµÑ€ÐºÐ°", "description": "The skipperâ€™s list, 5Â° heel",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json bad /title /description
/// {"content_type": "checklist", "title": "РџСЂРѕРІРµСЂРєР°", "description": "caf\ufffd", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Âncora, pão, Ñandú, à l’arrière", "description": "ВЕТЕР С° и С «румба»",
///  "language": "pt", "content_data": {"sections": []}}
/// ```
struct NoMojibake: Rule {
  static let code = DiagnosticCode(
    "LNT0411", "mojibake", .warning, "A text was read in the wrong encoding.",
    why: "people cannot read the text", fix: "copy the text from its source again, as UTF-8")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .mojibake) { text in
      guard let place = Mojibake.first(in: text.bytes) else { return }
      let (scalar, _) = UTF8Reader.scalar(text.bytes, place.lowerBound)
      report.finding(
        scalar == 0xFFFD
          ? "a character of the text is lost (�)"
          : "\(Quotation.of(text.bytes, place)) is text that was read in the wrong encoding",
        at: text.node, in: place)
    }
  }
}
