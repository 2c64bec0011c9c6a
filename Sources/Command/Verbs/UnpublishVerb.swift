import ArgumentParser
import FleetKit

/// `fleetkit unpublish`.
struct UnpublishVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpublish",
    abstract: "Queue the withdrawal of published items; 'fleetkit sync' sends it.",
    discussion: """
      The item becomes private at once; others see it until the withdrawal was sent. A publication that was never sent \
      leaves the queue, and nothing has to be sent. Copies that others made stay theirs.

      EXAMPLES
        fleetkit unpublish anyfleet.sqlite --id 43A324AA
        fleetkit unpublish anyfleet.sqlite --tag draft --dry-run
      """)

  @Argument(help: ArgumentHelp("The library.", valueName: "library"), completion: .file())
  var library: String

  @Flag(name: .long, help: "Every item of the library; asks first.")
  var all = false

  @Flag(name: .long, help: "Do everything except the last step: nothing is written.")
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
