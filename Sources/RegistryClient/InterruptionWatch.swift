import Foundation
import Interchange
import Synchronization

/// Ends hanging requests when the user wants to stop. Requests that send changes get a few more seconds; requests that
/// only read are ended immediately.
package final class InterruptionWatch: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let isSending = Atomic<Bool>(false)

  /// Starts watching.
  /// - Parameters:
  ///   - grace: how long requests that send changes may still take, in seconds.
  ///   - isInterrupted: whether the user wants to stop.
  ///   - stop: ends all requests.
  package init(
    grace: Double, isInterrupted: @escaping @Sendable () -> Bool = { Interruption.isRequested },
    stop: @escaping @Sendable () -> Void
  ) {
    ThreadPool.shared.run { [self] in
      while !isInterrupted() {
        if isOver.load(ordering: .relaxed) { return }
        usleep(50_000)
      }
      let until = ContinuousClock.now.advanced(by: .seconds(grace))
      while until > .now, isSending.load(ordering: .relaxed) {
        if isOver.load(ordering: .relaxed) { return }
        usleep(50_000)
      }
      if !isOver.load(ordering: .relaxed) { stop() }
    }
  }

  /// Announces that requests send changes from this point on.
  package func sends() { isSending.store(true, ordering: .relaxed) }

  /// Stops watching.
  package func end() { isOver.store(true, ordering: .relaxed) }
}
