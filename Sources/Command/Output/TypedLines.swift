import FleetKit
import Foundation
import Synchronization

/// Lines that a person types, read so that Ctrl-C ends the run at once.
///
/// The handler of the signal only sets a flag, and a blocking read goes on after it. So nothing is read before there is
/// something, and the flag is looked at while nothing comes.
final class TypedLines: Sendable {
  /// What was typed after the last line that was asked for.
  private let waiting = Mutex<[UInt8]>([])

  /// A signal between the look at the flag and the wait is noticed after so many milliseconds.
  private static let patience: Int32 = 200
  private static let longest = 1 << 16

  /// The next line without its end; nil at the end of the input.
  /// - Throws: `RunFailure` with status 130 when the user asked to stop.
  func line() throws -> String? {
    try waiting.withLock { waiting in
      while true {
        try Interruption.check()
        if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
          defer { waiting.removeSubrange(...end) }
          return String(decoding: waiting[..<end], as: UTF8.self)
        }
        // Nobody types that much: what is there answers.
        let hasMore = try waiting.count < Self.longest && more(&waiting)
        if !hasMore {
          defer { waiting.removeAll() }
          return waiting.isEmpty ? nil : String(decoding: waiting, as: UTF8.self)
        }
      }
    }
  }

  /// Adds what comes next; false at the end.
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
