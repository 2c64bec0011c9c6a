import ArgumentParser
import FleetKit

/// `fleetkit apply`.
struct ApplyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Do what 'import --plan' wrote down, all of it and nothing else.",
    discussion: """
      A plan lists every change that an import would make. Applying it reads the sources again and holds every \
      decision against the plan; when a source, the library or what is remembered of it has changed since, nothing is \
      written. It is a run like an import: it can be undone.

      EXAMPLES
        fleetkit import curated/ --into anyfleet.sqlite --plan plan.json
        fleetkit apply plan.json --dry-run  does it still hold, and what does it say?
        fleetkit apply plan.json

      EXIT STATUS
        0  done
        2  the plan cannot be read or is damaged
        3  done, with the rejects of the plan
        4  something has changed since; nothing was written
        6  a newer FleetKit made the plan
        7  the library is in use
      """)

  @Argument(help: "The plan.", completion: .file(extensions: ["json"]))
  var plan: String

  @Option(
    name: .long,
    help: ArgumentHelp("Where the library is now; its bytes must be those of the plan.", valueName: "library"),
    completion: .file())
  var library: String?

  @Flag(name: .long, help: "Only look whether it could be done: nothing is written.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    var application = try PlanApplication(plan, library: library, named: PlanText.named(output))
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
