import Content
import Diagnostics
import JSONText

/// Every id inside a published item is a UUID in upper case.
///
/// The app compares ids as text. A section, step or card with any other id can be read, but ticks and reviews that
/// refer to it are lost. FleetKit corrects the ids of items in a library or bundle when it reads them, but a payload is
/// sent unchanged.
///
/// ```json bad /payload/content_data/sections/0/id /payload/content_data/sections/0/items/0/id
/// [{"kind": "sync_operation", "id": 1, "content_id": "3F2A0001-0000-4000-8000-000000000001",
///   "operation": "publish", "payload": {"title": "Leaving the berth", "content_type": "checklist",
///    "content_data": {"id": "3F2A0001-0000-4000-8000-000000000001", "sections": [
///     {"id": "below", "title": "Below", "items": [
///      {"id": "3f2a0001-0000-4000-8000-000000000002", "title": "Seacocks open"}]}]},
///    "public_id": "leaving-the-berth-3F2A0001"}}]
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"id": "3F2A0001-0000-4000-8000-000000000003", "title": "Below", "items": [
///    {"id": "3F2A0001-0000-4000-8000-000000000002", "title": "Seacocks open"}]}]}}
/// ```
struct IDsAreUUIDs: Rule {
  static let code = DiagnosticCode(
    "PUB0115", "inner-id-not-uuid", .error, "An id inside an item is not a UUID in upper case.",
    why: "the app of a person who forks the item cannot find the id, so ticks that refer to it are lost",
    fix: "replace it with a UUID in upper case, or publish the item again from the app")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let document = item.document, document.kind == .object else { return }
    if let id = document.member("id") { checkID(id, of: document, report) }
    for section in item.sections {
      checkID(section.id, of: section.node, report)
      for index in section.steps { checkID(item.steps[index].id, of: item.steps[index].node, report) }
    }
    for card in item.cards { checkID(card.id, of: card.node, report) }
  }

  private func checkID(_ id: JSONNode?, of owner: JSONNode, _ report: RuleReport) {
    guard let id else { return report.finding("the id is missing", at: owner) }
    guard id.kind == .string else { return report.finding("the id \(Quotation.of(id)) is not a UUID", at: id) }
    switch CanonicalUUID.form(of: id.inner.span) {
    case .canonical: return
    case .otherCase:
      report.finding(
        "the id \(Quotation.of(id)) is not in upper case", at: id, edit: id.string.map { .text($0.uppercased()) })
    case .none: report.finding("the id \(Quotation.of(id)) is not a UUID", at: id)
    }
  }
}
