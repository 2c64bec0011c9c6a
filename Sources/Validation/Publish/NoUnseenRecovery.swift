import Diagnostics
import JSONText

/// An item that was recovered from damage is reviewed before it is published.
///
/// A value of a damaged library that cannot be used is kept unchanged under `extras.raw`, and something else takes its
/// place: an empty list, or a guess. The author should look at both before others see the item. An id that was replaced
/// needs no review.
///
/// ```json bad /extras/raw/content
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": []},
///  "extras": {"raw": {"content": "[{\"title\": \"Below\", \"ite"}}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": []},
///  "extras": {"raw": {"id": "berth-1"}, "source": "club"}}
/// ```
struct NoUnseenRecovery: Rule {
  static let code = DiagnosticCode(
    "PUB0116", "recovered-from-damage", .warning, "An item was recovered from damage.",
    why: "what others would see may not be what its author wrote",
    fix: "compare it with the text under extras.raw, correct it and delete extras.raw")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let raw = item.root?.member("extras")?.member("raw") else { return }
    var first: JSONNode?
    var names: [String] = []
    raw.forEachMember { name, value in
      // The old form of an id that was replaced.
      if name.equals("id") || value.isNull { return }
      if first == nil { first = value }
      if names.count < 6 { names.append(Quotation.of(name)) }
    }
    guard let first else { return }
    report.finding("the stored value of \(names.joined(separator: ", ")) could not be used unchanged", at: first)
  }
}
