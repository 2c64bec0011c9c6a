import Dispatch
import Foundation
import Logging
import Synchronization

/// Hears the signals that ask for an end, from the first moment of the process to its last.
///
/// Before there is anything to end gracefully, a signal ends the process at once, as asked. Later it begins the graceful
/// end, which has a limit; a second signal ends everything. Signals within a second of the first are the same wish:
/// `timeout` and terminals signal a process and its group.
///
/// Handlers only put the signal's number into a pipe, so that none is lost between one way of listening and another.
enum SignalWatch {
  private static let longest = DispatchTimeInterval.seconds(10)
  /// How long further signals count as the first one, in nanoseconds.
  private static let sameWish: UInt64 = 1_000_000_000

  /// What is ended gracefully.
  private struct Service {
    let output: LogOutput
    let log: Logger
    let stop: @Sendable () -> Void
  }

  private struct State {
    var first: DispatchTime?
    var service: Service?
    var isOver = false
  }

  private static let state = Mutex(State())

  /// Begins to listen; the first thing that the process does.
  static func begin() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A full pipe has signals enough; a handler must not wait.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    signalPipe = ends[1]
    let readEnd = ends[0]
    Thread.detachNewThread {
      var number: UInt8 = 0
      while true {
        if read(readEnd, &number, 1) == 1 { heard(Int32(number)) } else if errno != EINTR { return }
      }
    }
    // SIGHUP comes when the terminal is closed; whoever ignores it (`nohup`) wants the server to stay.
    // 1 is SIG_IGN on every system; the functions themselves cannot be compared.
    let isHangUpIgnored = unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self) == 1
    for number in isHangUpIgnored ? [SIGTERM, SIGINT] : [SIGTERM, SIGINT, SIGHUP] {
      signal(number) { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(signalPipe, &byte, 1)
        errno = before
      }
    }
  }

  /// From now on a signal calls `stop`, once.
  static func attend(_ output: LogOutput, log: Logger, stop: @escaping @Sendable () -> Void) {
    state.withLock { $0.service = Service(output: output, log: log, stop: stop) }
  }

  /// Listens no longer: the process ends by itself.
  static func end() { state.withLock { $0.isOver = true } }

  private static func heard(_ number: Int32) {
    let now = DispatchTime.now()
    let (before, service, isOver) = state.withLock { state in
      defer { state.first = state.first ?? now }
      return (state.first, state.service, state.isOver)
    }
    if isOver { return }
    // No request has been answered yet.
    guard let service else { ProcessEnd.now(0) }
    if let before {
      guard now.uptimeNanoseconds - before.uptimeNanoseconds > sameWish else { return }
      // Nothing acknowledged is lost by this: it is on disk before it is answered.
      service.log.warning("stopped at once by a second signal")
      service.output.flush()
      ProcessEnd.now(130)
    }
    service.log.info("stopping", metadata: ["signal": .string(name(number))])
    DispatchQueue.global().asyncAfter(deadline: .now() + longest) {
      service.log.warning("stopped although requests were under way")
      service.output.flush()
      ProcessEnd.now(0)
    }
    service.stop()
  }

  private static func name(_ number: Int32) -> String {
    switch number {
    case SIGTERM: "SIGTERM"
    case SIGINT: "SIGINT"
    default: "SIGHUP"
    }
  }
}

/// Ends the process.
enum ProcessEnd {
  /// Ends the process at once, without the exit handlers of libraries.
  ///
  /// Other threads go on until the last moment. `exit` would free what they use: OpenSSL's handler does, and a signal
  /// during the start then ended in a crash (SIGSEGV) now and then.
  static func now(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }
}

/// Where signals' numbers go; a handler can reach nothing but a global.
nonisolated(unsafe) private var signalPipe: Int32 = -1
