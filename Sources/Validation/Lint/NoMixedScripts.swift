import Diagnostics

/// A word is written in one script.
///
/// A Cyrillic `с` looks like a Latin `c`, but a search for “check” does not find “сheck”. A word is reported if all its
/// letters in one script look like letters in the other. `--fix` writes the word in the script of its remaining
/// letters.
///
/// ```json bad /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [
///   {"title": "Before", "items": [{"title": "Oil \u0441heck"}]}]}}
/// ```
///
/// ```json bad /title
/// {"content_type": "checklist", "title": "Прове\u0070ка", "language": "ru", "content_data": {"sections": []}}
/// ```
///
/// Units, hyphens and digits do not count as another script:
///
/// ```json good
/// {"content_type": "checklist", "title": "VHF-радио, 12В, GPS и λ-зонд", "language": "ru", "content_data": {"sections": [
///   {"title": "SMSка базе", "items": [{"title": "Wi-Fi выключен, насос 2 кВт"}]}]}}
/// ```
struct NoMixedScripts: Rule {
  static let code = DiagnosticCode(
    "LNT0407", "mixed-scripts", .warning, "A word mixes letters of two scripts that look alike.",
    why: "searches do not find the word, and speech output spells it out", fix: "type the word again in one script")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    let signs = item.signs
    // Latin and other letters must both occur, next to each other.
    guard !signs.isDisjoint(with: [.cyrillic, .greek]), !signs.isDisjoint(with: .scriptMeetsScript) else { return }
    item.forEachText(with: .scriptMeetsScript) { text in
      let words = HomoglyphWord.all(in: text.bytes)
      guard let first = words.first else { return }
      report.finding(
        "the word \(Quotation.of(text.bytes, first.range)) mixes Latin and \(first.other.name) letters"
          + Quotation.more(words.count - 1),
        at: text.node, in: first.odd, label: first.label,
        edit: words.contains { $0.better != nil } ? .text(HomoglyphWord.fixed(text.bytes, words)) : nil)
    }
  }
}
