import ArgumentParser
import FleetKit

/// `fleetkit apply`.
struct ApplyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply a plan written by 'import --plan', completely and exactly.",
    discussion: """
      A plan lists every change that an import would make. Applying it reads the sources again and checks every \
      decision against the plan. If a source, the library or its import history has changed since, nothing is \
      written. Like an import, applying a plan can be undone.

      EXAMPLES
        fleetkit import curated/ --into anyfleet.sqlite --plan plan.json
        fleetkit apply plan.json --dry-run  check and show the plan
        fleetkit apply plan.json

      EXIT STATUS
        0  done
        2  the plan cannot be read or is damaged
        3  done, with the rejects that the plan lists
        4  something has changed since; nothing was written
        6  the plan was made by a newer FleetKit
        7  the library is in use
      """)

  @Argument(help: "The plan file.", completion: .file(extensions: ["json"]))
  var plan: String

  @Option(
    name: .long,
    help: ArgumentHelp("The library's current path; its bytes must match the plan.", valueName: "library"),
    completion: .file())
  var library: String?

  @Flag(name: .long, help: "Only check whether the plan can be applied; write nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    var application = try PlanApplication(plan, library: library, named: PlanRenderer.named(output))
    application.onProgress = output.quiet ? nil : Progress("Applying").callback
    let report = try application.run(dryRun: dryRun)
    Progress.clear()
    let context = report.summary.context
    let ids = !dryRun && context.reading.collectsIDs ? try NoteIDs(writing: context) : nil
    try output.print(
      ImportReport(
        report, verb: "apply", into: application.library, dryRun: dryRun, ids: ids,
        outline: dryRun ? application.outline : nil, plan: plan))
    throw ExitCode(report.summary.status.rawValue)
  }
}
