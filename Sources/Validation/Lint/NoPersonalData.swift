import Diagnostics

/// A text names nobody's address or telephone.
///
/// Addresses of offices (`info@`, `marina@`) and telephones of services are meant to be known. Others belong to a
/// person, who should be asked.
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
public struct NoPersonalData: Rule {
  public static let code = DiagnosticCode(
    "LNT0603", "personal-data", .note, "A text holds an e-mail address or a telephone number.",
    why: "what is published is read by everybody, the person's callers included",
    fix: "take it out unless its owner agrees")

  public init(limits: RuleLimits) {}

  public mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: [.at, .manyDigits]) { text in
      guard let (range, isMail) = PersonalData.first(in: text.bytes) else { return }
      report.finding(
        isMail ? "this is somebody's e-mail address" : "this looks like somebody's telephone number", at: text.node,
        in: range)
    }
  }
}
