import Interchange

/// The work for the threads of a sync, and the threads' reports.
final class WorkChannel: Sendable {
  /// Operations for one thread.
  struct Unit: Sendable {
    let number: Int
    let operations: [ClaimedOperation]
    let isBatch: Bool
  }

  private let units = BoundedQueue<Unit>(capacity: .max)
  private let reports = BoundedQueue<(Int, Sender.Report)>(capacity: .max)

  /// Adds work for the next free thread.
  func add(_ unit: Unit) { _ = units.send(unit) }

  /// Declares that no more work will follow.
  func close() { units.end(.success(())) }

  /// Waits for reports, at most for the given time; returns an empty array when there were none.
  /// - Throws: the error that kept a thread from starting.
  func collect(atMost seconds: Double) throws -> [(Int, Sender.Report)] { try reports.receiveAll(atMost: seconds) }

  /// Starts a thread that works until there is no more work.
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
