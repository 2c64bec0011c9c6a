import Diagnostics
import Foundation

/// Why the registry cannot run, and what to do.
struct StartFailure: Error, Equatable {
  /// Exit statuses, as the toolkit's commands have them.
  enum Status: Int32 {
    case failed = 2
    case locked = 7
    case usage = 64
  }

  let status: Status
  /// What could not be done and why, in one line.
  let message: String
  /// What to do, as a full sentence.
  let advice: String

  init(_ status: Status, _ message: String, advice: String) {
    self.status = status
    self.message = message
    self.advice = advice
  }
}

extension StartFailure {
  /// All of it as sentences; some reasons end with what to do already.
  var sentences: String {
    let end = message.utf8.last == UInt8(ascii: ".") ? "" : "."
    return advice.isEmpty ? message + end : "\(message)\(end) \(advice)"
  }
}

/// Messages for whoever starts the registry.
enum StandardError {
  /// Says why and ends the process.
  static func fail(_ failure: StartFailure) -> Never {
    // One line, whatever happened: logs and people read it at once.
    say("fleetkit-registry: " + TerminalText.escape(failure.sentences))
    ProcessEnd.now(failure.status.rawValue)
  }

  /// Writes a line.
  static func say(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }
}
