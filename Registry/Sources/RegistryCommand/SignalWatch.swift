import Dispatch
import Foundation
import Logging
import Synchronization

/// Ends the process when a graceful end takes too long, or at the second signal.
///
/// The graceful end itself is the service group's work, which hears the same signals.
final class SignalWatch {
  private static let longest = DispatchTimeInterval.seconds(10)

  private final class Count: Sendable { let value = Atomic<Int>(0) }

  private let sources: [any DispatchSourceSignal]

  init(_ output: LogOutput, log: Logger) {
    let queue = DispatchQueue(label: "signals")
    let count = Count()
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        guard count.value.add(1, ordering: .relaxed).newValue == 1 else {
          // Nothing acknowledged is lost by this: it is on disk before it is answered.
          log.warning("stopped at once by a second signal")
          output.flush()
          exit(130)
        }
        log.info("stopping", metadata: ["signal": .string(number == SIGTERM ? "SIGTERM" : "SIGINT")])
        queue.asyncAfter(deadline: .now() + Self.longest) {
          log.warning("stopped although requests were under way")
          output.flush()
          exit(0)
        }
      }
      source.resume()
      return source
    }
  }

  /// Listens no longer.
  func end() { for source in sources { source.cancel() } }
}
