import ArgumentParser
import FleetKit

/// What `validate` looks for, and how it says what it found.
struct ValidationFlags: ParsableArguments {
  @Option(name: .long, help: "structure: may it be read, and is it good? publish: may it leave the device?")
  var profile: ValidationOptions.Profile?

  @Option(name: .long, help: "The least severity that makes the exit status 1: error (default), warning, note, none.")
  var failOn: FailOn?

  @Option(name: .long, help: "text (default), jsonl, sarif, junit, github.")
  var report: ReportFormat?

  @Option(name: .long, help: "Show at most this many findings, 0 for all. Counts and exit status stay the same.")
  var maxFindings: Int?

  @Option(name: .long, help: ArgumentHelp("Do not report findings that this file knows.", valueName: "file"))
  var baseline: String?

  @Flag(name: .long, help: "Write today's findings to the file of --baseline.")
  var updateBaseline = false

  @Option(name: .long, help: ArgumentHelp("Configuration in place of the nearest .fleetkit.yml.", valueName: "file"))
  var config: String?

  @Flag(name: .long, help: "Put right what has one right answer, in JSON files, and say what was done.")
  var fix = false

  @Flag(name: .long, help: "With --fix: say what would be done, and change nothing.")
  var dryRun = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Hold the files against this schema and nothing else: a file, or a name as checklist.", valueName: "schema"))
  var schema: String?

  @Option(
    name: .long,
    help: ArgumentHelp("With --schema: the folder that remote schemas are read from.", valueName: "dir"))
  var schemaDir: String?

  @Flag(name: .long, help: "With --schema: 'format' is a rule and not a remark.")
  var assertFormat = false

  func validate() throws {
    if let maxFindings, maxFindings < 0 { throw ValidationError("--max-findings takes 0 or more, not \(maxFindings).") }
    if updateBaseline, baseline == nil { throw ValidationError("--update-baseline needs --baseline FILE.") }
    if dryRun, !fix { throw ValidationError("--dry-run goes with --fix; without it nothing is ever changed.") }
    if schema == nil {
      if schemaDir != nil { throw ValidationError("--schema-dir goes with --schema.") }
      if assertFormat { throw ValidationError("--assert-format goes with --schema.") }
    } else if fix {
      throw ValidationError("--fix does not go with --schema: a schema has no one right answer.")
    } else if profile != nil {
      throw ValidationError("--profile does not go with --schema, which is all that is checked.")
    } else if config != nil {
      throw ValidationError("--config does not go with --schema, which is all that is checked.")
    }
  }

  /// The words of `--fail-on`.
  enum FailOn: String, CaseIterable, ExpressibleByArgument {
    case error, warning, note, none

    var severity: Severity? {
      switch self {
      case .error: .error
      case .warning: .warning
      case .note: .note
      case .none: nil
      }
    }
  }
}

extension ValidationOptions.Profile: ExpressibleByArgument {}
extension ReportFormat: ExpressibleByArgument {}
