import Foundation
import ArgumentParser
import FleetKit

/// The options shared by the verbs that move records: what to do with records and values that do not fit.
struct RunOptions: ParsableArguments {
  @Flag(name: .long, help: "Write nothing if anything would be lost (exit 4).")
  var noLoss = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @Option(
    name: .long, help: "If a record cannot be used: reject (save it to a rejects file) or stop.",
    completion: .list(["reject", "stop"]))
  var onInvalid: String = "reject"

  @Option(name: .long, help: "Stop if more records than this are rejected: a number, or a percentage such as 5%.")
  var maxErrors: String?

  @OptionGroup var clock: ClockOptions

  func validate() throws {
    guard RunContext.OnInvalid(rawValue: onInvalid) != nil else {
      throw ValidationError("--on-invalid must be reject or stop, not '\(onInvalid)'.")
    }
    if maxErrors != nil, errorLimit == nil {
      throw ValidationError("--max-errors must be a number or a percentage such as 5%, not '\(maxErrors ?? "")'.")
    }
  }

  private var errorLimit: RunContext.ErrorLimit? {
    guard let maxErrors else { return RunContext.ErrorLimit.none }
    if maxErrors.hasSuffix("%") {
      return Double(maxErrors.dropLast()).flatMap { $0 >= 0 ? .percent($0) : nil }
    }
    return Int(maxErrors).flatMap { $0 >= 0 ? .count($0) : nil }
  }

  /// Returns the run's context, made from the options.
  /// - Parameters:
  ///   - reading: how notes are read.
  ///   - dryRun: whether nothing is written; nil to use the option.
  func context(_ reading: ReadingOptions = ReadingOptions(), dryRun: Bool? = nil) -> RunContext {
    RunContext(
      onInvalid: RunContext.OnInvalid(rawValue: onInvalid) ?? .reject, errorLimit: errorLimit ?? .none,
      noLoss: noLoss, dryRun: dryRun ?? self.dryRun, reading: reading,
      now: clock.time)
  }
}

/// The option `--now`, the time that a run uses as the current time.
struct ClockOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The time used as the current time, e.g. 2026-01-15T12:00:00Z, for missing times and ages (default: now).",
      valueName: "time"))
  var now: String?

  func validate() throws {
    if let now, Timestamp.parse(now) == nil {
      throw ValidationError("--now must be a time such as 2026-01-15T12:00:00Z, not '\(now)'.")
    }
  }

  /// The time to use as the current time.
  var time: Timestamp { now.flatMap { Timestamp.parse($0)?.0 } ?? RunContext.currentTime }
}

extension RunContext {
  /// The default for times that are missing in a source: the value of SOURCE_DATE_EPOCH, or now.
  static var currentTime: Timestamp {
    if let text = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"], let seconds = Int64(text),
      case let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000), !overflow
    {
      return Timestamp(milliseconds: milliseconds)
    }
    return Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
