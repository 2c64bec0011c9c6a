import Content
import JSONText
import Logging
import RegistryAPI
import RegistryModel

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
