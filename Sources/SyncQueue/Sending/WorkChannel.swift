import Interchange

/// Work for the threads of a sync, and what they report.
final class WorkChannel: Sendable {
  /// Operations that are sent by one thread.
  struct Unit: Sendable {
    let number: Int
    let operations: [ClaimedOperation]
    let isBatch: Bool
  }

  private let units = BoundedQueue<Unit>(capacity: .max)
  private let reports = BoundedQueue<(Int, Sender.Report)>(capacity: .max)

  /// Hands out work.
  func add(_ unit: Unit) { _ = units.send(unit) }

  /// No more work comes.
  func close() { units.end(.success(())) }

  /// Waits for what was done, at most so long; empty when nothing was.
  /// - Throws: what a thread could not begin with.
  func collect(atMost seconds: Double) throws -> [(Int, Sender.Report)] { try reports.receiveAll(atMost: seconds) }

  /// Begins a thread that works until nothing more comes.
  func startWorker(_ makeSender: @escaping @Sendable () throws -> Sender) {
    ThreadPool.shared.run { [units, reports] in
      do {
        let sender = try makeSender()
        while let unit = try units.receive() {
          _ = reports.send((unit.number, sender.send(unit.operations, asBatch: unit.isBatch)))
        }
      } catch {
        reports.end(.failure(error))
      }
    }
  }
}
