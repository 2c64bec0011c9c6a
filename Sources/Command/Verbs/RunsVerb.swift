import ArgumentParser
import FleetKit

/// `fleetkit runs`.
struct RunsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List the runs that changed a library, with their times, commands, sources and results.",
    discussion: """
      Every command that writes to a library is recorded before it starts. The newest run is listed first. To undo a \
      run, use 'fleetkit undo'; to resume an interrupted import, use 'fleetkit import --resume'. Listing \
      changes nothing, and works during a run.

      EXAMPLES
        fleetkit runs anyfleet.sqlite
        fleetkit runs show 7                        of the only library here
        fleetkit runs show 7 --library anyfleet.sqlite

      EXIT STATUS
        0   listed
        2   no such library
        64  no such run
      """,
    subcommands: [RunsListVerb.self, RunsShowVerb.self], defaultSubcommand: RunsListVerb.self)
}

/// `fleetkit runs LIBRARY`.
struct RunsListVerb: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the runs of a library.")

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    try output.print(RunsReport(RunList(library), library: library))
  }
}

/// `fleetkit runs show ID`.
struct RunsShowVerb: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one run in full.")

  @OptionGroup var reference: RunReference
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let (id, library) = try reference.resolve()
    try output.print(RunReport(RunList(library).run(id), library: library))
  }
}
