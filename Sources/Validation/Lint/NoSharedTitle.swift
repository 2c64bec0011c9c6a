import Content
import Diagnostics
import JSONText

/// Items of one type have different titles.
///
/// In a list of a hundred checklists, two with the same title cannot be distinguished. Capitals, spaces and hyphens are
/// ignored.
///
/// ```json bad /title
/// [{"id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_type": "checklist", "title": "Проверка двигателя",
///   "content_data": {"sections": []}},
///  {"id": "1EF2416D-7ACC-4100-A497-8C4FAB8820DA", "content_type": "checklist", "title": "проверка двигателя ",
///   "content_data": {"sections": []}}]
/// ```
///
/// ```json good
/// [{"id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_type": "checklist", "title": "Anchoring",
///   "content_data": {"sections": []}},
///  {"id": "1EF2416D-7ACC-4100-A497-8C4FAB8820DA", "content_type": "practice_guide", "title": "Anchoring",
///   "content_data": {"markdown": "Slowly."}}]
/// ```
struct NoSharedTitle: Rule {
  static let code = DiagnosticCode(
    "LNT0504", "shared-title", .note, "Two items of one type have the same title.",
    why: "people cannot distinguish the two in a list", fix: "state the difference in the titles")

  /// Half of the id hash of the first item with a title, by the hash of type and title.
  private var owners = CompactTable<UInt64, UInt32>()

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let title = item.title, !title.bytes.isEmpty, let type = item.type else { return }
    let salt: UInt64 = type == .checklist ? 1 : type == .practiceGuide ? 2 : 3
    let key = TextKey.pair(TextKey.hash(title.bytes.span, .words), salt)
    let id = item.id.map { UInt32(truncatingIfNeeded: TextKey.exact($0.inner.span)) } ?? 0
    // The same item may occur twice in a run.
    guard let owner = owners.insert(key, id), owner != id else { return }
    guard !title.isBlank else { return }
    report.finding("another item of this type is also called \(Quotation.of(title.string))", at: title.node)
  }

  mutating func finish(_ report: RuleReport) { owners.removeAll() }
}
