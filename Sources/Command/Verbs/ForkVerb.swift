import ArgumentParser
import FleetKit

/// `fleetkit fork`.
struct ForkVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fork",
    abstract: "Copy a public item into a library, with a credit to its author.",
    discussion: """
      The copy is private, has its own ids, and names the original's author and public id. The registry counts \
      copies, but not who made them. The command refuses an item if its author does not allow copies, or if the \
      library already has a copy of it.

      EXAMPLES
        fleetkit fork fire-on-board-0D0939BC --into anyfleet.sqlite \\
            --registry https://sail.example.org
        fleetkit fork fire-on-board-0D0939BC --into anyfleet.sqlite --registry URL \\
            --title "Fire on Anna"
        fleetkit fork fire-on-board-0D0939BC --into anyfleet.sqlite --registry URL \\
            --again
      """)

  @Argument(help: ArgumentHelp("The public id of the original.", valueName: "public-id"))
  var publicID: String

  @Option(name: .long, help: ArgumentHelp("The library to copy into.", valueName: "library"), completion: .file())
  var into: String

  @Option(name: .long, help: "The title of the copy, instead of the original's.")
  var title: String?

  @Flag(name: .long, help: "Make another copy even if the library already has one.")
  var again = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed or counted.")
  var dryRun = false

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let connection = try registry.connection(for: into)
    let client = try connection.client()
    var fork = LibraryFork(of: publicID, into: into, from: client, at: connection.address.text)
    fork.title = title
    fork.isAgain = again
    fork.isDryRun = dryRun
    let report = try client.untilInterrupted { try fork.run(now: RunContext.currentTime) }
    try output.print(CopyReport(report, library: into))
  }
}
