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

/// A word that was typed where a verb is expected but that is not the name of a verb.
struct UnknownVerb {
  /// The message to print: the word, the closest verb or topic, and the usage.
  let message: String

  /// Checks the words after `fleetkit`.
  /// - Returns: nil if every word in the position of a verb is the name of a verb. The parser checks the rest.
  init?(_ words: [String]) {
    let isHelp = words.first == Self.help
    var parents: [any ParsableCommand.Type] = [FleetKitCommand.self]
    for word in isHelp ? words.dropFirst() : words[...] {
      // The parser handles the options of commands that only have subcommands.
      if word.hasPrefix("-") {
        if isHelp { continue }
        return nil
      }
      let parent = parents.last ?? FleetKitCommand.self
      let verbs = parent.configuration.subcommands
      if let next = verbs.first(where: { $0.configuration.commandName == word }) {
        parents.append(next)
        continue
      }
      // In `fleetkit queue LIBRARY` the word is an argument of the default subcommand.
      let takesWords = verbs.isEmpty || !isHelp && parent.configuration.defaultSubcommand != nil
      if takesWords || parents.count == 1 && word == Self.help { return nil }
      message = Self.message(word, parents, isHelp: isHelp)
      return
    }
    return nil
  }

  private static let help = "help"

  private static func message(_ word: String, _ parents: [any ParsableCommand.Type], isHelp: Bool) -> String {
    let parent = parents.last ?? FleetKitCommand.self
    var known = parent.configuration.subcommands.compactMap { $0.configuration.commandName }
    if parents.count == 1 { known += isHelp ? HelpTopic.allCases.map(\.rawValue) : [help] }
    let command = parents.compactMap { $0.configuration.commandName }.joined(separator: " ")
    let meant = Spelling.nearest(to: word, among: known).map { " Did you mean '\($0)'?" } ?? ""
    return """
      \(FleetKitCommand._errorPrefix)unknown command \(isHelp ? "or topic " : "")\
      '\(TerminalEscaping.escape(word))'.\(meant)
      Usage: \(FleetKitCommand.usageString(for: parent))
        See '\(command) --help' for more information.
      """
  }
}

/// A help page that does not describe a verb.
enum HelpTopic: String, CaseIterable {
  case exitStatus = "exit-status"

  /// The topic of `fleetkit help TOPIC`; nil for any other words.
  init?(_ words: [String]) {
    guard words.count == 2, words[0] == "help" else { return nil }
    switch words[1].lowercased() {
    case Self.exitStatus.rawValue, "exit", "status", "exit-code", "exit-codes": self = .exitStatus
    default: return nil
    }
  }

  /// The text to print.
  var text: String {
    switch self {
    case .exitStatus:
      """
      EXIT STATUS
      \(Self.statuses)

      If several apply, the command exits with the first of these:
        \(ExitStatus.precedence.map { String($0.rawValue) }.joined(separator: " "))

      The help of each command explains its statuses, for example: fleetkit help sync
      """
    }
  }

  /// Every status with its meaning, one per line.
  static let statuses = ExitStatus.allCases.map { status in
    let number = String(status.rawValue)
    return "  \(number)\(String(repeating: " ", count: 5 - number.utf8.count))\(meaning(of: status))"
  }.joined(separator: "\n")

  private static func meaning(of status: ExitStatus) -> String {
    switch status {
    case .success: "done"
    case .findings: "findings or differences reported"
    case .failed: "failed, nothing written"
    case .partial: "some records were rejected; the rest were processed"
    case .refused: "refused"
    case .mismatch: "verification failed"
    case .newer: "needs a newer version of FleetKit"
    case .locked: "locked by another program"
    case .usage: "wrong usage"
    case .unreachable: "registry unreachable, or libxml2 is missing"
    case .internalError: "internal error"
    case .signInNeeded: "sign-in required"
    case .interrupted: "interrupted"
    }
  }
}
