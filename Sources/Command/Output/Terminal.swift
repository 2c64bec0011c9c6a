import FleetKit
import Foundation
import Synchronization

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
  static func report(_ text: String) { write(text + "\n", to: 2) }

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

  /// Writes text. All output is written here, so that no control sequence from a file, store or registry reaches the
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

/// A progress line on the terminal. Prints nothing if standard error is not a terminal.
final class Progress: Sendable {
  private struct State {
    var last = Date.distantPast
  }

  private static let isShown = Atomic<Bool>(false)
  private let state = Mutex(State())
  private let started = Date()
  private let verb: String

  init(_ verb: String) { self.verb = verb }

  /// A callback for a run; nil if progress is not shown.
  var callback: (@Sendable (Int, Int?, Int) -> Void)? {
    guard Terminal.isInteractive else { return nil }
    return { [self] done, total, records in update(done, total, records) }
  }

  /// A callback for work in steps; nil if progress is not shown.
  var steps: (@Sendable (String, Int, Int) -> Void)? {
    guard Terminal.isInteractive else { return nil }
    return { [self] what, done, total in
      guard isDue else { return }
      show("\(what), \(total > 0 ? min(100, done * 100 / total) : 0) %")
    }
  }

  /// A callback for reading one file; nil if progress is not shown.
  func reading(_ what: String) -> ((Int, Int?) -> Void)? {
    guard Terminal.isInteractive else { return nil }
    return { [self] done, total in
      guard isDue else { return }
      let share = total.map { $0 > 0 ? ", \(min(100, done * 100 / $0)) %" : "" } ?? ""
      show(what + ", \(Figures.bytes(done))" + share)
    }
  }

  /// Whether the line must be printed: ten times a second, after the first half second.
  private var isDue: Bool {
    let now = Date()
    return state.withLock { state in
      guard now.timeIntervalSince(started) > 0.5, now.timeIntervalSince(state.last) > 0.1 else { return false }
      state.last = now
      return true
    }
  }

  private func show(_ line: String) {
    Self.isShown.store(true, ordering: .relaxed)
    FileHandle.standardError.write(Data("\r\u{1B}[K\(TerminalEscaping.escape(line))".utf8))
  }

  private func update(_ done: Int, _ total: Int?, _ records: Int) {
    guard isDue else { return }
    let elapsed = Date().timeIntervalSince(started)
    var line = "\(verb) \(records.formatted()) \(Plural.word(records, "record")), \(Figures.bytes(done))"
    if let total, total > 0 { line += " of \(Figures.bytes(total)) (\(min(100, done * 100 / total)) %)" }
    line += ", \(Figures.bytes(Int(Double(done) / elapsed)))/s"
    if let total, done > 0, total > done {
      line += ", \(Figures.duration(elapsed * Double(total - done) / Double(done))) left"
    }
    show(line)
  }

  /// Removes the line.
  static func clear() {
    if isShown.exchange(false, ordering: .relaxed) {
      FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }
  }
}
