import Foundation

/// Work for the threads of a sync, and what they report.
final class WorkChannel: @unchecked Sendable {
  /// Operations that are sent by one thread.
  struct Unit: Sendable {
    let number: Int
    let operations: [ClaimedOperation]
    let isBatch: Bool
  }

  private let condition = NSCondition()
  private var units: [Unit] = []
  private var reports: [(Int, Sender.Report)] = []
  private var isClosed = false
  private var trouble: (any Error)?

  /// Hands out work.
  func add(_ unit: Unit) {
    condition.lock()
    units.append(unit)
    condition.broadcast()
    condition.unlock()
  }

  /// No more work comes.
  func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }

  /// Waits for what was done, at most so long; empty when nothing was.
  /// - Throws: what a thread could not begin with.
  func collect(atMost seconds: Double) throws -> [(Int, Sender.Report)] {
    condition.lock()
    defer { condition.unlock() }
    if reports.isEmpty, trouble == nil { _ = condition.wait(until: Date(timeIntervalSinceNow: seconds)) }
    if let trouble { throw trouble }
    defer { reports = [] }
    return reports
  }

  private func next() -> Unit? {
    condition.lock()
    defer { condition.unlock() }
    while units.isEmpty, !isClosed { condition.wait() }
    return units.isEmpty ? nil : units.removeFirst()
  }

  private func report(_ number: Int, _ report: Sender.Report) {
    condition.lock()
    reports.append((number, report))
    condition.broadcast()
    condition.unlock()
  }

  private func fail(_ error: any Error) {
    condition.lock()
    trouble = error
    condition.broadcast()
    condition.unlock()
  }

  /// Begins a thread that works until nothing more comes.
  func startWorker(_ makeSender: @escaping @Sendable () throws -> Sender) {
    let thread = Thread { [self] in
      do {
        let sender = try makeSender()
        while let unit = next() { report(unit.number, sender.send(unit.operations, asBatch: unit.isBatch)) }
      } catch {
        fail(error)
      }
    }
    thread.name = "fleetkit.sync"
    thread.stackSize = 4 << 20
    thread.start()
  }
}
