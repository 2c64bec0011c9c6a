import FleetKit
import Foundation
import Synchronization

/// Asks on the terminal which side wins a conflict.
///
/// Meanwhile, the library stays locked, so no other program can write to it until the last question is answered.
final class ConflictQuestions: Sendable {
  private struct State {
    /// The answer to all remaining conflicts.
    var rest: MergeConflict.Choice?
    /// The record of the last question.
    var record = ""
    /// Whether both versions of that record are kept, so that its other conflicts need no answer.
    var isApart = false
  }

  private let state = Mutex(State())
  private let typed = TerminalInput()

  /// Whether standard input and standard error are terminals.
  static var canAsk: Bool { isatty(0) == 1 && isatty(2) == 1 }

  /// Shows a conflict and waits for an answer.
  /// - Throws: `RunFailure` with status 4 if the user quits; nothing is changed in that case.
  @Sendable func ask(_ record: MergedRecord, _ conflict: MergeConflict) throws -> MergeConflict.Choice {
    try state.withLock { state in
      if let rest = state.rest { return rest }
      let name = "\(record.kind) \(record.id) \(record.place)"
      let isSame = name.utf8.elementsEqual(state.record.utf8)
      if isSame, state.isApart { return .undecided }
      state.record = name
      state.isApart = false
      if !isSame {
        Terminal.report("")
        Terminal.report(
          "\(TerminalEscaping.escape(record.title)) (\(record.kind) \(TerminalEscaping.escape(record.id))), from "
            + TerminalEscaping.escape(record.place))
      }
      Terminal.report("Both changed \(TerminalEscaping.escape(conflict.label)):")
      for line in ConflictRenderer.lines(conflict) { Terminal.report("  " + line) }
      return try answer(&state)
    }
  }

  private func answer(_ state: inout State) throws -> MergeConflict.Choice {
    while true {
      Terminal.report("[l]ibrary  [s]ource  [b]oth, kept apart  [L]/[S] for all the rest  [?] help  [q]uit")
      guard let line = try typed.line() else { throw Self.quit }
      switch line.trimmingCharacters(in: .whitespaces) {
      case "l": return .ours
      case "s": return .theirs
      case "b":
        state.isApart = true
        return .undecided
      case "L":
        state.rest = .ours
        return .ours
      case "S":
        state.rest = .theirs
        return .theirs
      case "q": throw Self.quit
      default:
        for line in Self.help { Terminal.report("  " + line) }
      }
    }
  }

  private static let help = [
    "l  use the library's value here; merge the rest of the record",
    "s  use the source's value here; merge the rest of the record",
    "b  keep both apart: leave the library's record unchanged, save the source's to the rejects file",
    "L  use the library's value here and for all remaining conflicts",
    "S  use the source's value here and for all remaining conflicts",
    "?  print help",
    "q  quit; nothing is imported (same as Ctrl-C and Ctrl-D)",
  ]

  private static let quit = RunFailure(.refused, "import: you quit; nothing was imported")
}

/// Reads typed lines such that Ctrl-C ends the run immediately.
///
/// The signal handler only sets a flag, and a blocking read continues after the handler returns. So input is read only
/// once it is available, and the flag is checked while waiting.
final class TerminalInput: Sendable {
  /// The bytes typed after the last line that was returned.
  private let waiting = Mutex<[UInt8]>([])

  /// The maximum wait in milliseconds. A signal that arrives between the check and the wait is noticed afterwards.
  private static let patience: Int32 = 200
  private static let longest = 1 << 16

  /// Returns the next line without its end; nil at the end of the input.
  /// - Throws: `RunFailure` with status 130 if the user interrupted the run.
  func line() throws -> String? {
    try waiting.withLock { waiting in
      while true {
        try Interruption.check()
        if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
          defer { waiting.removeSubrange(...end) }
          return String(decoding: waiting[..<end], as: UTF8.self)
        }
        // No typed line is that long; the first part is the answer.
        let hasMore = try waiting.count < Self.longest && more(&waiting)
        if !hasMore {
          defer { waiting.removeAll() }
          return waiting.isEmpty ? nil : String(decoding: waiting, as: UTF8.self)
        }
      }
    }
  }

  /// Reads the next bytes. Returns false at the end of the input.
  private func more(_ waiting: inout [UInt8]) throws -> Bool {
    var wanted = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&wanted, 1, Self.patience)
      let isInterrupted = ready < 0 && errno == EINTR
      try Interruption.check()
      if ready == 0 || isInterrupted { continue }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(0, &chunk, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return false }
      waiting += chunk.prefix(count)
      return true
    }
  }
}
