import Foundation
import Interchange
import Synchronization

/// What all threads of a sync obey: a pause that the registry asked for, and the end of the run.
final class SendingGate: Sendable {
  /// Why a run ends before the queue is empty.
  enum Stop: Sendable, Equatable {
    /// Nobody is reached.
    case unreachable(String)
    /// There is no TLS connection that can be trusted, and what to do about it.
    case insecure(String)
    /// The registry answers nothing of use, whatever is asked.
    case failing(String)
    /// The registry asked for a longer pause than is worth waiting for, in seconds.
    case paused(String, Double)
    /// Somebody has to sign in.
    case signIn(String)
    /// The user asked for it.
    case interrupted
  }

  private struct State {
    var stop: Stop?
    var pausedUntil: ContinuousClock.Instant?
    /// Requests in a row that came to nothing, in all threads.
    var failures = 0
    /// Pauses since the last good answer.
    var pauses = 0
  }

  private let state = Mutex(State())
  private let longestPause: Double

  init(longestPause: Double) { self.longestPause = longestPause }

  /// Why the run ends; nil while it goes on.
  var stop: Stop? {
    if let stop = state.withLock({ $0.stop }) { return stop }
    return Interruption.isRequested ? .interrupted : nil
  }

  /// Requests in a row that came to nothing.
  var failures: Int { state.withLock { $0.failures } }

  /// Ends the run; the first reason counts.
  func end(_ stop: Stop) { state.withLock { $0.stop = $0.stop ?? stop } }

  /// Waits while there is a pause; false when nothing may be sent any more.
  func pass() -> Bool {
    while true {
      if stop != nil { return false }
      guard let until = state.withLock({ $0.pausedUntil }), until > .now else { return true }
      usleep(50_000)
    }
  }

  /// Waits; false when nothing may be sent any more.
  func wait(_ seconds: Double) -> Bool {
    let until = ContinuousClock.now.advanced(by: .seconds(seconds))
    while until > .now {
      if stop != nil { return false }
      usleep(UInt32(min(50_000, max(1000, seconds * 200_000))))
    }
    return stop == nil
  }

  /// Whether there is a pause.
  var isPaused: Bool { state.withLock { $0.pausedUntil.map { $0 > .now } ?? false } }

  /// The registry gave an answer that means something.
  func answered() {
    state.withLock { state in
      state.failures = 0
      state.pauses = 0
    }
  }

  /// A request came to nothing.
  func failed(_ stop: Stop) {
    state.withLock { state in
      state.failures += 1
      if state.failures >= SyncOptions.breaker, state.stop == nil { state.stop = stop }
    }
  }

  /// The registry asks for a pause.
  func pause(_ seconds: Double?, _ detail: String) {
    state.withLock { state in
      // Without a word from the registry: longer every time.
      let seconds = seconds ?? min(60, 2 * Double(1 << min(state.pauses, 5)))
      let until = ContinuousClock.now.advanced(by: .seconds(seconds))
      // Those who were under way together get the same answer: one pause.
      if state.pausedUntil.map({ $0 <= .now }) ?? true { state.pauses += 1 }
      state.pausedUntil = max(until, state.pausedUntil ?? until)
      if seconds > longestPause || state.pauses > 8 { state.stop = state.stop ?? .paused(detail, seconds) }
    }
  }
}
