import FleetKitCore
import Interchange
import Merging

/// Holds what an import decides against a plan: whatever is different ends the import before anything counts.
final class PlanCheck: ImportObserver {
  private let plan: String
  private let keys: LineSpool
  private let counts: String
  private let losses: PlanLosses
  /// What the import loses.
  let met: PlanLosses

  /// - Parameters:
  ///   - plan: the plan's file, for messages.
  ///   - keys: what the plan says of each change.
  init(plan: String, keys: LineSpool, counts: String, losses: PlanLosses) throws {
    self.plan = plan
    self.keys = keys
    self.counts = counts
    self.losses = losses
    met = try PlanLosses()
  }

  func note(_ decision: ImportDecision) throws {
    let key = PlanChange.key(
      action: decision.action.rawValue, kind: decision.kind.name, id: decision.id,
      before: decision.before.map { Digest.hex(Digest.sha256($0)) },
      after: decision.hashAfter, rows: decision.rows)
    let now = Self.words(decision.action.rawValue, decision.kind.name, decision.title ?? decision.id)
    guard try keys.advance() else { throw failure("it would now \(now), of which the plan says nothing") }
    let planned = (try? JSONDocument(parsing: keys.line))?.root.elements ?? []
    guard planned.first?.string.map({ $0.utf8.elementsEqual(key.utf8) }) ?? false else {
      let words = Self.words(planned)
      throw failure(
        words == now
          ? "it would still \(now), but not from or to what the plan says"
          : "where the plan says to \(words), it would now \(now)")
    }
    guard planned.count == 5, let said = planned[1].string else { throw failure("it is damaged") }
    if let member = PlanChange.difference(said, PlanChange.said(decision)) {
      throw RunFailure(
        .refused,
        "apply the plan '\(plan)': it was edited since it was made: it would \(now), but what the plan tells of that in "
          + "\"\(member)\" is not so; nothing was written",
        advice: "Plan again: a plan cannot be edited.")
    }
  }

  func finish(_ tally: Tally) throws {
    if try keys.advance() {
      let planned = (try? JSONDocument(parsing: keys.line))?.root.elements ?? []
      throw failure("the plan says to \(Self.words(planned)), which it would not do now")
    }
    switch try losses.difference(from: met) {
    case .gone(let loss): throw failure("the plan lists a loss that there would not be now, \(loss)")
    case .new(let loss): throw failure("there would now be a loss that the plan does not list, \(loss)")
    case nil: break
    }
    // The numbers of a plan are those at the very end.
    var tally = tally
    tally.settleRows()
    if let difference = PlanHead.difference(counts, PlanHead.counts(tally, losses: met.count)) {
      throw failure("the records do not add up to the numbers of the plan: \(difference)")
    }
  }

  private static func words(_ planned: [JSONValue]) -> String {
    guard planned.count == 5 else { return "do something else" }
    return words(planned[2].string ?? "", planned[3].string ?? "", planned[4].string ?? "")
  }

  private static func words(_ action: String, _ kind: String, _ name: String) -> String {
    switch action {
    case "beside": "put the \(kind) '\(name)' beside the library"
    case "conflict": "put the \(kind) '\(name)' aside as a conflict"
    case "rename": "take '\(name)' for a \(kind) that the library has from another path"
    case "gone": "miss the \(kind) '\(name)' in the source"
    default: "\(action) the \(kind) '\(name)'"
    }
  }

  private func failure(_ why: String) -> RunFailure {
    RunFailure(
      .refused, "apply the plan '\(plan)': \(why); nothing was written",
      advice: "What the library remembers of earlier imports has changed since, or FleetKit itself. Plan again.")
  }
}
