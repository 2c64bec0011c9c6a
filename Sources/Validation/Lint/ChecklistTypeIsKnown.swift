import Diagnostics
import JSONText

/// A checklist has a type that the app supports.
///
/// The app shows a checklist with any other type as a general one. `--fix` corrects types that differ only in case or
/// separators.
///
/// ```json bad /content_data/checklistType
/// {"content_type": "checklist", "title": "Man overboard", "content_data": {"checklistType": "Emergency",
///   "sections": []}}
/// ```
///
/// ```json bad /content_data/checklistType
/// {"content_type": "checklist", "title": "Приёмка яхты", "content_data": {"checklistType": "приёмка", "sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Taking over", "content_data": {"checklistType": "check_in", "sections": []}}
/// ```
struct ChecklistTypeIsKnown: Rule {
  static let code = DiagnosticCode(
    "LNT0214", "unknown-checklist-type", .warning, "A checklist has an unknown type.",
    why: "the app shows the checklist among the general ones",
    fix:
      "use pre_charter, check_in, daily, post_charter, emergency, general, maintenance, safety or provisioning")

  private static let known: [StaticString] = [
    "pre_charter", "check_in", "daily", "post_charter", "emergency", "general", "maintenance", "safety",
    "provisioning",
  ]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let type = item.checklistType, type.kind == .string else { return }
    for word in Self.known where type.equals(word) { return }
    // A longer string is not a misspelled type.
    let text = String(decoding: type.inner.prefix(200), as: UTF8.self)
    let words = Self.known.map { "\($0)" }
    let same = words.first { Self.letters($0) == Self.letters(text) }
    let meant = same ?? words.first { EditDistance.between(Self.letters($0), Self.letters(text)) == 1 }
    report.finding(
      "unknown checklist type \(Quotation.of(type))\(meant.map { "; did you mean “\($0)”?" } ?? "")", at: type,
      fix: meant.map { "checklistType: \($0)" }, edit: same.map { .text($0) })
  }

  /// Returns the string in lower case, without separators.
  private static func letters(_ text: String) -> [UInt8] {
    text.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") && $0 > 0x20 }
  }
}
