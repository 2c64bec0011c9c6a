import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit validate`.
struct ValidateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check content against the schemas and rules that it must pass to be published.",
    discussion: """
      There are three layers: structure (can it be read?), publish (can it be published? with --profile publish), and \
      lint (good seamanship and good text; warnings by default). Every finding has a code, its exact place, why it \
      matters and how to fix it; docs/rules has a page for each rule. Nothing is changed without --fix.

      .fleetkit.yml turns rules off, sets their severities, and excludes paths; the nearest one applies. With \
      --schema, files are checked against that JSON Schema (draft 2020-12) only.

      EXAMPLES
        fleetkit validate content/                     files, bundles, libraries
        fleetkit validate anyfleet.sqlite --profile publish
        fleetkit validate content/ --fail-on warning --report github
        fleetkit validate content/ --report sarif > results.sarif
        fleetkit validate content/ --fix               fix what can be fixed
        fleetkit validate content/ --baseline old.json
            report only new findings
        fleetkit validate --schema boat.schema.json boat.json

      EXIT STATUS
        0   no findings at or above --fail-on
        1   findings
        2   a source cannot be read
        6   a newer FleetKit is needed
        7   locked by another program
        64  wrong usage, configuration or schema
      """)

  @Argument(
    help: "Libraries, bundles, or folders of them; - for standard input.", completion: .file())
  var paths: [String]

  @OptionGroup(title: "Validation") var flags: ValidationFlags
  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if output.json, let report = flags.report, report != .jsonl {
      throw ValidationError("--json means --report jsonl and cannot be used with --report \(report.rawValue).")
    }
    if flags.fix, paths.contains("-") {
      throw ValidationError("--fix cannot be used with standard input, which cannot be changed; name the file.")
    }
    if flags.schema != nil, selectors.selection != nil {
      throw ValidationError("Selectors cannot be used with --schema, which checks any JSON, not only records.")
    }
  }

  func run() throws {
    let plan = try ValidationPlan(self)
    let outcome: ValidationOutcome
    if let name = flags.schema {
      let schema = try SchemaFile(name, folder: flags.schemaDir, assertsFormat: flags.assertFormat)
      outcome = try SchemaValidation(schema, options: plan.options).run(paths, report: plan.makeReport())
    } else {
      outcome = try plan.run()
    }
    Progress.clear()
    ExplanationRenderer.print(outcome.explanations)
    for failure in outcome.failures {
      Terminal.complain("fleetkit: " + TerminalEscaping.escape(failure.sentences))
    }
    try plan.conclude(outcome)
    // Findings in a new baseline are accepted.
    let accepted = outcome.status == .findings && outcome.recordedBaseline != nil
    if outcome.status != .success, !accepted { throw ExitCode(outcome.status.rawValue) }
  }
}
