import Diagnostics
import Foundation

/// Why the registry cannot run, and what to do.
struct StartFailure: Error, Equatable {
  /// Exit statuses, the same as in the toolkit's commands.
  enum Status: Int32 {
    case failed = 2
    case locked = 7
    case usage = 64
  }

  let status: Status
  /// What failed and why, in one line.
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
  /// The whole message as sentences; some reasons already end with advice.
  var sentences: String {
    let end = message.utf8.last == UInt8(ascii: ".") ? "" : "."
    return advice.isEmpty ? message + end : "\(message)\(end) \(advice)"
  }
}

/// Messages for the user who starts the registry.
enum StandardError {
  /// Writes the reason and ends the process.
  static func fail(_ failure: StartFailure) -> Never {
    // Always one line, because it is read immediately in logs and by people.
    say("fleetkit-registry: " + TerminalEscaping.escape(failure.sentences))
    ProcessEnd.now(failure.status.rawValue)
  }

  /// Writes a line.
  static func say(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }
}
