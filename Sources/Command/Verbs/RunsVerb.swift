import ArgumentParser
import FleetKit

/// `fleetkit runs`.
struct RunsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List what was done to a library: when, by which command, from where, and what became of it.",
    discussion: """
      Every command that writes to a library is listed from before it starts, newest first. What is done can be taken \
      back with 'fleetkit undo', what was interrupted goes on with 'fleetkit import --resume'. Listing changes \
      nothing, and works while a run is at work.

      EXAMPLES
        fleetkit runs anyfleet.sqlite
        fleetkit runs show 7                        the only library of this folder
        fleetkit runs show 7 --library anyfleet.sqlite

      EXIT STATUS
        0   listed
        2   there is no such library
        64  there is no such run
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
