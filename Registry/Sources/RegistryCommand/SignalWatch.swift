import Dispatch
import Foundation
import Logging
import Synchronization

/// Handles the signals that request termination, from the start of the process to its end.
///
/// Until the service runs, a signal ends the process immediately. After that, a signal begins the graceful shutdown,
/// which has a time limit, and a second signal ends the process. Signals within a second of the first count as the same
/// request: `timeout` and terminals signal a process and its group.
///
/// Handlers only write the signal's number to a pipe, so that no signal is lost when the listener changes.
enum SignalWatch {
  private static let longest = DispatchTimeInterval.seconds(10)
  /// How long further signals count as the first signal, in nanoseconds.
  private static let sameWish: UInt64 = 1_000_000_000

  /// The service that is shut down gracefully.
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

  /// Begins to listen for signals; the process calls this first.
  static func begin() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A full pipe contains enough signals; a handler must not wait.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    signalPipe = ends[1]
    let readEnd = ends[0]
    Thread.detachNewThread {
      var number: UInt8 = 0
      while true {
        if read(readEnd, &number, 1) == 1 { handle(Int32(number)) } else if errno != EINTR { return }
      }
    }
    // SIGHUP is sent when the terminal is closed; if the signal is ignored (`nohup`), the server must continue. The
    // value of SIG_IGN is 1 on every system; the functions themselves cannot be compared.
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

  /// Makes the next signal call `stop`, once.
  static func attend(_ output: LogOutput, log: Logger, stop: @escaping @Sendable () -> Void) {
    state.withLock { $0.service = Service(output: output, log: log, stop: stop) }
  }

  /// Stops listening for signals: the process is ending anyway.
  static func end() { state.withLock { $0.isOver = true } }

  private static func handle(_ number: Int32) {
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
      // Acknowledged changes are not lost: they are on disk before they are answered.
      service.log.warning("stopped immediately by a second signal")
      service.output.flush()
      ProcessEnd.now(130)
    }
    service.log.info("stopping", metadata: ["signal": .string(name(number))])
    DispatchQueue.global().asyncAfter(deadline: .now() + longest) {
      service.log.warning("stopped while requests were under way")
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
  /// Ends the process immediately, without running the exit handlers of libraries.
  ///
  /// Other threads run until the process ends. `exit` would free data that they use: OpenSSL's handler does, and a
  /// signal during the start then sometimes caused a crash (SIGSEGV).
  static func now(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }
}

/// The pipe for signal numbers, a global because a handler can access only globals.
nonisolated(unsafe) private var signalPipe: Int32 = -1
