import Foundation
import Logging

/// Keeps every log line of a server, so that a test can search for forbidden content.
final class LogBook: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [String] = []

  /// Every line so far: its level, message and all metadata.
  var lines: [String] { lock.withLock { kept } }

  /// Returns a logger that writes to this book.
  func logger(level: Logger.Level = .trace) -> Logger {
    Logger(label: "registry") { _ in Handler(book: self, logLevel: level) }
  }

  private func keep(_ line: String) { lock.withLock { kept.append(line) } }

  private struct Handler: LogHandler {
    let book: LogBook
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      let members = all.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
      book.keep("\(event.level) \(event.message) \(event.error.map { "\($0) " } ?? "")\(members)")
    }
  }
}
