import Content
import Diagnostics
import JSONText

/// An item's visibility is `private`, `unlisted`, `public` or `unknown`.
///
/// The app itself writes `unknown` and treats it as `private`. The app also reads every other value as `private`. The
/// rule also checks `sync_status` (`pending`, `queued`, `syncing`, `synced` or `failed`); the app reads any other value
/// as `pending`. `--fix` corrects capitals.
///
/// ```json bad /visibility
/// {"content_type": "checklist", "title": "Fire", "visibility": "Public", "content_data": {"sections": []}}
/// ```
///
/// ```json bad /visibility /sync_status
/// {"content_type": "checklist", "title": "Пожар", "visibility": "everyone", "sync_status": "snyced",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// [{"content_type": "checklist", "title": "Fire", "visibility": "unlisted", "sync_status": "synced",
///   "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Flooding", "visibility": "unknown", "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Grounding", "content_data": {"sections": []}}]
/// ```
struct VisibilityIsKnown: Rule {
  static let code = DiagnosticCode(
    "LNT0506", "unknown-visibility", .warning, "An item has an unknown visibility.",
    why: "the app reads any other visibility as private, and any other sync status as pending",
    fix: "use private, unlisted or public")

  private static let visibilities: [StaticString] = ["private", "unlisted", "public", "unknown"]
  private static let states: [StaticString] = ["pending", "synced", "queued", "syncing", "failed"]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    checkValue(item.visibility, Self.visibilities, "visibility", report)
    checkValue(item.syncStatus, Self.states, "sync_status", report)
  }

  private func checkValue(_ node: JSONNode?, _ known: [StaticString], _ name: String, _ report: RuleReport) {
    guard let node, node.kind == .string else { return }
    for word in known where node.equals(word) { return }
    let text = String(decoding: node.inner.prefix(200), as: UTF8.self)
    let words = known.map { "\($0)" }
    let same = words.first { $0 == text.lowercased().filter { !$0.isWhitespace } }
    let meant = same ?? Spelling.nearest(to: text, among: words)
    report.finding(
      "unknown \(name) \(Quotation.of(node))\(meant.map { "; did you mean “\($0)”?" } ?? "")", at: node,
      fix: meant.map { "\(name): \($0)" } ?? (name == "visibility" ? nil : "use \(words.joined(separator: ", "))"),
      edit: same.map { .text($0) })
  }
}
