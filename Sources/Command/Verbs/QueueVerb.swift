import ArgumentParser
import FleetKit

/// `fleetkit queue`.
struct QueueVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue",
    abstract: "List what waits to be sent to the registry, and change that.",
    discussion: """
      Operations have numbers; those of flashcard decks have a d before them. Listing changes nothing, and works while \
      'fleetkit sync' is at work.

      EXAMPLES
        fleetkit queue anyfleet.sqlite
        fleetkit queue anyfleet.sqlite --all         what was sent, too
        fleetkit queue retry anyfleet.sqlite --all   what was given up, again
        fleetkit queue cancel anyfleet.sqlite --id 12
        fleetkit queue rebind anyfleet.sqlite --registry https://sail.example.org

      EXIT STATUS
        0   done
        2   there is no such library
        4   refused
        64  there is no such operation
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

  @Flag(name: .long, help: "List operations that were sent, too.")
  var all = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    guard rest.isEmpty else {
      throw ValidationError("'\(library)' is nothing that queue does: it takes list, retry, cancel or rebind.")
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
    abstract: "Make operations that were given up be sent again with the next sync.",
    discussion: "What something later has overtaken stays given up.")

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Option(name: .long, help: ArgumentHelp("This operation.", valueName: "number"))
  var id: String?

  @Flag(name: .long, help: "All that were given up.")
  var all = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if (id == nil) == !all { throw ValidationError("Say which: --id NUMBER or --all.") }
  }

  func run() throws {
    let count = try LibraryQueue(library, isChanged: true).retry(id)
    if let id, count == 0 {
      throw RunFailure(
        .refused, "retry operation \(id): it was not given up, or something later has overtaken it",
        advice: "'fleetkit queue \(library)' says how it stands.")
    }
    let words = count == 1 ? "1 operation waits to be sent again." : "\(count) operations wait to be sent again."
    try output.print(QueueChangeReport(command: "queue retry", library: library, count: count, words: words))
  }
}

/// `fleetkit queue cancel`.
struct QueueCancelVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Take an operation out of the queue that was not sent.",
    discussion: """
      The item says afterwards what is so without the operation: one that was to be published is private again, \
      and one that was to be withdrawn is as visible as it was before. Where that is unknown, it stays private and is \
      reported. An operation that may have reached the registry is refused without --force, because what it asked for \
      may be done. A title that --set-title gave the item stays; the summary names it.
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Option(name: .long, help: ArgumentHelp("The operation.", valueName: "number"))
  var id: String

  @Flag(name: .long, help: "Take it out although the registry may have done it already.")
  var force = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func run() throws {
    let plan = try LibraryQueue(library).cancelPlan(id)
    let title = plan.row.title.map { "“\($0)”" } ?? plan.row.contentID
    if plan.mayHaveArrived, !force {
      throw RunFailure(
        .refused,
        "cancel operation \(id): the registry may have done it already (\(plan.row.lastError ?? "it is being sent"))",
        advice: "Let 'fleetkit sync' find out; or say --force: then what it asked for may be so all the same.")
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
        mayBePublicAs: result.mayBePublicAs, words: TerminalText.escape(words)))
  }

  private func privacy(_ row: QueueEntry, _ title: String, _ publicID: String) -> String {
    let library = TerminalText.shellQuoted(library)
    return " Its visibility before the withdrawal is unknown, so \(title) is private in this library; others may still "
      + "see it as '\(publicID)'. 'fleetkit pull \(library) --all-mine --id \(row.contentID)' marks it as public if it "
      + "is; 'fleetkit unpublish \(library) --id \(row.contentID)' withdraws it."
  }
}
