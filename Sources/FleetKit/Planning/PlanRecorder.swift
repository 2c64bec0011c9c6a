import FleetKitCore
import Interchange
import Merging

/// Writes down what an import decides: one line of JSON for each change, on disk, and an outline for people.
final class PlanRecorder: ImportObserver {
  /// Changes in the order in which they take effect; nil when nobody wants them.
  let changes: LineSpool?
  /// What is lost, in the order in which it was met.
  let losses: PlanLosses?
  private(set) var outline: PlanOutline
  private(set) var tally: Tally?

  /// - Parameters:
  ///   - keepsAll: whether every change is written down, not the outline alone.
  ///   - named: how many records of a group the outline names.
  init(keepsAll: Bool, named: Int) throws {
    changes = keepsAll ? try LineSpool() : nil
    losses = keepsAll ? try PlanLosses() : nil
    outline = PlanOutline(limit: named)
  }

  func note(_ decision: ImportDecision) throws {
    var fields: [PlanFields.Field]?
    func differences() -> [PlanFields.Field] {
      if let fields { return fields }
      let found = PlanChange.fields(decision)
      fields = found
      return found
    }
    outline.add(decision.action, PlanOutline.noun(decision.kind, type: decision.type)) {
      Self.entry(decision, decision.action == .update ? differences() : [])
    }
    guard let changes else { return }
    let line = PlanChange.json(decision, fields: differences())
    try Array(line.utf8).withUnsafeBufferPointer { try changes.append($0) }
  }

  func finish(_ tally: Tally) throws { self.tally = tally }

  private static func entry(_ decision: ImportDecision, _ fields: [PlanFields.Field]) -> PlanOutline.Entry {
    var entry = PlanOutline.Entry(name: decision.title ?? (decision.place.isEmpty ? decision.id : decision.place))
    switch decision.action {
    case .update:
      let read = fields.filter { !$0.isMinor }
      entry.details = (read.isEmpty ? fields : read).map(\.label)
    case .conflict where !decision.conflicts.isEmpty: entry.details = decision.conflicts.map(\.label)
    case .conflict, .reject, .keep, .rename: entry.details = decision.reason.map { [$0.text] } ?? []
    case .create, .beside, .gone: break
    }
    return entry
  }
}
