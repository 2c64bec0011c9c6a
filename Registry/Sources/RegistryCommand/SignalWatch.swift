import Dispatch
import Foundation
import Logging
import Synchronization

/// Ends the process when a graceful end takes too long, or at a second signal.
///
/// Signals within a second of the first are the same wish: `timeout` and terminals signal a process and its group.
/// The graceful end itself is the service group's work, which hears the same signals.
final class SignalWatch {
  private static let longest = DispatchTimeInterval.seconds(10)

  /// How long further signals count as the first one, in nanoseconds.
  private static let sameWish: UInt64 = 1_000_000_000
  /// The signals that ask for a graceful end.
  ///
  /// SIGHUP comes when the terminal is closed; whoever ignores it (`nohup`) wants the server to stay.
  static let numbers: [Int32] = {
    // 1 is SIG_IGN on every system; the functions themselves cannot be compared.
    let isHangUpIgnored = unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self) == 1
    return isHangUpIgnored ? [SIGTERM, SIGINT] : [SIGTERM, SIGINT, SIGHUP]
  }()

  private final class First: Sendable { let time = Mutex<DispatchTime?>(nil) }

  private let sources: [any DispatchSourceSignal]

  init(_ output: LogOutput, log: Logger) {
    let queue = DispatchQueue(label: "signals")
    let first = First()
    sources = Self.numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        let now = DispatchTime.now()
        let before = first.time.withLock { time in
          defer { time = time ?? now }
          return time
        }
        if let before {
          guard now.uptimeNanoseconds - before.uptimeNanoseconds > Self.sameWish else { return }
          // Nothing acknowledged is lost by this: it is on disk before it is answered.
          log.warning("stopped at once by a second signal")
          output.flush()
          exit(130)
        }
        log.info("stopping", metadata: ["signal": .string(Self.name(number))])
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

  private static func name(_ number: Int32) -> String {
    switch number {
    case SIGTERM: "SIGTERM"
    case SIGINT: "SIGINT"
    default: "SIGHUP"
    }
  }

  /// Listens no longer.
  func end() { for source in sources { source.cancel() } }
}
