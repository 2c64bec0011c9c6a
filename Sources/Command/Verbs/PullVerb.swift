import ArgumentParser
import FleetKit

/// `fleetkit pull`.
struct PullVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Bring back what was changed elsewhere of the items that you have published.",
    discussion: """
      What changed only there comes into the library, what changed only here stays, and what both changed is merged, \
      section by section and step by step; the next update publishes the result. Where both changed the same thing, the \
      library's item stays whole and the registry's version goes to the rejects, unless --take says who wins. Ticks and \
      notes of charters stay. What was unpublished elsewhere is private here, too, and keeps its content.

      EXAMPLES
        fleetkit pull anyfleet.sqlite --registry https://sail.example.org
        fleetkit pull anyfleet.sqlite --registry URL --dry-run
        fleetkit pull new.sqlite --registry URL --all-mine --create
            on a new device: everything you have published
        fleetkit pull anyfleet.sqlite --registry URL --id 43A324AA --take remote

      EXIT STATUS
        0   done
        2   no such library, or nothing matches what was selected
        3   conflicts, or items that cannot be used; the rest is done
        4   the library belongs to another registry or account
        7   a sync or another program is at work
        69  the registry cannot be reached
        77  sign in first
      """)

  @Argument(help: ArgumentHelp("The library.", valueName: "library"), completion: .file())
  var library: String

  @Option(
    name: .long,
    help: "Who wins where both sides changed the same thing: local (the library) or remote (the registry).",
    completion: .list(LibraryPull.Take.allCases.map(\.rawValue)))
  var take: String?

  @Flag(name: .long, help: "Bring in items of yours that the library does not have, too.")
  var allMine = false

  @Flag(name: .long, help: "Make the library if it is not there; with --all-mine.")
  var create = false

  @Flag(name: .long, help: "Do everything except the last step: nothing is written.")
  var dryRun = false

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if create, !allMine {
      throw ValidationError("--create goes with --all-mine: a new library has nothing to merge with.")
    }
    if let take, LibraryPull.Take(rawValue: take) == nil {
      throw ValidationError("--take takes local or remote, not '\(take)'.")
    }
  }

  func run() throws {
    var job = PullJob(command: "pull", library: library, registry: registry, output: output)
    job.selection = selectors.selection
    job.take = take.flatMap(LibraryPull.Take.init)
    job.bringsAll = allMine
    job.createsLibrary = create
    job.isDryRun = dryRun
    try job.run()
  }
}
