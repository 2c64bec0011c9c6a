import ArgumentParser
import FleetKit

/// `fleetkit unpublish`.
struct UnpublishVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpublish",
    abstract: "Queue the withdrawal of published items; 'fleetkit sync' sends it.",
    discussion: """
      The item becomes private immediately; others can see it until the withdrawal is sent. A publication that was \
      never sent is removed from the queue, and nothing needs to be sent. Copies made by others are not affected.

      EXAMPLES
        fleetkit unpublish anyfleet.sqlite --id 43A324AA
        fleetkit unpublish anyfleet.sqlite --tag draft --dry-run
      """)

  @Argument(help: ArgumentHelp("The library.", valueName: "library"), completion: .file())
  var library: String

  @Flag(name: .long, help: "Select every item of the library, after a confirmation.")
  var all = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func run() throws {
    try EnqueueOptions.confirm(
      "unpublish", in: library, selectors.selection, all: all, asks: !dryRun, yes: confirmation.yes)
    var publishing = LibraryPublishing(library, .unpublish)
    publishing.selection = selectors.selection
    publishing.isDryRun = dryRun
    let report = try publishing.run(now: RunContext.currentTime)
    try output.print(QueuedReport(report))
    throw ExitCode(report.status.rawValue)
  }
}
