import Foundation
import Interchange
import RegistryClient

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

  func beginScan() {
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

  /// The number of operations for one thread, chosen so that every thread gets some.
  private var unitSize: Int {
    let share = (report.liveBefore + max(1, options.workers) - 1) / max(1, options.workers)
    return max(1, min(batchLimit, max(50, share)))
  }

  func nextCandidate() throws -> QueueTable.Candidate? {
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

  func take(_ claim: QueueStore.Claim) {
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
