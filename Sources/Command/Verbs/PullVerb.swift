import ArgumentParser
import FleetKit

/// `fleetkit pull`.
struct PullVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Fetch changes made elsewhere to the items that you have published.",
    discussion: """
      If only the registry's version changed, the library is updated. If only the library changed, it is kept. If both \
      changed, they are merged, section by section and step by step; the next update publishes the result. If both \
      changed the same value, the library's item is left unchanged and the registry's version goes to the rejects, \
      unless --take decides the conflict. Ticks and notes of charters are kept. Items that were unpublished elsewhere \
      become private and keep their content.

      EXAMPLES
        fleetkit pull anyfleet.sqlite --registry https://sail.example.org
        fleetkit pull anyfleet.sqlite --registry URL --dry-run
        fleetkit pull new.sqlite --registry URL --all-mine --create
            on a new device: fetch everything you have published
        fleetkit pull anyfleet.sqlite --registry URL --id 43A324AA --take remote

      EXIT STATUS
        0   done
        2   no such library, or nothing matches the selection
        3   conflicts, or items that cannot be used; the rest is done
        4   the library belongs to another registry or account
        7   a sync or another program is running
        69  the registry cannot be reached
        77  sign in first
      """)

  @Argument(help: ArgumentHelp("The library.", valueName: "library"), completion: .file())
  var library: String

  @Option(
    name: .long,
    help: "The version to use in a conflict: local (the library's) or remote (the registry's).",
    completion: .list(LibraryPull.Take.allCases.map(\.rawValue)))
  var take: String?

  @Flag(name: .long, help: "Also fetch your items that are not in the library.")
  var allMine = false

  @Flag(name: .long, help: "Create the library if it does not exist; with --all-mine.")
  var create = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if create, !allMine {
      throw ValidationError("--create requires --all-mine: a new library has nothing to merge with.")
    }
    if let take, LibraryPull.Take(rawValue: take) == nil {
      throw ValidationError("--take must be local or remote, not '\(take)'.")
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
