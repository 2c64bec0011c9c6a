import Diagnostics
import JSONText

/// Before an item that was recovered from damage is published, its author reviews it.
///
/// FleetKit keeps an unusable value of a damaged library unchanged under `extras.raw` and replaces it with an empty
/// list or a guess. The author should compare both values before others see the item. A replaced id needs no review.
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
    why: "others may see content that differs from what the author wrote",
    fix: "compare the item with extras.raw, correct it and delete extras.raw")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let raw = item.root?.member("extras")?.member("raw") else { return }
    var first: JSONNode?
    var names: [String] = []
    raw.forEachMember { name, value in
      // The old form of a replaced id.
      if name.equals("id") || value.isNull { return }
      if first == nil { first = value }
      if names.count < 6 { names.append(Quotation.of(name)) }
    }
    guard let first else { return }
    report.finding("the stored value of \(names.joined(separator: ", ")) could not be used unchanged", at: first)
  }
}
