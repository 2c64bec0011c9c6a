import ArgumentParser
import FleetKit

/// `fleetkit queue rebind`.
struct QueueRebindVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebind",
    abstract: "Bind a library to another registry or account.",
    discussion: """
      Items that are public at the old registry stay public there. Here they become private and pending, and \
      'fleetkit publish' publishes them to the new one, under new addresses. Unsent publications go to the new \
      registry. Only the old registry can carry out unsent withdrawals and changes; if there are any, the command \
      does nothing without --force. Operations that are removed from the queue are kept next to the library.

      EXAMPLES
        fleetkit queue rebind anyfleet.sqlite --registry https://sail.example.org
        fleetkit queue rebind anyfleet.sqlite --registry https://new.example.org \\
            --keep-published
            the same service at a new address

      EXIT STATUS
        0   done
        4   not confirmed, or there are operations for the old registry only
        7   a sync is running
        69  the registry cannot be reached
        77  sign in first
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Flag(
    name: .long,
    help: "The same service has moved, with the same account and items: published items stay published.")
  var keepPublished = false

  @Flag(name: .long, help: "Drop withdrawals and changes that only the old registry can carry out.")
  var force = false

  @OptionGroup(title: "Registry") var registry: RegistryOptions

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func run() throws {
    let connection = try registry.connection()
    let plan = try LibraryQueue(library).rebindPlan(to: connection, keepsPublished: keepPublished, force: force)
    if plan.isChange {
      try Terminal.confirm(RebindReport.question(plan, library), yes: confirmation.yes, doing: "rebind '\(library)'")
    }
    let done = try LibraryQueue(library, isChanged: true).rebind(plan, force: force)
    try output.print(RebindReport(done, library: library))
  }
}
