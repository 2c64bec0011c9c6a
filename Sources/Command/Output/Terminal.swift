import FleetKit
import Foundation

/// Where words go: data to standard output, everything else to standard error.
enum Terminal {
  /// Whether a person watches standard error.
  static let isInteractive = isatty(2) == 1

  /// Whether to use colour.
  static let usesColour =
    isInteractive && ProcessInfo.processInfo.environment["NO_COLOR"].map(\.isEmpty) ?? true
    && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  /// Whether standard output gets JSON.
  private static let writesJSON = CommandLine.arguments.contains("--json")

  /// Width of the terminal in characters; without a terminal nothing is cut.
  static var width: Int {
    var size = winsize()
    guard isatty(1) == 1, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 10_000 }
    return Int(size.ws_col)
  }

  /// Data.
  static func print(_ text: String) { write(text + "\n", to: 1) }

  /// Everything else.
  static func say(_ text: String) { write(text + "\n", to: 2) }

  /// An error.
  static func complain(_ text: String) { write(text + (text.hasSuffix("\n") ? "" : "\n"), to: 2) }

  /// Asks before something is changed. A script says `--yes`; without a person to ask the answer is no.
  /// - Throws: `RunFailure` with status 4 unless the answer is yes.
  static func confirm(_ question: String, yes: Bool, doing: String) throws {
    if yes { return }
    guard isatty(0) == 1, isInteractive else {
      throw RunFailure(.refused, "\(doing): nobody is there to ask; nothing was changed", advice: "Scripts say --yes.")
    }
    guard ask(question) else {
      throw RunFailure(.refused, "\(doing): the answer was no; nothing was changed")
    }
  }

  /// Asks on the terminal. No answer is a no.
  static func ask(_ question: String) -> Bool {
    write(TerminalText.escape(question) + " [y/N] ", to: 2)
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
    return ["y", "yes", "j", "ja", "д", "да"].contains(answer)
  }

  /// Ends the process with a failure.
  static func fail(_ failure: RunFailure) -> Never {
    Progress.clear()
    if writesJSON { try? print(ReportEncoder.encode(FailureReport(failure))) }
    // One line, whatever happened: logs and people read it at once.
    complain("fleetkit: " + TerminalText.escape(failure.sentences))
    exit(failure.status.rawValue)
  }

  /// Every text goes through here, so no value from a file, a store or a registry reaches the terminal as a command.
  private static func write(_ text: String, to descriptor: Int32) {
    let isJSON = descriptor == 1 && writesJSON
    let safe = isJSON ? TerminalText.safeJSON(text) : TerminalText.safe(text, colours: usesColour)
    let bytes = Array(safe.utf8)
    var at = 0
    while at < bytes.count {
      let sent = bytes.withUnsafeBytes { buffer in
        Foundation.write(descriptor, buffer.baseAddress.map { $0 + at }, bytes.count - at)
      }
      // Nobody reads any more (| head): the rest is for nobody.
      if sent <= 0 { return }
      at += sent
    }
  }
}
