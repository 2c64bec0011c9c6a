import Diagnostics
import JSONText

/// A public id belongs to only one item.
///
/// The registry identifies an item by its public id. If two items have the same public id, publishing the second fails
/// or changes the first.
///
/// ```json bad /public_id
/// [{"id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_type": "checklist", "title": "Fire",
///   "public_id": "fire-2663557A", "content_data": {"sections": []}},
///  {"id": "1EF2416D-7ACC-4100-A497-8C4FAB8820DA", "content_type": "checklist", "title": "Пожар",
///   "public_id": "fire-2663557A", "content_data": {"sections": []}}]
/// ```
///
/// ```json good
/// [{"id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_type": "checklist", "title": "Fire",
///   "public_id": "fire-2663557A", "content_data": {"sections": []}},
///  {"id": "1EF2416D-7ACC-4100-A497-8C4FAB8820DA", "content_type": "checklist", "title": "Fire",
///   "public_id": "fire-DEB43F61", "description": "For guests", "content_data": {"sections": []}}]
/// ```
struct NoSharedPublicID: Rule {
  static let code = DiagnosticCode(
    "LNT0503", "shared-public-id", .error, "Two items have the same public id.",
    why: "publishing one of them changes the other, or fails",
    fix: "keep the public id with the item that was published")

  private struct Owner {
    let id: String
    let title: String
  }

  private var owners: [String: Owner] = [:]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let node = item.publicID, node.kind == .string, node.token.length > 2, let publicID = node.string else {
      return
    }
    let id = item.id?.string?.uppercased() ?? ""
    guard let owner = owners[publicID] else {
      owners[publicID] = Owner(id: id, title: item.title?.string ?? "")
      return
    }
    // The same item may occur twice in a run.
    guard owner.id != id else { return }
    report.finding("\(Quotation.of(owner.title)) also has the public id \(Quotation.of(publicID))", at: node)
  }

  mutating func finish(_ report: RuleReport) { owners.removeAll() }
}
