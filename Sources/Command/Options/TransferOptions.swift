import ArgumentParser
import FleetKit
import SQLiteLibrary

/// What `convert` and `export` share: where to, and what to do when something does not fit.
struct TransferOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("The new file; - for standard output.", valueName: "dst"))
  var to: String

  @Option(name: .long, help: "Write this format whatever the name says; see 'fleetkit formats'.")
  var toFormat: String?

  @Option(name: .long, help: "Schema of a new library, for an older app: 1.4.0 and so on; today's is 2.2.0.")
  var schemaVersion: String?

  @Flag(name: .long, help: "Replace the file if it is there already. A library is never replaced.")
  var overwrite = false

  @Flag(name: .long, help: "Write nothing if anything would be lost (exit 4).")
  var noLoss = false

  @Flag(name: .long, help: "Do everything except giving the new file its name.")
  var dryRun = false

  @Option(name: .long, help: "What to do with a record that cannot be used: reject (keep it in a file beside) or stop.")
  var onInvalid: String = "reject"

  @Option(name: .long, help: "Give up when more records than this are rejected: a number, or a percentage as 5%.")
  var maxErrors: String?

  func validate() throws {
    guard RunContext.OnInvalid(rawValue: onInvalid) != nil else {
      throw ValidationError("--on-invalid takes reject or stop, not '\(onInvalid)'.")
    }
    if maxErrors != nil, errorLimit == nil {
      throw ValidationError("--max-errors takes a number or a percentage as 5%, not '\(maxErrors ?? "")'.")
    }
    if let schemaVersion, !SQLiteLibraryFormat.schemaVersions.contains(schemaVersion) {
      throw ValidationError(
        "--schema-version \(schemaVersion): versions are \(SQLiteLibraryFormat.schemaVersions.joined(separator: ", "))."
      )
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
  var context: RunContext {
    RunContext(
      onInvalid: RunContext.OnInvalid(rawValue: onInvalid) ?? .reject, errorLimit: errorLimit ?? .none,
      noLoss: noLoss, dryRun: dryRun, now: RunContext.currentTime)
  }

  /// The target as the options say it.
  func target() throws -> Target {
    if to.hasSuffix("/") {
      throw RunFailure(
        .usage, "write '\(to)': this version writes files, not folders",
        advice: "Name a file, for example backup.jsonl.")
    }
    return Target(to, overwrites: overwrite, schemaVersion: schemaVersion)
  }
}
