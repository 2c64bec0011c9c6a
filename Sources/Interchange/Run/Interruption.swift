import Foundation
import Synchronization

/// Ctrl-C and termination, noticed between batches so that nothing is left half done.
public enum Interruption {
  private static let flag = Atomic<Bool>(false)
  private static let first = Atomic<Int32>(0)

  /// Makes SIGINT and SIGTERM end the run at the next safe moment; a second one ends it at once.
  public static func install() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { received in
        if Interruption.flag.exchange(true, ordering: .relaxed) {
          signal(received, SIG_DFL)
          raise(received)
        }
        Interruption.first.store(received, ordering: .relaxed)
      }
    }
    // Whoever started this may have blocked them, as threads of a pool do.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    // A reader that goes away (| head) shows as an error of write, not as a signal.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Whether the user asked to stop.
  public static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Whether it was another program that asked, not somebody at the keyboard.
  public static var isTermination: Bool { first.load(ordering: .relaxed) == SIGTERM }

  /// Stops the run when the user asked for it.
  /// - Throws: `RunFailure` with status 130.
  public static func check() throws {
    if isRequested { throw RunFailure(.interrupted, "interrupted; nothing was written") }
  }
}
