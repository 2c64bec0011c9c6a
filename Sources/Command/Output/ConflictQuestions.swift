import FleetKit
import Foundation
import Synchronization

/// Asks on the terminal who wins where both sides changed the same thing.
///
/// The library waits meanwhile: nobody else can write to it until the last answer is given.
final class ConflictQuestions: Sendable {
  private struct State {
    /// What is answered to all the rest.
    var rest: MergeConflict.Choice?
    /// The record that was asked about last.
    var record = ""
    /// Whether that record is kept apart, so that its other conflicts need no answer.
    var isApart = false
  }

  private let state = Mutex(State())
  private let typed = TypedLines()

  /// Whether somebody is there to answer.
  static var canAsk: Bool { isatty(0) == 1 && isatty(2) == 1 }

  /// Shows a conflict and waits for the answer.
  /// - Throws: `RunFailure` with status 4 when the answer is to quit; nothing is changed then.
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
          "\(TerminalText.escape(record.title)) (\(record.kind) \(TerminalText.escape(record.id))), from "
            + TerminalText.escape(record.place))
      }
      Terminal.say("Both changed \(TerminalText.escape(conflict.label)):")
      for line in ConflictText.lines(conflict) { Terminal.say("  " + line) }
      return try answer(&state)
    }
  }

  private func answer(_ state: inout State) throws -> MergeConflict.Choice {
    while true {
      Terminal.say("[l]ibrary  [s]ource  [b]oth, kept apart  [L]/[S] that for all the rest  [?] help  [q]uit")
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
    "l  take what the library says here, and merge the rest of the record",
    "s  take what the source says here, and merge the rest of the record",
    "b  keep both apart: the library's record stays whole, the source's goes to the file of rejects",
    "L  the library wins here and in all that is still to be asked",
    "S  the source wins here and in all that is still to be asked",
    "?  show this",
    "q  quit: nothing is imported (as Ctrl-C and Ctrl-D do)",
  ]

  private static let quit = RunFailure(.refused, "import: you quit; nothing was imported")
}
