import ArgumentParser
import FleetKit

/// `fleetkit update`.
struct UpdateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Queue what changed of published items; 'fleetkit sync' sends it.",
    discussion: """
      What is public stays as it is until the update was sent. It is held against the same rules as a publication. An \
      operation of the item that was never sent is replaced.

      Where somebody changed the item elsewhere, the update is not taken until you say what is right. --take local sends \
      the library's version whatever is public. --take remote asks the registry and brings what is public into the \
      library, as 'fleetkit pull --take remote' does: it wins where both changed the same thing, all the rest is merged, \
      and nothing is queued.

      EXAMPLES
        fleetkit update anyfleet.sqlite --changed
            whatever differs from what was sent last
        fleetkit update anyfleet.sqlite --id 43A324AA
        fleetkit update anyfleet.sqlite --id 43A324AA --take local
            replace what is public
        fleetkit update anyfleet.sqlite --id 43A324AA --take remote
            take what is public
        fleetkit update anyfleet.sqlite --id 43A324AA \\
            --set-title "Crew briefing, short"
      """)

  @Argument(help: ArgumentHelp("The library.", valueName: "library"), completion: .file())
  var library: String

  @Flag(name: .long, help: "Only published items whose content differs from what was sent last.")
  var changed = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where the item was changed elsewhere: local (replace what is public) or remote (take what is public, now).",
      valueName: "side"), completion: .list(["local", "remote"]))
  var take: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Give the one item that is selected another title, and queue that.", valueName: "title"))
  var setTitle: String?

  @OptionGroup var enqueue: EnqueueOptions
  @OptionGroup(title: "Registry (--take remote only)") var registry: RegistryOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    if let take, take != "local", take != "remote" {
      throw ValidationError("--take takes local or remote, not '\(take)'.")
    }
    if take == "remote", changed {
      throw ValidationError(
        "--take remote brings in what was changed elsewhere, and --changed means what was changed here. Say which items: "
          + "--id, --title, --tag or --type, or --all for every one.")
    }
    if take == "remote", setTitle != nil {
      throw ValidationError("--take remote brings in the title as it is public: give another one afterwards.")
    }
    try EnqueueOptions.check(title: setTitle)
  }

  func run() throws {
    if !changed { try enqueue.confirm("update", in: library, selectors.selection, confirmation) }
    if take == "remote" { return try takeRemote() }
    var publishing = LibraryPublishing(
      library, .update(changedOnly: changed, takesLocal: take == "local", title: setTitle))
    publishing.selection = selectors.selection
    publishing.stopsAtRefusal = enqueue.stopsAtRefusal
    publishing.isDryRun = enqueue.dryRun
    let report = try publishing.run(now: RunContext.currentTime)
    try output.print(QueuedReport(report))
    throw ExitCode(report.status.rawValue)
  }

  private func takeRemote() throws {
    var job = PullJob(command: "update", library: library, registry: registry, output: output)
    job.selection = selectors.selection
    job.take = .remote
    job.isDryRun = enqueue.dryRun
    try job.run()
  }
}
