import Content
import Diagnostics
import JSONText

/// Charters and executions refer only to checklists and charters that exist.
///
/// The rule compares all records that a run reads. It checks references to checklists only if the run contains
/// checklists, and references to charters only if it contains charters. A file that contains only executions does not
/// show which records are missing.
///
/// ```json bad /checklist_id /charter_id
/// [{"id": "3F2A0001-0000-4000-8000-000000000001", "content_type": "checklist", "title": "Leaving the berth",
///   "content_data": {"sections": []}},
///  {"kind": "charter", "id": "3F2A0001-0000-4000-8000-000000000002", "name": "Ionian",
///   "check_in_checklist_id": "3F2A0001-0000-4000-8000-000000000001"},
///  {"kind": "execution", "checklist_id": "3F2A0001-0000-4000-8000-0000000000FF",
///   "charter_id": "3F2A0001-0000-4000-8000-0000000000FE"}]
/// ```
///
/// ```json bad /check_in_checklist_id
/// [{"kind": "charter", "name": "Ionian", "check_in_checklist_id": "3F2A0001-0000-4000-8000-0000000000FF"},
///  {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": []}}]
/// ```
///
/// ```json good
/// [{"kind": "execution", "checklist_id": "3F2A0001-0000-4000-8000-0000000000FF",
///   "charter_id": "3F2A0001-0000-4000-8000-0000000000FE"}]
/// ```
struct ReferencesLeadSomewhere: Rule {
  static let code = DiagnosticCode(
    "LNT0803", "reference-to-nowhere", .note, "A charter or an execution refers to a record that does not exist.",
    why: "the app does not show the ticks until the missing record exists",
    fix: "include the missing record in the run, or delete the reference")

  /// The kind of a reference.
  private enum Reference: UInt8 {
    case checkIn, checklist, charter

    var words: String {
      switch self {
      case .checkIn: "the charter names the checklist"
      case .checklist: "the execution belongs to the checklist"
      case .charter: "the execution belongs to the charter"
      }
    }
  }

  /// A reference whose target has not been seen yet.
  private struct Pending {
    let key: RecordKey
    let reference: Reference
    /// The record that contains the reference, if the exact place is not stored.
    let record: RecordKey?
    let place: RecordPositions.Entry
  }

  private var pending: [Pending] = []
  /// Exact places of the first references. Later references are located by their record.
  private var marks: [RuleReport.Mark?] = []
  private var book = RecordPositions()

  /// The maximum number of marks. A mark takes several hundred bytes, and a file with a million executions may lack all
  /// of the checklists.
  private static let mostMarks = 10_000

  static let comparesIDs = true

  init(limits: RuleLimits) {}

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    if kind == .charter {
      collectUnresolved(record.member("check_in_checklist_id"), .checkIn, record, report)
    } else if kind == .execution, report.recordPlace?.row == nil {
      // The reader of a library has all of its records and reports this itself (LIB0705, LIB0706).
      collectUnresolved(record.member("checklist_id"), .checklist, record, report)
      collectUnresolved(record.member("charter_id"), .charter, record, report)
    }
  }

  private mutating func collectUnresolved(
    _ node: JSONNode?, _ reference: Reference, _ record: JSONNode, _ report: RuleReport
  ) {
    guard let node, let key = RecordKey(node), !Self.isKnown(key, reference, report.ids), let place = report.recordPlace
    else { return }
    if marks.count < Self.mostMarks { marks.append(report.mark(node)) }
    pending.append(
      Pending(key: key, reference: reference, record: RecordKey(record.member("id")), place: book.store(place)))
  }

  private static func isKnown(_ key: RecordKey, _ reference: Reference, _ ids: RunIDs) -> Bool {
    // This does not check that the item is a checklist; it may be a guide.
    reference == .charter ? ids.hasCharter(key) : ids.hasItem(key)
  }

  mutating func finish(_ report: RuleReport) {
    for (index, found) in pending.enumerated() {
      let isRunWithout = found.reference == .charter ? report.ids.hasNoCharters : report.ids.hasNoItems
      guard !isRunWithout, !Self.isKnown(found.key, found.reference, report.ids) else { continue }
      let id = found.record?.text ?? ""
      let mark =
        (index < marks.count ? marks[index] : nil)
        ?? RuleReport.Mark(place: book.place(found.place, id: id), record: id, title: nil, excerpt: nil)
      report.finding("\(found.reference.words) \(found.key.text), which does not exist", at: mark)
    }
  }
}
