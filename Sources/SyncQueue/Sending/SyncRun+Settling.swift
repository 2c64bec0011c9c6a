import Foundation
import Interchange
import RegistryClient

/// Records the outcomes of rows, waits for rows that are due for a retry, and ends the run.
extension SyncRun {
  func collect(_ user: RegistryUser) throws {
    var outcomes: [(ClaimedOperation, SendOutcome)] = []
    for (number, unit) in try channel.collect(atMost: 0.1) {
      units[number] = nil
      if unit.isWithoutBatches { hasBatches = false }
      if unit.isTooLarge { batchLimit = max(50, batchLimit / 2) }
      outcomes += unit.outcomes
    }
    if outcomes.isEmpty { return }
    let stopped = gate.stop != nil
    if gate.failures > 0 || stopped {
      for (operation, outcome) in outcomes {
        guard case .tried = outcome else { continue }
        held.append((operation, outcome))
      }
      outcomes.removeAll { if case .tried = $0.1 { true } else { false } }
      if stopped {
        outcomes += held.map { ($0.0, Self.givenBack($0.1)) }
        held = []
      }
    } else {
      outcomes += held
      held = []
    }
    try settle(outcomes, user)
  }

  /// Returns the outcome for a try that does not count because all other requests failed too.
  static func givenBack(_ outcome: SendOutcome) -> SendOutcome {
    if case .tried(let reason) = outcome { .unsent(reason.text) } else { outcome }
  }

  func settle(_ outcomes: [(ClaimedOperation, SendOutcome)], _ user: RegistryUser) throws {
    var overtaken = Set<OperationID>()
    for case (let operation, .overtaken) in outcomes { overtaken.insert(operation.row.id) }
    for case (let operation, .published(let publication)) in outcomes {
      for note in publication.notes where report.notes.count < SyncReport.listed {
        report.notes.append(SyncReport.Operation(operation.row, reason: note))
      }
    }
    for settled in try store.settle(outcomes, by: user.username, step: options.step) {
      let row = settled.operation.row
      busy.remove(row.contentID)
      waits[row.id] = nil
      report.cancelled += settled.cancelled.count
      for row in settled.cancelled { count(row) }
      switch settled.result {
      case .sent:
        report.sent[row.operation, default: 0] += 1
        count(row)
        if settled.operation.kind == .publish { mayRescan = mayRescan || !waits.isEmpty }
      case .failed(let reason):
        if overtaken.contains(row.id) { metrics.failure(reason.code) }
        report.note(failed: settled, reason)
        count(row)
      case .retrying(let reason):
        hasRetries = true
        if waits.count < SyncReport.listed { waits[row.id] = SyncReport.Operation(row, reason) }
      case .waiting: break
      case .gone: report.gone += 1
      }
      if let next = settled.next { ready.append(next) }
    }
    onProgress?(report.sentCount + report.failed + report.cancelled, report.liveBefore)
  }

  // MARK: Waiting

  /// Waits until a row may be retried; returns false when that would take too long.
  func waitForRetry(_ patience: inout Double) throws -> Bool {
    guard let next = try store.nextRetry() else { return false }
    let seconds = max(0, Double(next.milliseconds - QueueStore.timestamp.milliseconds) / 1000) + 0.002
    guard seconds <= patience else { return false }
    patience -= seconds
    return gate.wait(seconds)
  }

  /// Lets requests in flight complete, for a limited time.
  func stop(_ user: RegistryUser) throws {
    // Hanging requests have been ended by then, and their outcomes arrive a moment later.
    let until = ContinuousClock.now.advanced(by: .seconds(options.grace + 3))
    while !units.isEmpty, until > .now { try collect(user) }
    let left = units.values.flatMap(\.operations).map { ($0, SendOutcome.unsent(QueueStore.interrupted)) }
    units = [:]
    try settle(left + held.map { ($0.0, Self.givenBack($0.1)) }, user)
    held = []
  }
}
