import ArgumentParser
import FleetKit

/// `fleetkit fork`.
struct ForkVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fork",
    abstract: "Make a copy of a public item in a library, with the name of whose work it is.",
    discussion: """
      The copy is private, has ids of its own, and says who wrote the original and what it is called there. The \
      registry counts copies; who made them it does not learn. An item whose author does not allow copies is refused, \
      and so is a second copy of the same item.

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

  @Option(name: .long, help: ArgumentHelp("The library that gets the copy.", valueName: "library"), completion: .file())
  var into: String

  @Option(name: .long, help: "The title of the copy, in place of the original's.")
  var title: String?

  @Flag(name: .long, help: "Make another copy where the library has one already.")
  var again = false

  @Flag(name: .long, help: "Do everything except the last step: nothing is written, and nothing is counted.")
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
