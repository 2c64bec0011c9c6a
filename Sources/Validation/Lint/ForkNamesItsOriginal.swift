import Diagnostics
import JSONText

/// A fork names the author of its original, and only a fork names one.
///
/// A shared copy of a checklist should credit its author. The app reads the credit from `original_author_username` and
/// `original_content_public_id`.
///
/// ```json bad /forked_from_id
/// {"content_type": "checklist", "title": "Fire", "forked_from_id": "0D0939BC-A71B-49F8-B06C-C047F24F4730",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json bad /original_author_username
/// {"content_type": "checklist", "title": "Пожар", "original_author_username": "anna",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Fire", "forked_from_id": "0D0939BC-A71B-49F8-B06C-C047F24F4730",
///  "original_author_username": "anna", "content_data": {"sections": []}}
/// ```
struct ForkNamesItsOriginal: Rule {
  static let code = DiagnosticCode(
    "LNT0502", "fork-attribution", .note,
    "A fork does not name its original, or an item that is not a fork names one.",
    why: "the app does not show the original's author with the item",
    fix: "set forked_from_id together with original_author_username and original_content_public_id")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    let isFork = Self.isSet(item.forkedFrom)
    let original = Self.isSet(item.originalPublicID) ? item.originalPublicID : item.originalAuthor
    let hasOriginal = Self.isSet(original)
    guard isFork != hasOriginal else { return }
    if isFork, let node = item.forkedFrom {
      report.finding("the item is a fork, but names neither an author nor an original", at: node)
    } else if let original {
      report.finding("the item names an original, but is not a fork", at: original)
    }
  }

  private static func isSet(_ node: JSONNode?) -> Bool {
    guard let node else { return false }
    return node.kind == .string && node.token.length > 2
  }
}
