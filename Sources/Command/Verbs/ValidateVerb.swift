import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit validate`.
struct ValidateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check content against the schemas and rules; nothing is published that has not passed.",
    discussion: """
      Three layers: structure (may it be read?), publish (may it leave the device? with --profile publish), and lint \
      (good seamanship and good text, warnings by default). Every finding has a code, its exact place, why it matters \
      and how to put it right; docs/rules has a page for each rule. Nothing is changed without --fix.

      .fleetkit.yml turns rules off, weighs them, and leaves out paths; the nearest one counts. With --schema, files \
      are held against that JSON Schema (draft 2020-12) and nothing else.

      EXAMPLES
        fleetkit validate content/                     files, bundles, libraries
        fleetkit validate anyfleet.sqlite --profile publish
        fleetkit validate content/ --fail-on warning --report github
        fleetkit validate content/ --report sarif > results.sarif
        fleetkit validate content/ --fix               what has one right answer
        fleetkit validate content/ --baseline old.json only what is new
        fleetkit validate --schema boat.schema.json boat.json

      EXIT STATUS
        0   nothing at or above --fail-on
        1   findings
        2   a source cannot be read
        6   something newer than this FleetKit
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
      throw ValidationError("--json is --report jsonl; it does not go with --report \(report.rawValue).")
    }
    if flags.fix, paths.contains("-") {
      throw ValidationError("--fix does not go with standard input, which cannot be written; name the file.")
    }
    if flags.schema != nil, selectors.selection != nil {
      throw ValidationError("Selectors do not go with --schema: what is checked need not be records.")
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
    ExplanationText.print(outcome.explanations)
    for failure in outcome.failures {
      Terminal.complain("fleetkit: " + TerminalText.escape(failure.sentences))
    }
    try plan.conclude(outcome)
    // What a new baseline holds is accepted.
    let accepted = outcome.status == .findings && outcome.recordedBaseline != nil
    if outcome.status != .success, !accepted { throw ExitCode(outcome.status.rawValue) }
  }
}
