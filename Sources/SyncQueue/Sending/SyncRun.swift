import Content
import Foundation
import Interchange
import RegistryClient

/// Sends the waiting operations of a library's queues in one run. The run first recovers the rows that a killed run
/// left behind, and ends with the last row that can be sent now.
///
/// One thread uses the databases, and the others call the registry. A row is marked before its request and completed
/// after it, so that the next run finds everything that was interrupted. At most one operation per item is in flight.
package final class SyncRun {
  let store: QueueStore
  let calls: any RegistryCalls
  let registry: String
  let options: SyncOptions
  let metrics: SyncMetrics
  let gate: SendThrottle
  let channel = WorkChannel()
  /// Called with the progress: the number of rows that left the queue, and the number of live rows at the beginning.
  package var onProgress: ((Int, Int) -> Void)?

  var report = SyncReport()
  var scan: QueueScan
  var isScanned = false
  /// Rows that may be sent before the scan reaches them.
  var ready: [QueueTable.Candidate] = []
  /// Items with an operation in flight.
  var busy: Set<String> = []
  var units: [Int: WorkChannel.Unit] = [:]
  var nextUnit = 0
  var hasBatches: Bool
  var batchLimit: Int
  /// Operations that failed while no other operation succeeded: the operations themselves may not be the cause.
  var held: [(ClaimedOperation, SendOutcome)] = []
  var waits: [OperationID: SyncReport.Operation] = [:]
  var highest: [QueuePlace: Int64] = [:]
  var addedAndDone = 0
  /// Whether an operation that others may have waited for has succeeded since the scan began.
  var mayRescan = false
  var hasRetries = false

  /// Prepares a run. The caller holds the sync lock.
  package init(
    _ store: QueueStore, _ calls: any RegistryCalls, registry: String, options: SyncOptions = SyncOptions(),
    metrics: SyncMetrics = SyncMetrics()
  ) {
    self.store = store
    self.calls = calls
    self.registry = registry
    self.options = options
    self.metrics = metrics
    gate = SendThrottle(longestPause: options.longestPause)
    scan = QueueScan(store)
    hasBatches = options.batchLimit > 1
    batchLimit = options.batchLimit
  }

  /// Sends the operations and returns the report.
  ///
  /// Network and registry failures are in the report.
  /// - Throws: `RunFailure`: 4 when the library belongs to another registry or account, 7 when another program holds
  ///   the library.
  package func run() throws -> SyncReport {
    let start = ContinuousClock.now
    let calls = calls
    let watch = InterruptionWatch(grace: options.grace) { calls.stop() }
    defer {
      watch.end()
      channel.close()
    }
    report.registry = registry
    try SyncBinding.refuseOther(try store.binding(), registry: registry, userID: nil, path: store.path)
    try store.takeUp()
    if options.retriesFailed { report.retried = try store.retryFailed() }
    let versions = try store.versions()
    let depth = try store.depth()
    report.liveBefore = depth.live
    // The run waits for rows that another run has postponed just as for its own.
    hasRetries = depth.retrying > 0
    highest = try store.lastNumbers()
    if report.liveBefore > 0, let user = try signIn() {
      watch.sends()
      try send(as: user)
    }
    report.othersWrote = try store.versions() != versions
    try finish()
    report.seconds = start.duration(to: .now) / .seconds(1)
    return report
  }

  // MARK: Beginning

  /// Asks the registry for the signed-in user; returns nil if that fails, with the reason in the report.
  private func signIn() throws -> RegistryUser? {
    var attempt = 0
    while gate.pass() {
      let start = ContinuousClock.now
      do throws(RegistryError) {
        let user = try calls.me()
        metrics.request(start.duration(to: .now) / .seconds(1))
        gate.answered()
        return user
      } catch {
        metrics.request(start.duration(to: .now) / .seconds(1))
        attempt += 1
        switch error {
        case .unreachable(let detail): if attempt >= 3 { gate.end(.unreachable(detail)) }
        case .insecure(let detail, let advice): gate.end(.insecure("\(detail). \(advice)"))
        case .timedOut(let detail), .broken(let detail), .unreadable(let detail):
          if attempt >= 6 { gate.end(.failing(detail)) }
        case .signInNeeded(let detail): gate.end(.signIn(detail))
        case .refused(let refusal):
          switch refusal.status {
          case 401: gate.end(.signIn(refusal.reason))
          case _ where refusal.asksForPause: gate.pause(refusal.retryAfter, refusal.reason)
          case 500...: if attempt >= 6 { gate.end(.failing("\(refusal.detail) (\(refusal.status))")) }
          default:
            gate.end(.failing("\(registry) does not seem to be a registry: \(refusal.detail) (\(refusal.status))"))
          }
        }
        _ = gate.wait(0.3 * Double(1 << min(attempt, 3)) * options.step)
      }
    }
    return nil
  }

  // MARK: Ending

  private func finish() throws {
    switch gate.stop {
    case nil: break
    case .unreachable(let detail): (report.end, report.endReason) = (.unreachable, detail)
    case .insecure(let detail): (report.end, report.endReason) = (.insecure, detail)
    case .failing(let detail): (report.end, report.endReason) = (.failing, detail)
    case .paused(let detail, let seconds):
      let wait = "for \(Int(seconds.rounded(.up))) s"
      (report.end, report.endReason) = (.paused, detail.isEmpty ? wait : "\(detail) (\(wait))")
    case .signIn(let detail): (report.end, report.endReason) = (.signIn, detail)
    case .interrupted: (report.end, report.endReason) = (.interrupted, "interrupted")
    }
    report.depth = try store.depth()
    report.liveAfter = report.depth.live
    report.added = try addedAndDone + store.liveCount(after: highest)
    // The number of rows that other programs removed between two checks can only be inferred; without other programs it
    // is 0.
    let missing =
      report.liveBefore + report.added - report.sentCount - report.failed - report.cancelled - report.gone
      - report.liveAfter
    if report.othersWrote, missing > 0 { report.gone += missing }
    if report.liveAfter > 0 { report.waiting = try store.waiting(waits) }
  }
}
