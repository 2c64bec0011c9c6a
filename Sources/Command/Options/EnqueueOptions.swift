import ArgumentParser
import FleetKit
import Foundation

/// What verbs share that queue what is to be published: how much is taken, and what breaks rules.
struct EnqueueOptions: ParsableArguments {
  @Flag(name: .long, help: "Every item of the library; asks first.")
  var all = false

  @Flag(name: .long, help: "Do everything except the last step: nothing is written.")
  var dryRun = false

  @Option(
    name: .long, help: "When an item breaks rules: reject (queue the others) or stop (queue nothing).",
    completion: .list(["reject", "stop"]))
  var onInvalid: String = "reject"

  func validate() throws {
    guard RunContext.OnInvalid(rawValue: onInvalid) != nil else {
      throw ValidationError("--on-invalid takes reject or stop, not '\(onInvalid)'.")
    }
  }

  /// A title that an item gets has letters.
  static func check(title: String?) throws {
    if let title, title.allSatisfy(\.isWhitespace) { throw ValidationError("--set-title needs a title.") }
  }

  /// Whether one refusal keeps everything out of the queue.
  var stopsAtRefusal: Bool { onInvalid == RunContext.OnInvalid.stop.rawValue }

  /// See `confirm(_:in:_:all:asks:yes:)`.
  func confirm(
    _ verb: String, in library: String, _ selection: Selection?, _ confirmation: ConfirmationOptions
  ) throws {
    try Self.confirm(verb, in: library, selection, all: all, asks: !dryRun, yes: confirmation.yes)
  }

  /// Nobody publishes by accident: something is selected, or everything is asked for and confirmed.
  /// - Throws: `RunFailure`: 64 when nothing is selected, 4 when the answer is no.
  static func confirm(
    _ verb: String, in library: String, _ selection: Selection?, all: Bool, asks: Bool, yes: Bool
  ) throws {
    if selection != nil { return }
    guard all else {
      throw RunFailure(
        .usage, "\(verb) in '\(library)': nothing says which items",
        advice: "Name them with --id, --title, --tag or --type, or take every one with --all; "
          + "'fleetkit list \(TerminalText.shellQuoted(library))' says what there is.")
    }
    guard asks else { return }
    // Nobody has to say yes to what cannot be done.
    guard FileManager.default.fileExists(atPath: library) else {
      throw RunFailure(.failed, "\(verb) in '\(library)': there is no such library")
    }
    let question = verb.prefix(1).uppercased() + verb.dropFirst() + " all items of \(library)?"
    try Terminal.confirm(question, yes: yes, doing: "\(verb) all of '\(library)'")
  }
}
