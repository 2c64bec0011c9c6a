import Dispatch
import Foundation
import Synchronization

/// Writes log lines to stderr.
///
/// Requests never wait for the log's reader: lines are collected, and a separate queue writes them a few times a
/// second. When the reader stops reading for too long, lines are dropped and counted, and the count is logged.
final class LogOutput: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var dropped = 0
    var isScheduled = false
  }

  /// The maximum number of waiting bytes.
  private static let limit = 4 << 20
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "log")
  private let descriptor: Int32

  init(descriptor: Int32 = 2) { self.descriptor = descriptor }

  /// Queues a line without its line break.
  func write(_ line: [UInt8], soon: Bool = false) {
    let schedules = state.withLock { state in
      if state.bytes.count + line.count > Self.limit {
        state.dropped += 1
      } else {
        state.bytes.append(contentsOf: line)
        state.bytes.append(10)
      }
      if state.isScheduled { return false }
      state.isScheduled = true
      return true
    }
    if schedules { queue.asyncAfter(deadline: .now() + .milliseconds(soon ? 0 : 50)) { self.flushNow() } }
  }

  /// Writes the waiting lines, and returns when this is done.
  func flush() { queue.sync { flushNow() } }

  private func flushNow() {
    let (bytes, dropped) = state.withLock { state in
      defer {
        state.bytes.removeAll(keepingCapacity: state.bytes.count < 1 << 16)
        state.dropped = 0
        state.isScheduled = false
      }
      return (state.bytes, state.dropped)
    }
    put(bytes)
    if dropped > 0 {
      put(Array("{\"level\":\"warning\",\"message\":\"log lines dropped\",\"count\":\(dropped)}\n".utf8))
    }
  }

  private func put(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        return
      }
      rest = rest.dropFirst(written)
    }
  }
}
