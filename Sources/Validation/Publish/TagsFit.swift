import Diagnostics

/// A published item has at most ten tags.
///
/// ```json bad /tags
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": []},
///  "tags": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": []},
///  "tags": ["harbour", "mooring", "engine", "crew", "a", "b", "c", "d", "e", "f"]}
/// ```
struct TagsFit: Rule {
  static let code = DiagnosticCode(
    "PUB0106", "too-many-tags", .error, "An item has more than ten tags.",
    why: "the app does not publish the item", fix: "keep the ten tags that people would search for")
  static let layer = RuleLayer.publish

  private static let most = 10

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let tags = item.tags, tags.kind == .array, tags.token.count > Self.most else { return }
    var count = 0
    tags.forEachElement { _ in count += 1 }
    report.finding("the item has \(count) tags; the limit is 10", at: tags)
  }
}
