import Foundation
import Interchange
import Synchronization

/// Ends requests that hang when the user wants to stop: those that send something are given a few seconds, those that
/// only ask are not waited for.
package final class InterruptionWatch: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let isSending = Atomic<Bool>(false)

  /// Watches from now on.
  /// - Parameters:
  ///   - grace: how long requests that send something may take then, in seconds.
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

  /// From now on something is sent.
  package func sends() { isSending.store(true, ordering: .relaxed) }

  /// Watches no longer.
  package func end() { isOver.store(true, ordering: .relaxed) }
}
