import Diagnostics
import Foundation

/// An error that keeps the registry from running, with advice.
struct StartFailure: Error, Equatable {
  /// The exit statuses, the same as in the toolkit's commands.
  enum Status: Int32 {
    case failed = 2
    case locked = 7
    case usage = 64
  }

  let status: Status
  /// The failure and its reason, in one line.
  let message: String
  /// The advice, as a full sentence.
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
    // The message is always one line: people read it directly, and logs collect it.
    say("fleetkit-registry: " + TerminalEscaping.escape(failure.sentences))
    ProcessEnd.now(failure.status.rawValue)
  }

  /// Writes a line.
  static func say(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }
}
