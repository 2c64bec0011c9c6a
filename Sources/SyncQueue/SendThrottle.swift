import Foundation
import Interchange
import Synchronization

/// State that all threads of a sync share: a pause that the registry asked for, and the end of the run.
final class SendThrottle: Sendable {
  /// Why a run ends before the queue is empty.
  enum Stop: Sendable, Equatable {
    /// The registry cannot be reached.
    case unreachable(String)
    /// There is no trusted TLS connection; the value is advice.
    case insecure(String)
    /// The registry has given no usable answer to any request.
    case failing(String)
    /// The registry asked for a longer pause than the run may wait, in seconds.
    case paused(String, Double)
    /// The user must sign in.
    case signIn(String)
    /// The user stopped the run.
    case interrupted
  }

  private struct State {
    var stop: Stop?
    var pausedUntil: ContinuousClock.Instant?
    /// The number of consecutive requests without a usable answer, in all threads.
    var failures = 0
    /// The number of pauses since the last usable answer.
    var pauses = 0
  }

  private let state = Mutex(State())
  private let longestPause: Double

  init(longestPause: Double) { self.longestPause = longestPause }

  /// Why the run ends; nil while it continues.
  var stop: Stop? {
    if let stop = state.withLock({ $0.stop }) { return stop }
    return Interruption.isRequested ? .interrupted : nil
  }

  /// The number of consecutive requests without a usable answer.
  var failures: Int { state.withLock { $0.failures } }

  /// Ends the run; only the first reason counts.
  func end(_ stop: Stop) { state.withLock { $0.stop = $0.stop ?? stop } }

  /// Waits while there is a pause; returns false if nothing more may be sent.
  func pass() -> Bool {
    while true {
      if stop != nil { return false }
      guard let until = state.withLock({ $0.pausedUntil }), until > .now else { return true }
      usleep(50_000)
    }
  }

  /// Waits; returns false if nothing more may be sent.
  func wait(_ seconds: Double) -> Bool {
    let until = ContinuousClock.now.advanced(by: .seconds(seconds))
    while until > .now {
      if stop != nil { return false }
      usleep(UInt32(min(50_000, max(1000, seconds * 200_000))))
    }
    return stop == nil
  }

  /// Whether there is a pause.
  private var isPaused: Bool { state.withLock { $0.pausedUntil.map { $0 > .now } ?? false } }

  /// Records that the registry gave a usable answer.
  func answered() {
    state.withLock { state in
      state.failures = 0
      state.pauses = 0
    }
  }

  /// Records a request without a usable answer.
  func failed(_ stop: Stop) {
    state.withLock { state in
      state.failures += 1
      if state.failures >= SyncOptions.breaker, state.stop == nil { state.stop = stop }
    }
  }

  /// Records that the registry asks for a pause.
  func pause(_ seconds: Double?, _ detail: String) {
    state.withLock { state in
      // If the registry does not specify a duration, each pause is longer than the last.
      let seconds = seconds ?? min(60, 2 * Double(1 << min(state.pauses, 5)))
      let until = ContinuousClock.now.advanced(by: .seconds(seconds))
      // Requests that were in flight together get the same answer, which counts as one pause.
      if state.pausedUntil.map({ $0 <= .now }) ?? true { state.pauses += 1 }
      state.pausedUntil = max(until, state.pausedUntil ?? until)
      if seconds > longestPause || state.pauses > 8 { state.stop = state.stop ?? .paused(detail, seconds) }
    }
  }
}

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

  /// Waits for reports, at most for the given time; returns an empty array if there were none.
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
