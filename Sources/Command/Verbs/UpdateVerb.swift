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

      EXAMPLES
        fleetkit update anyfleet.sqlite --changed          whatever differs from what was sent last
        fleetkit update anyfleet.sqlite --id 43A324AA
        fleetkit update anyfleet.sqlite --id 43A324AA --set-title "Crew briefing, short"
        fleetkit update anyfleet.sqlite --id 43A324AA --take local    whoever changed it elsewhere meanwhile
      """)

  @Argument(help: ArgumentHelp("The library.", valueName: "library"), completion: .file())
  var library: String

  @Flag(name: .long, help: "Only published items whose content differs from what was sent last.")
  var changed = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where the item was changed elsewhere: local (replace what is public) or remote (take what is public).",
      valueName: "side"), completion: .list(["local", "remote"]))
  var take: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Give the one item that is selected another title, and queue that.", valueName: "title"))
  var setTitle: String?

  @OptionGroup var enqueue: EnqueueOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if let take, take != "local", take != "remote" {
      throw ValidationError("--take takes local or remote, not '\(take)'.")
    }
    try EnqueueOptions.check(title: setTitle)
  }

  func run() throws {
    if take == "remote" {
      throw RunFailure(
        .refused, "update '\(library)': --take remote changes the library, not what is public; nothing was queued",
        advice: "Run 'fleetkit pull \(library)'.")
    }
    if !changed { try enqueue.confirm("update", in: library, selectors.selection, output) }
    var publishing = LibraryPublishing(
      library, .update(changedOnly: changed, takesLocal: take == "local", title: setTitle))
    publishing.selection = selectors.selection
    publishing.stopsAtRefusal = enqueue.stopsAtRefusal
    publishing.isDryRun = enqueue.dryRun
    let report = try publishing.run(now: RunContext.currentTime)
    EnqueueText(output).say(report)
    throw ExitCode(report.status.rawValue)
  }
}
