import Content
import Foundation
import Interchange
import RegistryClient

/// Sends what waits in a library's queues: one run, from taking up what a dead one left to the last row that can be
/// sent now.
///
/// One thread talks to the databases, others to the registry. A row is marked before its request and settled after it,
/// so that whatever happens in between is found by the next run; at most one operation of an item is under way.
package final class SyncRun {
  let store: QueueStore
  let calls: any RegistryCalls
  let registry: String
  let options: SyncOptions
  let metrics: SyncMetrics
  let gate: SendingGate
  private let channel = WorkChannel()
  /// How far it is: rows that left the queue, rows that were live at the beginning.
  package var onProgress: ((Int, Int) -> Void)?

  private var report = SyncReport()
  private var scan: QueueScan
  private var isScanned = false
  /// Rows whose turn has come before the scan gets to them.
  private var ready: [QueueTable.Candidate] = []
  /// Items of which something is under way.
  private var busy: Set<String> = []
  private var units: [Int: WorkChannel.Unit] = [:]
  private var nextUnit = 0
  private var hasBatches: Bool
  private var batchLimit: Int
  /// Operations that came to nothing while nothing else went well either: perhaps it is not them.
  private var held: [(ClaimedOperation, SendOutcome)] = []
  private var waits: [OperationID: SyncReport.Operation] = [:]
  private var highest: [QueuePlace: Int64] = [:]
  private var addedAndDone = 0
  /// Whether something was done since the scan began that others may have waited for.
  private var mayRescan = false
  private var hasRetries = false

  /// Prepares a run; the caller holds the sync's lock.
  package init(
    _ store: QueueStore, _ calls: any RegistryCalls, registry: String, options: SyncOptions = SyncOptions(),
    metrics: SyncMetrics = SyncMetrics()
  ) {
    self.store = store
    self.calls = calls
    self.registry = registry
    self.options = options
    self.metrics = metrics
    gate = SendingGate(longestPause: options.longestPause)
    scan = QueueScan(store)
    hasBatches = options.batchLimit > 1
    batchLimit = options.batchLimit
  }

  /// Sends.
  /// - Throws: `RunFailure`: 4 when the library belongs to another registry or account, 7 when somebody else holds it.
  ///   What the network and the registry do is in the report.
  package func run() throws -> SyncReport {
    let start = ContinuousClock.now
    defer { channel.close() }
    try SyncBinding.refuseOther(try store.binding(), registry: registry, userID: nil, path: store.path)
    try store.takeUp()
    if options.retriesFailed { report.retried = try store.retryFailed() }
    let versions = try store.versions()
    let depth = try store.depth()
    report.liveBefore = depth.live
    // What another run has put off is waited for like what this one does.
    hasRetries = depth.retrying > 0
    highest = try store.lastNumbers()
    if report.liveBefore > 0, let user = try signIn() {
      try send(as: user)
    }
    report.othersWrote = try store.versions() != versions
    try finish()
    report.seconds = start.duration(to: .now) / .seconds(1)
    return report
  }

  // MARK: Beginning

  /// Who one is; nil when that cannot be found out, with the reason in the report.
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
        case .timedOut(let detail), .broken(let detail), .unreadable(let detail):
          if attempt >= 6 { gate.end(.failing(detail)) }
        case .signInNeeded(let detail): gate.end(.signIn(detail))
        case .refused(let refusal):
          switch refusal.status {
          case 401: gate.end(.signIn(refusal.detail))
          case _ where refusal.asksForPause: gate.pause(refusal.retryAfter, refusal.detail)
          case 500...: if attempt >= 6 { gate.end(.failing("\(refusal.detail) (\(refusal.status))")) }
          default:
            gate.end(.failing("there seems to be no registry at \(registry): \(refusal.detail) (\(refusal.status))"))
          }
        }
        _ = gate.wait(0.3 * Double(1 << min(attempt, 3)) * options.step)
      }
    }
    return nil
  }

  // MARK: Sending

  private func send(as user: RegistryUser) throws {
    let binding = RegistryBinding(registry: registry, userID: user.id, username: user.username)
    let old = try store.binding()
    try SyncBinding.refuseOther(old, registry: registry, userID: user.id, path: store.path, username: user.username)
    if old != binding { try store.bind(to: binding) }
    report.binding = binding
    let (calls, gate, metrics, library, step) = (calls, gate, metrics, store.path, options.step)
    for _ in 0..<max(1, options.workers) {
      channel.startWorker { try Sender(calls, gate, metrics, library: library, userID: user.id, step: step) }
    }
    var patience = options.patience
    while true {
      try handOut()
      if units.isEmpty {
        try settle(held.map { ($0.0, gate.stop == nil ? $0.1 : Self.givenBack($0.1)) }, user)
        held = []
        if gate.stop != nil { break }
        if !ready.isEmpty { continue }
        if mayRescan {
          beginScan()
          continue
        }
        guard hasRetries, try waitForRetry(&patience) else { break }
        beginScan()
        continue
      }
      try collect(user)
      if gate.stop == .interrupted { return try stop(user) }
    }
  }

  private func beginScan() {
    scan = QueueScan(store)
    isScanned = false
    mayRescan = false
  }

  /// Keeps all threads busy.
  private func handOut() throws {
    while gate.stop == nil, units.count < max(1, options.workers) {
      var candidates: [QueueTable.Candidate] = []
      let wanted = hasBatches ? unitSize : 1
      while candidates.count < wanted, let next = try nextCandidate() { candidates.append(next) }
      if candidates.isEmpty { return }
      let claim = try store.claim(candidates, bytes: SyncOptions.batchBytes)
      for candidate in candidates[claim.looked...].reversed() {
        busy.remove(candidate.contentID)
        ready.append(candidate)
      }
      take(claim)
      let taken = Set(claim.taken.map(\.row.contentID))
      for candidate in candidates[..<claim.looked] where !taken.contains(candidate.contentID) {
        busy.remove(candidate.contentID)
      }
      ready += claim.next
      let isBatch = hasBatches && claim.taken.count >= SyncOptions.fewest
      for operations in isBatch ? [claim.taken] : claim.taken.map({ [$0] }) where !operations.isEmpty {
        let unit = WorkChannel.Unit(number: nextUnit, operations: operations, isBatch: isBatch)
        nextUnit += 1
        units[unit.number] = unit
        channel.add(unit)
      }
    }
  }

  /// How many operations one thread gets: all threads get some.
  private var unitSize: Int {
    let share = (report.liveBefore + max(1, options.workers) - 1) / max(1, options.workers)
    return max(1, min(batchLimit, max(50, share)))
  }

  private func nextCandidate() throws -> QueueTable.Candidate? {
    while true {
      var next = ready.popLast()
      if next == nil, !isScanned {
        next = try scan.next()
        isScanned = next == nil
      }
      guard let next else { return nil }
      // Whatever is under way brings the row again when it is done.
      if busy.insert(next.contentID).inserted { return next }
    }
  }

  private func take(_ claim: QueueStore.Claim) {
    report.cancelled += claim.cancelled.count
    for row in claim.cancelled { count(row) }
    if !claim.cancelled.isEmpty { mayRescan = true }
    for (row, why) in claim.waiting where waits.count < SyncReport.listed {
      waits[row.id] = SyncReport.Operation(row, reason: why)
    }
  }

  private func count(_ row: QueueEntry) {
    if row.id.number > highest[row.id.place] ?? 0 { addedAndDone += 1 }
  }

  // MARK: Settling

  private func collect(_ user: RegistryUser) throws {
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

  /// A try that does not count, because nothing went well around it.
  private static func givenBack(_ outcome: SendOutcome) -> SendOutcome {
    if case .tried(let reason) = outcome { .unsent(reason.text) } else { outcome }
  }

  private func settle(_ outcomes: [(ClaimedOperation, SendOutcome)], _ user: RegistryUser) throws {
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

  // MARK: Waiting and ending

  /// Waits until a row may be tried again; false when that takes too long.
  private func waitForRetry(_ patience: inout Double) throws -> Bool {
    guard let next = try store.nextRetry() else { return false }
    let seconds = max(0, Double(next.milliseconds - QueueStore.timestamp.milliseconds) / 1000) + 0.002
    guard seconds <= patience else { return false }
    patience -= seconds
    return gate.wait(seconds)
  }

  /// Lets requests under way come to their end, for a while.
  private func stop(_ user: RegistryUser) throws {
    let until = ContinuousClock.now.advanced(by: .seconds(options.grace))
    while !units.isEmpty, until > .now { try collect(user) }
    let left = units.values.flatMap(\.operations).map { ($0, SendOutcome.unsent(QueueStore.interrupted)) }
    units = [:]
    try settle(left + held.map { ($0.0, Self.givenBack($0.1)) }, user)
    held = []
  }

  private func finish() throws {
    switch gate.stop {
    case nil: break
    case .unreachable(let detail): (report.end, report.endReason) = (.unreachable, detail)
    case .failing(let detail): (report.end, report.endReason) = (.failing, detail)
    case .paused(let detail, let seconds):
      let wait = "it asks to be left alone for \(Int(seconds.rounded(.up))) seconds"
      (report.end, report.endReason) = (.paused, detail.isEmpty ? wait : "\(detail) (\(wait))")
    case .signIn(let detail): (report.end, report.endReason) = (.signIn, detail)
    case .interrupted: (report.end, report.endReason) = (.interrupted, "interrupted")
    }
    report.depth = try store.depth()
    report.liveAfter = report.depth.live
    report.added = try addedAndDone + store.liveCount(after: highest)
    // Rows that others took away between two looks can only be inferred; without others there are none.
    let missing =
      report.liveBefore + report.added - report.sentCount - report.failed - report.cancelled - report.gone
      - report.liveAfter
    if report.othersWrote, missing > 0 { report.gone += missing }
    if report.liveAfter > 0 { report.waiting = try store.waiting(waits) }
  }
}
