import Content
import Diagnostics
import JSONText

/// An execution's ticks belong to steps of its checklist.
///
/// The rule applies if the run also contains the checklist. Ticks of steps that were deleted later are harmless and
/// stay in the file. Ticks of many unknown steps mean that the steps got new ids and that the app no longer shows which
/// steps were done.
///
/// ```json bad /item_states/3F2A0001-0000-4000-8000-0000000000FF
/// [{"id": "3F2A0001-0000-4000-8000-000000000001", "content_type": "checklist", "title": "Leaving the berth",
///   "content_data": {"sections": [{"title": "Below", "items": [
///    {"id": "3F2A0001-0000-4000-8000-000000000002", "title": "Seacocks open"}]}]}},
///  {"kind": "execution", "checklist_id": "3F2A0001-0000-4000-8000-000000000001",
///   "charter_id": "3F2A0001-0000-4000-8000-000000000009", "item_states": {
///    "3F2A0001-0000-4000-8000-000000000002": {"checked": true},
///    "3F2A0001-0000-4000-8000-0000000000FF": {"checked": true}}}]
/// ```
///
/// ```json good
/// [{"id": "3F2A0001-0000-4000-8000-000000000001", "content_type": "checklist", "title": "Leaving the berth",
///   "content_data": {"sections": [{"title": "Below", "items": [
///    {"id": "3F2A0001-0000-4000-8000-000000000002", "title": "Seacocks open"}]}]}},
///  {"kind": "execution", "checklist_id": "3F2A0001-0000-4000-8000-000000000001",
///   "charter_id": "3F2A0001-0000-4000-8000-000000000009", "item_states": {
///    "3F2A0001-0000-4000-8000-000000000002": {"checked": true}}},
///  {"kind": "execution", "checklist_id": "3F2A0001-0000-4000-8000-000000000008",
///   "charter_id": "3F2A0001-0000-4000-8000-000000000009", "item_states": {
///    "3F2A0001-0000-4000-8000-0000000000FF": {"checked": true}}}]
/// ```
struct TicksBelongToSteps: Rule {
  static let code = DiagnosticCode(
    "LNT0804", "tick-of-no-step", .note, "An execution has ticks for steps that its checklist does not have.",
    why: "the app does not show these ticks",
    fix: "do nothing if the steps were deleted; otherwise give the checklist's steps their old ids again")

  /// An execution that was read before its checklist.
  private struct Pending {
    let checklist: RecordKey
    let ticks: [UInt64]
    let mark: RuleReport.Mark
  }

  private var pending: [Pending] = []

  /// The maximum number of pending executions. Bundles list checklists first, so few are pending; a file with the
  /// opposite order must not fill memory.
  private static let mostPending = 10_000

  static let comparesIDs = true

  init(limits: RuleLimits) {}

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    // The reader of a library compares ticks with the library's checklists and reports this itself (LIB0703).
    guard kind == .execution, report.recordPlace?.row == nil, let key = RecordKey(record.member("checklist_id")),
      let states = record.member("item_states"), states.kind == .object
    else { return }
    var ticks: [UInt64] = []
    states.forEachMember { name, _ in
      // The reader reports an id that is not a UUID.
      ticks.append(RecordKey(name)?.number ?? 0)
    }
    guard !ticks.isEmpty else { return }
    guard let steps = report.ids.steps(of: key) else {
      if !report.ids.hasItem(key), pending.count < Self.mostPending, let mark = report.mark(states) {
        pending.append(Pending(checklist: key, ticks: ticks, mark: mark))
      }
      return
    }
    let unknown = Self.unknown(ticks, steps)
    guard let first = unknown.first else { return }
    var position = 0
    var node = states
    states.forEachMember { name, _ in
      if position == first { node = name }
      position += 1
    }
    report.finding(Self.message(unknown.count, of: ticks.count), at: node)
  }

  mutating func finish(_ report: RuleReport) {
    for execution in pending {
      guard let steps = report.ids.steps(of: execution.checklist) else { continue }
      let unknown = Self.unknown(execution.ticks, steps)
      if !unknown.isEmpty { report.finding(Self.message(unknown.count, of: execution.ticks.count), at: execution.mark) }
    }
  }

  /// Returns the positions of ticks that belong to none of the steps.
  private static func unknown(_ ticks: [UInt64], _ steps: [UInt64]) -> [Int] {
    if ticks.count * steps.count > 4096 {
      let known = Set(steps)
      return ticks.indices.filter { ticks[$0] != 0 && !known.contains(ticks[$0]) }
    }
    return ticks.indices.filter { ticks[$0] != 0 && !steps.contains(ticks[$0]) }
  }

  private static func message(_ unknown: Int, of all: Int) -> String {
    "\(unknown) of \(Plural.count(all, "tick")) \(unknown == 1 ? "belongs to a step" : "belong to steps") "
      + "that the checklist does not have"
  }
}
