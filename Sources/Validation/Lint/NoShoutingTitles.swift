import Diagnostics

/// Titles are not written in all capitals.
///
/// People read words in capitals letter by letter, which is slower. Abbreviations, and the titles of emergency
/// checklists, may be in capitals. A title is reported only if it has more than twelve letters, all of them capitals.
///
/// ```json bad /title
/// {"content_type": "checklist", "title": "ENGINE CHECK BEFORE START", "content_data": {"sections": []}}
/// ```
///
/// ```json bad /content_data/sections/0/title
/// {"content_type": "checklist", "title": "Двигатель", "language": "ru", "content_data": {"sections": [
///   {"title": "ПРОВЕРКА ДВИГАТЕЛЯ", "items": [{"title": "Масло"}]}]}}
/// ```
///
/// ```json good
/// [{"content_type": "checklist", "title": "MAN OVERBOARD: RECOVERY", "content_data": {
///   "checklistType": "emergency", "sections": []}},
///  {"content_type": "checklist", "title": "VHF/DSC/AIS/EPIRB", "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "W-O-B-B-L-E and SART", "content_data": {"sections": []}}]
/// ```
struct NoShoutingTitles: Rule {
  static let code = DiagnosticCode(
    "LNT0413", "shouting-title", .note, "A title is written in all capitals.",
    why: "capitals take longer to read and look like an emergency", fix: "write the title in lower case")

  /// The minimum number of letters. A shorter title may be an abbreviation.
  private static let fewest = 13
  /// The maximum length of an abbreviation. If no word is longer, all words may be abbreviations.
  private static let longestAbbreviation = 5

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    if let title = item.title { checkTitle(title, item, report) }
    // The document's own title comes after the tags.
    let own = item.tagTexts.endIndex
    if own < item.texts.count, item.texts[own].role == .documentTitle { checkTitle(item.texts[own], item, report) }
    for section in item.sections {
      if let title = section.title { checkTitle(title, item, report) }
    }
  }

  private func checkTitle(_ title: OutlineText, _ item: ItemOutline, _ report: RuleReport) {
    // The type is checked last, because nearly all titles pass the first check.
    guard Self.isShouting(title.bytes.span), !(item.checklistType?.equals("emergency") ?? false) else { return }
    report.finding("the title \(Quotation.of(title.bytes.span)) is written in all capitals", at: title.node)
  }

  private static func isShouting(_ bytes: Span<UInt8>) -> Bool {
    var capitals = 0
    var word = 0
    var longest = 0
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x80 {
        if byte >= 0x61, byte <= 0x7A { return false }
        let isCapital = byte >= 0x41 && byte <= 0x5A
        capitals += isCapital ? 1 : 0
        word = isCapital ? word + 1 : 0
        longest = max(longest, word)
        at += 1
        continue
      }
      let (scalar, length) = UTF8Reader.scalar(bytes, at)
      switch scalar {
      case 0x430..<0x460, 0xDF..<0x100, 0x3AC..<0x3CF: return false
      case 0x400..<0x430, 0xC0..<0xDF, 0x391..<0x3AC:
        capitals += 1
        word += 1
        longest = max(longest, word)
      default:
        if let letter = Unicode.Scalar(scalar), letter.properties.isLowercase { return false }
      }
      at += length
    }
    return capitals >= fewest && longest > longestAbbreviation
  }
}
