import FleetKitCore
import Interchange
import Merging
import Synchronization

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
    case .conflict, .reject, .keep: entry.details = decision.reason.map { [$0] } ?? []
    case .create, .beside, .gone: break
    }
    return entry
  }
}

/// Losses on their way into a plan. They are met on several threads.
final class PlanLosses: Sendable {
  private struct State {
    let spool: LineSpool
    var failure: (any Error)?
  }

  private let state: Mutex<State>

  init() throws {
    let spool = try LineSpool()
    state = Mutex(State(spool: spool))
  }

  func add(_ loss: Loss) {
    var json = JSONBuilder()
    json.object { json in
      json.string("kind", loss.kind.name)
      json.string("id", loss.id)
      json.string("field", loss.field)
      json.string("reason", loss.reason)
    }
    let line = Array(json.result.utf8)
    state.withLock { state in
      do {
        try line.withUnsafeBufferPointer { try state.spool.append($0) }
      } catch {
        state.failure = state.failure ?? error
      }
    }
  }

  /// Gives out all lines.
  /// - Throws: `RunFailure` when one could not be kept.
  func drain(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      try state.spool.rewind()
      while try state.spool.advance() { try body(state.spool.line) }
    }
  }
}
