import FleetKit
import Foundation
import Synchronization

/// Reads typed lines such that Ctrl-C ends the run immediately.
///
/// The signal handler only sets a flag, and a blocking read continues after the handler returns. So input is read only
/// once it is available, and the flag is checked while waiting.
final class TerminalInput: Sendable {
  /// The bytes typed after the last line that was returned.
  private let waiting = Mutex<[UInt8]>([])

  /// The maximum wait in milliseconds. A signal that arrives between the check and the wait is noticed afterwards.
  private static let patience: Int32 = 200
  private static let longest = 1 << 16

  /// Returns the next line without its end; nil at the end of the input.
  /// - Throws: `RunFailure` with status 130 if the user interrupted the run.
  func line() throws -> String? {
    try waiting.withLock { waiting in
      while true {
        try Interruption.check()
        if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
          defer { waiting.removeSubrange(...end) }
          return String(decoding: waiting[..<end], as: UTF8.self)
        }
        // No typed line is that long; the first part is the answer.
        let hasMore = try waiting.count < Self.longest && more(&waiting)
        if !hasMore {
          defer { waiting.removeAll() }
          return waiting.isEmpty ? nil : String(decoding: waiting, as: UTF8.self)
        }
      }
    }
  }

  /// Reads the next bytes. Returns false at the end of the input.
  private func more(_ waiting: inout [UInt8]) throws -> Bool {
    var wanted = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&wanted, 1, Self.patience)
      let isInterrupted = ready < 0 && errno == EINTR
      try Interruption.check()
      if ready == 0 || isInterrupted { continue }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(0, &chunk, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return false }
      waiting += chunk.prefix(count)
      return true
    }
  }
}
