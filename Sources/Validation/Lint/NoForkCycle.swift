import Diagnostics
import JSONText

/// An item is a fork of another item, never of itself.
///
/// The chain of originals that starts at `forked_from_id` must end. The registry refuses cycles, and an app that
/// follows a cycle never finishes.
///
/// ```json bad /forked_from_id
/// {"id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_type": "checklist", "title": "Fire",
///  "forked_from_id": "0d0939bc-a71b-49f8-b06c-c047f24f4730", "original_author_username": "anna",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json bad /forked_from_id
/// [{"id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_type": "checklist", "title": "Пожар",
///   "forked_from_id": "1EF2416D-7ACC-4100-A497-8C4FAB8820DA", "content_data": {"sections": []}},
///  {"id": "1EF2416D-7ACC-4100-A497-8C4FAB8820DA", "content_type": "checklist", "title": "Вода",
///   "forked_from_id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_data": {"sections": []}}]
/// ```
///
/// ```json good
/// [{"id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_type": "checklist", "title": "Fire",
///   "content_data": {"sections": []}},
///  {"id": "1EF2416D-7ACC-4100-A497-8C4FAB8820DA", "content_type": "checklist", "title": "Fire, our boat",
///   "forked_from_id": "0D0939BC-A71B-49F8-B06C-C047F24F4730", "content_data": {"sections": []}}]
/// ```
struct NoForkCycle: Rule {
  static let code = DiagnosticCode(
    "LNT0501", "fork-cycle", .error, "An item is a fork of itself.",
    why: "the registry refuses the item, and following the lineage never ends",
    fix: "set forked_from_id to the real original, or to null")

  private struct Fork {
    let id: String
    let parent: String
    let mark: RuleReport.Mark?
  }

  /// The maximum number of forks that are followed.
  private static let most = 200_000

  private var forks: [Fork] = []
  private var byID: [String: Int] = [:]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let node = item.forkedFrom, node.kind == .string, let parent = node.string?.uppercased(), !parent.isEmpty,
      let id = item.id?.string?.uppercased(), !id.isEmpty
    else { return }
    if id == parent {
      report.finding("the item names itself as its original", at: node, label: "its own id")
    } else if forks.count < Self.most, byID[id] == nil {
      byID[id] = forks.count
      forks.append(Fork(id: id, parent: parent, mark: report.mark(node)))
    }
  }

  mutating func finish(_ report: RuleReport) {
    // States: 0 is not visited, 1 is on the current path, and 2 is done. Every fork is visited once.
    var states = [UInt8](repeating: 0, count: forks.count)
    for start in forks.indices where states[start] == 0 {
      var path: [Int] = []
      var next: Int? = start
      while let index = next, states[index] == 0 {
        states[index] = 1
        path.append(index)
        next = byID[forks[index].parent]
      }
      if let index = next, states[index] == 1, let entry = path.firstIndex(of: index) {
        let cycleLength = path.count - entry
        // The cycle is reported at its first item in source order.
        if let first = path[entry...].min(), let mark = forks[first].mark {
          report.finding("\(cycleLength) items are forks of each other in a cycle", at: mark)
        }
      }
      for index in path { states[index] = 2 }
    }
    forks.removeAll()
    byID.removeAll()
  }
}
