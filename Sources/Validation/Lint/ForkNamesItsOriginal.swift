import Diagnostics
import JSONText

/// A fork names the author that it comes from, and only a fork does.
///
/// Who shares a changed checklist owes its author the name. The app shows it from `original_author_username` and
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
public struct ForkNamesItsOriginal: Rule {
  public static let code = DiagnosticCode(
    "LNT0502", "fork-attribution", .note, "A fork does not name its original, or something else does.",
    why: "the author of the original is not named where the item is shown",
    fix: "set forked_from_id together with original_author_username and original_content_public_id")

  public init(limits: RuleLimits) {}

  public mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    let isFork = Self.isSet(item.forkedFrom)
    let original = Self.isSet(item.originalPublicID) ? item.originalPublicID : item.originalAuthor
    let hasOriginal = Self.isSet(original)
    guard isFork != hasOriginal else { return }
    if isFork, let node = item.forkedFrom {
      report.finding("the item is a fork and names no author and no original", at: node)
    } else if let original {
      report.finding("the item names an original and is no fork", at: original)
    }
  }

  private static func isSet(_ node: JSONNode?) -> Bool {
    guard let node else { return false }
    return node.kind == .string && node.token.length > 2
  }
}
