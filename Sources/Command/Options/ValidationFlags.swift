import ArgumentParser
import FleetKit

/// The options for what `validate` checks and how it reports findings.
struct ValidationFlags: ParsableArguments {
  @Option(name: .long, help: "The checks: structure (readable, good content) or publish (also ready for publication).")
  var profile: ValidationOptions.Profile?

  @Option(
    name: .long, help: "Exit with 1 for findings of at least this severity: error (default), warning, note, none.")
  var failOn: FailOn?

  @Option(name: .long, help: "The report's format: text (default), jsonl, sarif, junit, github.")
  var report: ReportFormat?

  @Option(name: .long, help: "Show at most this many findings, 0 for all. Does not affect counts or the exit status.")
  var maxFindings: Int?

  @Option(name: .long, help: ArgumentHelp("Do not report the findings recorded in this file.", valueName: "file"))
  var baseline: String?

  @Flag(name: .long, help: "Write the current findings to the --baseline file.")
  var updateBaseline = false

  @Option(
    name: .long, help: ArgumentHelp("Use this configuration instead of the nearest .fleetkit.yml.", valueName: "file"))
  var config: String?

  @Flag(name: .long, help: "In JSON files, fix findings that have an unambiguous fix, and list the fixes.")
  var fix = false

  @Flag(name: .long, help: "With --fix: show what would be fixed; change nothing.")
  var dryRun = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Check the files against this schema only: a file, or a name such as checklist.", valueName: "schema"))
  var schema: String?

  @Option(
    name: .long,
    help: ArgumentHelp("With --schema: read remote schemas from this folder.", valueName: "dir"))
  var schemaDir: String?

  @Flag(name: .long, help: "With --schema: enforce 'format' instead of treating it as an annotation.")
  var assertFormat = false

  func validate() throws {
    if let maxFindings, maxFindings < 0 {
      throw ValidationError("--max-findings must be 0 or more, not \(maxFindings).")
    }
    if updateBaseline, baseline == nil { throw ValidationError("--update-baseline requires --baseline FILE.") }
    if dryRun, !fix { throw ValidationError("--dry-run requires --fix; without --fix nothing is changed.") }
    if schema == nil {
      if schemaDir != nil { throw ValidationError("--schema-dir requires --schema.") }
      if assertFormat { throw ValidationError("--assert-format requires --schema.") }
    } else if fix {
      throw ValidationError("--fix cannot be used with --schema: a schema does not define fixes.")
    } else if profile != nil {
      throw ValidationError("--profile cannot be used with --schema, which replaces all other checks.")
    } else if config != nil {
      throw ValidationError("--config cannot be used with --schema, which replaces all other checks.")
    }
  }

  /// The values of `--fail-on`.
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
