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
  private var isScanned = false
  /// Rows that may be sent before the scan reaches them.
  var ready: [QueueTable.Candidate] = []
  /// Items with an operation in flight.
  var busy: Set<String> = []
  var units: [Int: WorkChannel.Unit] = [:]
  private var nextUnit = 0
  private var hasBatches: Bool
  var batchLimit: Int
  /// Operations that failed while no other operation succeeded: the operations themselves may not be the cause.
  var held: [(ClaimedOperation, SendOutcome)] = []
  var waits: [OperationID: SyncReport.Operation] = [:]
  private var highest: [QueuePlace: Int64] = [:]
  private var addedAndDone = 0
  /// Whether an operation that others may have waited for has succeeded since the scan began.
  private var mayRescan = false
  private var hasRetries = false

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
  /// - Throws: `RunFailure`: 4 if the library belongs to another registry or account, 7 if another program holds
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
    try store.recoverInterruptedRows()
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

/// Distributes rows to the sending threads.
extension SyncRun {
  func send(as user: RegistryUser) throws {
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
        try record(held.map { ($0.0, gate.stop == nil ? $0.1 : Self.givenBack($0.1)) }, user)
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
  func handOut() throws {
    while gate.stop == nil, units.count < max(1, options.workers) {
      var candidates: [QueueTable.Candidate] = []
      let wanted = hasBatches ? unitSize : 1
      while candidates.count < wanted, let next = try nextCandidate() { candidates.append(next) }
      if candidates.isEmpty { return }
      let claim = try store.claim(candidates, bytes: SyncOptions.batchBytes)
      for candidate in candidates[claim.considered...].reversed() {
        busy.remove(candidate.contentID)
        ready.append(candidate)
      }
      record(claim)
      let taken = Set(claim.taken.map(\.row.contentID))
      for candidate in candidates[..<claim.considered] where !taken.contains(candidate.contentID) {
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

  /// The number of operations for one thread, chosen so that every thread gets some.
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
      // When the operation in flight completes, it returns this row again.
      if busy.insert(next.contentID).inserted { return next }
    }
  }

  func record(_ claim: QueueStore.Claim) {
    report.cancelled += claim.cancelled.count
    for row in claim.cancelled { count(row) }
    if !claim.cancelled.isEmpty { mayRescan = true }
    for (row, why) in claim.waiting where waits.count < SyncReport.listed {
      waits[row.id] = SyncReport.Operation(row, reason: why)
    }
  }

  func count(_ row: QueueEntry) {
    if row.id.number > highest[row.id.place] ?? 0 { addedAndDone += 1 }
  }
}

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
    try record(outcomes, user)
  }

  /// Returns the outcome for a try that does not count because all other requests failed too.
  private static func givenBack(_ outcome: SendOutcome) -> SendOutcome {
    if case .tried(let reason) = outcome { .unsent(reason.text) } else { outcome }
  }

  func record(_ outcomes: [(ClaimedOperation, SendOutcome)], _ user: RegistryUser) throws {
    var overtaken = Set<OperationID>()
    for case (let operation, .overtaken) in outcomes { overtaken.insert(operation.row.id) }
    for case (let operation, .published(let publication)) in outcomes {
      for note in publication.notes where report.notes.count < SyncReport.listed {
        report.notes.append(SyncReport.Operation(operation.row, reason: note))
      }
    }
    for settled in try store.record(outcomes, by: user.username, step: options.step) {
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
        report.recordFailure(of: settled, reason)
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

  /// Waits until a row may be retried; returns false if that would take too long.
  private func waitForRetry(_ patience: inout Double) throws -> Bool {
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
    try record(left + held.map { ($0.0, Self.givenBack($0.1)) }, user)
    held = []
  }
}

/// Goes through both queues page by page, in the order in which rows were queued.
struct QueueScan {
  private let store: QueueStore
  private var pages: [[QueueTable.Candidate]]
  private var positions: [QueueTable.Position]
  private var isDone: [Bool]
  private let now: String

  /// The number of rows read per page.
  private static let page = 1000

  init(_ store: QueueStore) {
    self.store = store
    pages = store.tables.map { _ in [] }
    positions = store.tables.map { _ in QueueTable.Position() }
    isDone = store.tables.map { _ in false }
    now = QueueStore.now
  }

  /// Returns the next row that may be sent; nil at the end of both queues.
  mutating func next() throws -> QueueTable.Candidate? {
    for index in pages.indices where pages[index].isEmpty && !isDone[index] {
      let found = try store.read {
        try store.tables[index].candidates(after: positions[index], now: now, limit: Self.page)
      }
      isDone[index] = found.count < Self.page
      if let last = found.last { positions[index] = last.position }
      pages[index] = found.reversed()
    }
    let first = pages.indices.filter { !pages[$0].isEmpty }.min {
      (pages[$0].last?.position ?? .init()) < (pages[$1].last?.position ?? .init())
    }
    guard let first else { return nil }
    return pages[first].removeLast()
  }
}

/// The options of a sync.
public struct SyncOptions: Sendable {
  /// The number of concurrent requests.
  public var workers = 4
  /// The total time to wait for rows that are due for a retry, in seconds; 0 for not waiting.
  public var patience = 10.0
  /// The longest pause, requested by the registry, that the run waits for, in seconds.
  public var longestPause = 120.0
  /// Whether to retry failed operations first.
  public var retriesFailed = false
  /// The maximum number of operations in a batch; with 1, each is sent on its own.
  public var batchLimit = 500
  /// The first wait before a retry, in seconds; tests make it short.
  package var step = 1.0
  /// How long requests in flight may still take when the run is interrupted, in seconds.
  package var grace = 5.0

  /// Creates the default options.
  public init() {}

  /// The minimum number of waiting rows for which batches are sent.
  static let fewest = 5
  /// The maximum number of payload bytes in a batch.
  static let batchBytes = 8 << 20
  /// The number of consecutive requests without a usable answer after which the run ends.
  static let breaker = 12
}

/// Checks that a library belongs to one registry and one account: its publication records mean nothing to any other.
enum SyncBinding {
  /// Refuses a registry or an account that the library does not belong to.
  static func refuseOther(
    _ old: RegistryBinding?, registry: String, userID: String?, path: String, username: String? = nil
  ) throws {
    guard let old else { return }
    if old.registry != registry {
      throw RunFailure(
        .refused, "send the queue of '\(path)': it belongs to \(old.registry), not to \(registry); nothing was sent",
        advice: "If this is intended, run: fleetkit queue rebind '\(path)' --registry \(registry)")
    }
    if let userID, old.userID.lowercased() != userID.lowercased() {
      throw RunFailure(
        .refused,
        "send the queue of '\(path)': it belongs to the account '\(old.username)', but '\(username ?? userID)' is "
          + "signed in; nothing was sent",
        advice: "Sign in as '\(old.username)', or run: fleetkit queue rebind '\(path)' --registry \(registry)")
    }
  }
}
