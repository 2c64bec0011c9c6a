import FleetKit
import Foundation

/// Writes to the terminal: data to standard output, everything else to standard error.
enum Terminal {
  /// Whether standard error is a terminal.
  static let isInteractive = isatty(2) == 1

  /// Whether to use colour.
  static let usesColour =
    isInteractive && ProcessInfo.processInfo.environment["NO_COLOR"].map(\.isEmpty) ?? true
    && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  /// Whether JSON is written to standard output.
  private static let writesJSON = CommandLine.arguments.contains("--json")

  /// The terminal's width in characters. Without a terminal nothing is cut.
  static var width: Int {
    var size = winsize()
    guard isatty(1) == 1, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 10_000 }
    return Int(size.ws_col)
  }

  /// Prints data on standard output.
  static func print(_ text: String) { write(text + "\n", to: 1) }

  /// Prints a message on standard error.
  static func say(_ text: String) { write(text + "\n", to: 2) }

  /// Prints an error on standard error.
  static func complain(_ text: String) { write(text + (text.hasSuffix("\n") ? "" : "\n"), to: 2) }

  /// Asks for confirmation before a change. With `--yes`, no question is asked; without a terminal, the answer is no.
  /// - Throws: `RunFailure` with status 4 unless the answer is yes.
  static func confirm(_ question: String, yes: Bool, doing: String) throws {
    if yes { return }
    guard isatty(0) == 1, isInteractive else {
      throw RunFailure(
        .refused, "\(doing): cannot ask for confirmation, because this is not a terminal; nothing was changed",
        advice: "Add --yes to go ahead.")
    }
    guard ask(question) else {
      throw RunFailure(.refused, "\(doing): not confirmed; nothing was changed")
    }
  }

  /// Asks on the terminal. An empty answer means no.
  static func ask(_ question: String) -> Bool {
    write(TerminalEscaping.escape(question) + " [y/N] ", to: 2)
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
    return ["y", "yes", "j", "ja", "д", "да"].contains(answer)
  }

  /// Prints a failure and exits with its status.
  static func fail(_ failure: RunFailure) -> Never {
    Progress.clear()
    if writesJSON { try? print(ReportEncoder.encode(FailureReport(failure))) }
    // A failure is always printed on one line, for logs.
    complain("fleetkit: " + TerminalEscaping.escape(failure.sentences))
    exit(failure.status.rawValue)
  }

  /// Writes a text. All output is written here, so that no control sequence from a file, store or registry reaches the
  /// terminal.
  private static func write(_ text: String, to descriptor: Int32) {
    let isJSON = descriptor == 1 && writesJSON
    let safe = isJSON ? TerminalEscaping.safeJSON(text) : TerminalEscaping.safe(text, colours: usesColour)
    let bytes = Array(safe.utf8)
    var at = 0
    while at < bytes.count {
      let sent = bytes.withUnsafeBytes { buffer in
        Foundation.write(descriptor, buffer.baseAddress.map { $0 + at }, bytes.count - at)
      }
      // The reader closed the pipe (| head), so the rest is dropped.
      if sent <= 0 { return }
      at += sent
    }
  }
}
