import Content
import Diagnostics
import JSONText

/// No two records of the same kind have the same id.
///
/// The rule compares all records that a run reads. Two items, charters or executions with the same id cannot both be in
/// a library; the second replaces the first. Usually a file was copied within its folder, or a record was copied and
/// its title was changed.
///
/// ```json bad /id
/// [{"id": "3F2A0001-0000-4000-8000-000000000001", "content_type": "checklist", "title": "Leaving the berth",
///   "content_data": {"sections": []}},
///  {"id": "3f2a0001-0000-4000-8000-000000000001", "content_type": "checklist", "title": "Coming back",
///   "content_data": {"sections": []}}]
/// ```
///
/// ```json good
/// [{"id": "3F2A0001-0000-4000-8000-000000000001", "content_type": "checklist", "title": "Leaving the berth",
///   "content_data": {"sections": []}},
///  {"id": "3F2A0001-0000-4000-8000-000000000002", "content_type": "checklist", "title": "Coming back",
///   "content_data": {"sections": []}},
///  {"kind": "charter", "id": "3F2A0001-0000-4000-8000-000000000001", "name": "Ionian"}]
/// ```
struct NoSharedID: Rule {
  static let code = DiagnosticCode(
    "LNT0101", "shared-id", .error, "Two records have the same id.",
    why: "a library can hold only one of the two; the second replaces the first",
    fix: "delete one of the records, or give one a new id if both are intended")

  static let comparesIDs = true

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) { checkID(item.id, report) }

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    checkID(record.member("id"), report)
  }

  private func checkID(_ id: JSONNode?, _ report: RuleReport) {
    guard let id, let first = report.ids.twinPlace(id: id.string ?? "") else { return }
    report.finding(
      "the id \(id.string ?? "") already belongs to the record at \(first)", at: id, label: "the second time")
  }
}
