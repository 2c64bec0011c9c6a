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
        Terminal.say("")
        Terminal.say(
          "\(TerminalEscaping.escape(record.title)) (\(record.kind) \(TerminalEscaping.escape(record.id))), from "
            + TerminalEscaping.escape(record.place))
      }
      Terminal.say("Both changed \(TerminalEscaping.escape(conflict.label)):")
      for line in ConflictRenderer.lines(conflict) { Terminal.say("  " + line) }
      return try answer(&state)
    }
  }

  private func answer(_ state: inout State) throws -> MergeConflict.Choice {
    while true {
      Terminal.say("[l]ibrary  [s]ource  [b]oth, kept apart  [L]/[S] for all the rest  [?] help  [q]uit")
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
        for line in Self.help { Terminal.say("  " + line) }
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
