import Diagnostics

/// A text contains no personal e-mail address or telephone number.
///
/// Office addresses (`info@`, `marina@`) and telephone numbers of services are meant to be public. Other addresses and
/// numbers belong to a person, who should be asked.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Deposit", "content_data": {"sections": [
///   {"title": "Owner", "items": [{"title": "Write to anna.k@gmail.com"}, {"title": "Петрос: +30 694 412 3456"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Numbers", "content_data": {"sections": [
///   {"title": "Help", "items": [{"title": "MRCC Piraeus +30 210 411 2500, VHF 16"}, {"title": "info@marina.example.com"},
///     {"title": "Course +15 degrees, 112, heel 5@20"}]}]}}
/// ```
struct NoPersonalData: Rule {
  static let code = DiagnosticCode(
    "LNT0603", "personal-data", .note, "A text contains an e-mail address or a telephone number.",
    why: "anyone can read a published text, and contact the person",
    fix: "remove the address or number unless its owner agrees")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: [.at, .manyDigits]) { text in
      guard let (range, isMail) = PersonalData.first(in: text.bytes) else { return }
      report.finding(
        isMail ? "this is a personal e-mail address" : "this looks like a personal telephone number", at: text.node,
        in: range)
    }
  }
}
