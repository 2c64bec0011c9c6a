import ArgumentParser
import FleetKit

/// `fleetkit queue rebind`.
struct QueueRebindVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebind",
    abstract: "Make a library belong to another registry or account.",
    discussion: """
      What is public at the old registry stays public there. Here it becomes private and pending, and 'fleetkit publish' \
      publishes it to the new one, under new addresses. Publications that were not sent go to the new one. Withdrawals \
      and changes that were not sent can only be done by the old one: while there are any, nothing is done without \
      --force. Operations that leave the queue are kept beside the library.

      EXAMPLES
        fleetkit queue rebind anyfleet.sqlite --registry https://sail.example.org
        fleetkit queue rebind anyfleet.sqlite --registry https://new.example.org \\
            --keep-published
            moved, with its items

      EXIT STATUS
        0   done
        4   the answer was no, or operations wait that only the old registry can do
        7   a sync is at work
        69  the registry cannot be reached
        77  sign in first
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Flag(
    name: .long,
    help: "The same service has a new address, with the same account and items: what is published stays so here.")
  var keepPublished = false

  @Flag(name: .long, help: "Leave withdrawals and changes undone that only the old registry can do.")
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
