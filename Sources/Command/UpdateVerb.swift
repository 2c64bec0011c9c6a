import ArgumentParser
import FleetKit

/// `fleetkit update`.
struct UpdateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Queue changes to published items; 'fleetkit sync' sends them.",
    discussion: """
      The published version stays unchanged until the update is sent. Updates are checked against the same rules as \
      publications. An unsent operation of the item is replaced.

      If the item was changed elsewhere, the registry does not accept the update until you choose a version. --take \
      local replaces the published version with the library's. --take remote fetches the published version into the \
      library, like 'fleetkit pull --take remote': that version wins in conflicts, the rest is merged, and nothing is \
      queued.

      EXAMPLES
        fleetkit update anyfleet.sqlite --changed
            every item that changed since it was last sent
        fleetkit update anyfleet.sqlite --id 43A324AA
        fleetkit update anyfleet.sqlite --id 43A324AA --take local
            replace the published version
        fleetkit update anyfleet.sqlite --id 43A324AA --take remote
            use the published version
        fleetkit update anyfleet.sqlite --id 43A324AA \\
            --set-title "Crew briefing, short"
      """)

  @Argument(help: ArgumentHelp("The library.", valueName: "library"), completion: .file())
  var library: String

  @Flag(name: .long, help: "Only published items that changed since they were last sent.")
  var changed = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "If the item was changed elsewhere: local (replace the published version) or remote (fetch it now).",
      valueName: "side"), completion: .list(["local", "remote"]))
  var take: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Change the title of the one selected item, and queue the change.", valueName: "title"))
  var setTitle: String?

  @OptionGroup var enqueue: EnqueueOptions
  @OptionGroup(title: "Registry (--take remote only)") var registry: RegistryOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    if let take, take != "local", take != "remote" {
      throw ValidationError("--take must be local or remote, not '\(take)'.")
    }
    if take == "remote", changed {
      throw ValidationError(
        "--take remote fetches changes made elsewhere; --changed selects changes made here. Select items with "
          + "--id, --title, --tag or --type, or all with --all.")
    }
    if take == "remote", setTitle != nil {
      throw ValidationError(
        "--set-title cannot be used with --take remote, which fetches the title; change it afterwards.")
    }
    try EnqueueOptions.check(title: setTitle)
  }

  func run() throws {
    if !changed { try enqueue.confirm("update", in: library, selectors.selection, confirmation) }
    if take == "remote" { return try pullRemote() }
    var publishing = LibraryPublishing(
      library, .update(changedOnly: changed, takesLocal: take == "local", title: setTitle))
    publishing.selection = selectors.selection
    publishing.stopsAtRefusal = enqueue.stopsAtRefusal
    publishing.isDryRun = enqueue.dryRun
    let report = try publishing.run(now: RunContext.currentTime)
    try output.print(QueuedReport(report))
    throw ExitCode(report.status.rawValue)
  }

  private func pullRemote() throws {
    var job = PullJob(command: "update", library: library, registry: registry, output: output)
    job.selection = selectors.selection
    job.take = .remote
    job.isDryRun = enqueue.dryRun
    try job.run()
  }
}
