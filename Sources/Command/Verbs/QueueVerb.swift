import ArgumentParser
import FleetKit

/// `fleetkit queue`.
struct QueueVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue",
    abstract: "List and change the operations that wait to be sent to the registry.",
    discussion: """
      Each operation has a number, with the prefix d for flashcard decks. Listing changes nothing, and works while \
      'fleetkit sync' is running.

      EXAMPLES
        fleetkit queue anyfleet.sqlite
        fleetkit queue anyfleet.sqlite --all         also list sent operations
        fleetkit queue retry anyfleet.sqlite --all   retry failed operations
        fleetkit queue cancel anyfleet.sqlite --id 12
        fleetkit queue rebind anyfleet.sqlite --registry https://sail.example.org

      EXIT STATUS
        0   done
        2   no such library
        4   refused
        64  no such operation
      """,
    subcommands: [QueueListVerb.self, QueueRetryVerb.self, QueueCancelVerb.self, QueueRebindVerb.self],
    defaultSubcommand: QueueListVerb.self)
}

/// `fleetkit queue LIBRARY`.
struct QueueListVerb: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the operations of a library.")

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Argument(help: .hidden) var rest: [String] = []

  @Flag(name: .long, help: "Also list operations that were sent.")
  var all = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    guard rest.isEmpty else {
      throw ValidationError("unknown queue command '\(library)'; the commands are list, retry, cancel and rebind.")
    }
  }

  func run() throws {
    try QueueReport(queue: LibraryQueue(library), all: all).print(output)
  }
}

/// `fleetkit queue retry`.
struct QueueRetryVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Retry failed operations at the next sync.",
    discussion: "Operations that were overtaken by a later one are not retried.")

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Option(name: .long, help: ArgumentHelp("Retry this operation.", valueName: "number"))
  var id: String?

  @Flag(name: .long, help: "Retry all failed operations.")
  var all = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if (id == nil) == !all { throw ValidationError("Give either --id NUMBER or --all.") }
  }

  func run() throws {
    let count = try LibraryQueue(library, isChanged: true).retry(id)
    if let id, count == 0 {
      throw RunFailure(
        .refused, "retry operation \(id): it has not failed, or a later operation has overtaken it",
        advice: "To see its state, run: fleetkit queue \(library)")
    }
    let words = count == 1 ? "1 operation will be sent again." : "\(count) operations will be sent again."
    try output.print(QueueChangeReport(command: "queue retry", library: library, count: count, words: words))
  }
}

/// `fleetkit queue cancel`.
struct QueueCancelVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Remove an unsent operation from the queue.",
    discussion: """
      The item returns to the state it had before the operation was queued: an item waiting to be published is private \
      again, and one waiting to be withdrawn is as visible as before. If its earlier visibility is unknown, it stays \
      private and is reported. If the \
      registry may have received the operation, --force is required, because it may already be carried out. A title \
      set with --set-title is kept; the summary names it.
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Option(name: .long, help: ArgumentHelp("The operation.", valueName: "number"))
  var id: String

  @Flag(name: .long, help: "Remove it even if the registry may have carried it out.")
  var force = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func run() throws {
    let plan = try LibraryQueue(library).cancelPlan(id)
    let title = plan.row.title.map { "“\($0)”" } ?? plan.row.contentID
    if plan.mayHaveArrived, !force {
      throw RunFailure(
        .refused,
        "cancel operation \(id): the registry may have carried it out (\(plan.row.lastError ?? "it is being sent"))",
        advice: "Run 'fleetkit sync' to find out. With --force it is removed, but may have been carried out.")
    }
    try Terminal.confirm(
      "Cancel operation \(id), \(plan.row.operation) of \(title)?", yes: confirmation.yes,
      doing: "cancel operation \(id)")
    let result = try LibraryQueue(library, isChanged: true).cancel(plan)
    let words =
      "Operation \(id), \(plan.row.operation) of \(title), was cancelled."
      + (plan.oldTitle.map { " The item keeps the title \(title) in this library; it was “\($0)” before." } ?? "")
      + (result.mayBePublicAs.map { privacy(plan.row, title, $0) } ?? "")
    try output.print(
      QueueChangeReport(
        command: "queue cancel", library: library, count: 1, oldTitle: plan.oldTitle,
        mayBePublicAs: result.mayBePublicAs, words: TerminalEscaping.escape(words)))
  }

  private func privacy(_ row: QueueEntry, _ title: String, _ publicID: String) -> String {
    let library = TerminalEscaping.shellQuoted(library)
    return " Its visibility before the withdrawal is unknown, so \(title) is private in this library; others may still "
      + "see it as '\(publicID)'. To mark it as public if it is, run 'fleetkit pull \(library) --all-mine "
      + "--id \(row.contentID)'; to withdraw it, run 'fleetkit unpublish \(library) --id \(row.contentID)'."
  }
}
