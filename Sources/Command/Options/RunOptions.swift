import ArgumentParser
import FleetKit

/// What verbs that move records share: what to do when something does not fit.
struct RunOptions: ParsableArguments {
  @Flag(name: .long, help: "Write nothing if anything would be lost (exit 4).")
  var noLoss = false

  @Flag(name: .long, help: "Do everything except the last step: nothing is written.")
  var dryRun = false

  @Option(
    name: .long, help: "What to do with a record that cannot be used: reject (keep it in a file beside) or stop.",
    completion: .list(["reject", "stop"]))
  var onInvalid: String = "reject"

  @Option(name: .long, help: "Give up when more records than this are rejected: a number, or a percentage as 5%.")
  var maxErrors: String?

  @OptionGroup var clock: ClockOptions

  func validate() throws {
    guard RunContext.OnInvalid(rawValue: onInvalid) != nil else {
      throw ValidationError("--on-invalid takes reject or stop, not '\(onInvalid)'.")
    }
    if maxErrors != nil, errorLimit == nil {
      throw ValidationError("--max-errors takes a number or a percentage as 5%, not '\(maxErrors ?? "")'.")
    }
  }

  private var errorLimit: RunContext.ErrorLimit? {
    guard let maxErrors else { return RunContext.ErrorLimit.none }
    if maxErrors.hasSuffix("%") {
      return Double(maxErrors.dropLast()).flatMap { $0 >= 0 ? .percent($0) : nil }
    }
    return Int(maxErrors).flatMap { $0 >= 0 ? .count($0) : nil }
  }

  /// The run's context as the options say it.
  /// - Parameters:
  ///   - reading: how notes are read.
  ///   - dryRun: whether nothing is written; nil for what the option says.
  func context(_ reading: ReadingOptions = ReadingOptions(), dryRun: Bool? = nil) -> RunContext {
    RunContext(
      onInvalid: RunContext.OnInvalid(rawValue: onInvalid) ?? .reject, errorLimit: errorLimit ?? .none,
      noLoss: noLoss, dryRun: dryRun ?? self.dryRun, reading: reading,
      now: clock.time)
  }
}

/// The time that a run counts from.
struct ClockOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The time of the run, 2026-01-15T12:00:00Z: missing times get it, and ages count from it. Now by default.",
      valueName: "time"))
  var now: String?

  func validate() throws {
    if let now, Timestamp.parse(now) == nil {
      throw ValidationError("--now takes a time as 2026-01-15T12:00:00Z, not '\(now)'.")
    }
  }

  /// The time.
  var time: Timestamp { now.flatMap { Timestamp.parse($0)?.0 } ?? RunContext.currentTime }
}
