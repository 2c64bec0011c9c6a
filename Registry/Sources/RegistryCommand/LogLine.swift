import Content
import Dispatch
import Foundation
import JSONText
import Logging
import RegistryAPI
import RegistryModel
import Synchronization

/// Makes log lines: one JSON object each.
enum LogLine {
  /// Returns the line for a request.
  static func make(_ record: RequestRecord, at now: Timestamp) -> [UInt8] {
    var out = JSONText.ByteBuffer(capacity: 256)
    begin(&out, now, record.status >= 500 ? "error" : "info", "request")
    out.append(",\"method\":\"")
    out.append(utf8: record.method)
    out.append("\",\"route\":")
    out.appendJSONString(record.route)
    out.append(utf8: ",\"status\":\(record.status),\"ms\":")
    // Milliseconds with three decimals are precise enough, and JSON readers accept them.
    let microseconds = Int((record.seconds * 1_000_000).rounded())
    let fraction = String(microseconds % 1000)
    out.append(utf8: "\(microseconds / 1000)." + String(repeating: "0", count: 3 - fraction.utf8.count) + fraction)
    out.append(",\"request_id\":")
    out.appendJSONString(record.requestID)
    out.append(UInt8(ascii: "}"))
    return out.copy(0..<out.count)
  }

  /// Returns the line for any other message.
  static func make(
    level: Logger.Level, message: String, metadata: Logger.Metadata, at now: Timestamp
  ) -> [UInt8] {
    var out = JSONText.ByteBuffer(capacity: 256)
    begin(&out, now, level.rawValue, message)
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      out.append(UInt8(ascii: ","))
      out.appendJSONString(name)
      out.append(UInt8(ascii: ":"))
      out.appendJSONString(value.description)
    }
    out.append(UInt8(ascii: "}"))
    return out.copy(0..<out.count)
  }

  private static func begin(
    _ out: inout JSONText.ByteBuffer, _ now: Timestamp, _ level: String, _ message: String
  ) {
    out.append("{\"time\":")
    out.appendJSONString(now.iso8601)
    out.append(",\"level\":")
    out.appendJSONString(level)
    out.append(",\"message\":")
    out.appendJSONString(message)
  }
}

/// Writes the log messages of libraries and the registry.
struct JSONLogHandler: LogHandler {
  let output: LogOutput
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let more = event.metadata { all.merge(more) { $1 } }
    // The framework's own counter adds nothing to the request's id.
    all["hb.request.id"] = nil
    let line = LogLine.make(
      level: event.level, message: event.message.description, metadata: all, at: RegistryClock.system.now())
    output.write(line, soon: event.level >= .warning)
  }
}

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
    writeAll(bytes)
    if dropped > 0 {
      writeAll(Array("{\"level\":\"warning\",\"message\":\"log lines dropped\",\"count\":\(dropped)}\n".utf8))
    }
  }

  private func writeAll(_ bytes: [UInt8]) {
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
