import ArgumentParser
import FleetKit
import Foundation

/// The options shared by the verbs that queue operations: how much is selected, and how rule violations are handled.
struct EnqueueOptions: ParsableArguments {
  @Flag(name: .long, help: "Select every item of the library, after a confirmation.")
  var all = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @Option(
    name: .long, help: "If an item breaks a rule: reject (queue the others) or stop (queue nothing).",
    completion: .list(["reject", "stop"]))
  var onInvalid: String = "reject"

  func validate() throws {
    guard RunContext.OnInvalid(rawValue: onInvalid) != nil else {
      throw ValidationError("--on-invalid must be reject or stop, not '\(onInvalid)'.")
    }
  }

  /// Checks that a new title is not blank.
  static func check(title: String?) throws {
    if let title, title.allSatisfy(\.isWhitespace) { throw ValidationError("--set-title must not be blank.") }
  }

  /// Whether one refused item keeps all items out of the queue.
  var stopsAtRefusal: Bool { onInvalid == RunContext.OnInvalid.stop.rawValue }

  /// Asks for confirmation before all items are queued; see `confirm(_:in:_:all:asks:yes:)`.
  func confirm(
    _ verb: String, in library: String, _ selection: Selection?, _ confirmation: ConfirmationOptions
  ) throws {
    try Self.confirm(verb, in: library, selection, all: all, asks: !dryRun, yes: confirmation.yes)
  }

  /// Prevents accidental publishing: requires either a selection or a confirmed `--all`.
  /// - Throws: `RunFailure` with status 64 if nothing is selected, 4 if the answer is no.
  static func confirm(
    _ verb: String, in library: String, _ selection: Selection?, all: Bool, asks: Bool, yes: Bool
  ) throws {
    if selection != nil { return }
    guard all else {
      throw RunFailure(
        .usage, "\(verb) in '\(library)': no items selected",
        advice: "Select items with --id, --title, --tag or --type, or select all with --all. To list the items, run: "
          + "fleetkit list \(TerminalEscaping.shellQuoted(library))")
    }
    guard asks else { return }
    // A missing library is reported before the question, because the answer would not matter.
    guard FileManager.default.fileExists(atPath: library) else {
      throw RunFailure(.failed, "\(verb) in '\(library)': the library does not exist")
    }
    let question = verb.prefix(1).uppercased() + verb.dropFirst() + " all items of \(library)?"
    try Terminal.confirm(question, yes: yes, doing: "\(verb) all of '\(library)'")
  }
}
