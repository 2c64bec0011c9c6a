import FleetKitCore
import Synchronization

/// What a proof inside of a run came to.
final class ProofOutcome: Sendable {
  private let state = Mutex((summary: ProofSummary(), isOfIndexOnly: false))

  func set(_ summary: ProofSummary, _ isOfIndexOnly: Bool) { state.withLock { $0 = (summary, isOfIndexOnly) } }

  var summary: ProofSummary { state.withLock { $0.summary } }
  var isOfIndexOnly: Bool { state.withLock { $0.isOfIndexOnly } }
}
