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

/// The report of `queue`, printed row by row so that memory does not grow with the queue.
struct QueueReport {
  private struct Head: Encodable {
    let command = "queue"
    let status = ExitStatus.success
    let library: String
    let registry, username: String?
    @IfPresent var queue: QueueDepth?
  }

  private struct Row: Encodable {
    let id, state: String
    let refused: Bool
    let operation, contentID: String
    let title: String?
    let createdAt: String
    let tries: Int
    let error, advice, nextRetryAt, syncedAt: String?
  }

  let queue: LibraryQueue
  let all: Bool

  func print(_ output: OutputOptions) throws {
    if output.json { try printJSON() } else { try printText() }
  }

  private func printText() throws {
    let depth = try queue.depth()
    let overtaken = try queue.overtaken()
    let library = TerminalEscaping.shellQuoted(queue.library)
    var lines = LineBuffer()
    var mayHelp = 0
    try queue.forEach(all: all) { row in
      try Interruption.check()
      let title = row.title.map { "“\($0)”" } ?? row.contentID
      var line =
        "  \(padded(row.id.description, 6))  \(padded(state(row, overtaken), 30))  "
        + "\(padded(row.operation, 14))  \(title)"
      if row.retryCount > 0, row.isLive { line += ", tried \(row.retryCount) of \(QueueEntry.tries) times" }
      if let error = row.lastError, row.syncedAt == nil { line += ": \(error)" }
      if row.isFailed, !overtaken.contains(row.id) {
        if let advice = row.advice(in: library) { line += (line.hasSuffix(".") ? " " : ". ") + advice }
        if !row.wasRefused { mayHelp += 1 }
      }
      lines.add(TerminalEscaping.escape(line))
    }
    lines.flush()
    let binding = try queue.binding().map { "; the library belongs to \($0.registry) (\($0.username))" } ?? ""
    let later = depth.retrying > 0 ? " (\(depth.retrying) of them waiting to be retried)" : ""
    let counts =
      "\(depth.live) waiting to be sent\(later), \(depth.failed - overtaken.count) failed"
      + (overtaken.isEmpty ? "" : ", \(overtaken.count) overtaken by a later operation")
    Terminal.report(TerminalEscaping.escape("\(counts)\(binding)."))
    if mayHelp > 0 {
      Terminal.report(
        TerminalEscaping.escape(
          "To retry failed operations at the next sync, run 'fleetkit queue retry \(library) --all'"
            + (mayHelp < depth.failed - overtaken.count ? "; refused operations would be refused again." : ".")))
    }
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Returns the state for programs: the first word of the state, or one state for all failed operations.
  private func code(_ row: QueueEntry, _ overtaken: Set<OperationID>) -> String {
    let state = state(row, overtaken)
    return row.isFailed && state != "overtaken" ? "failed" : String(state.prefix { $0 != " " })
  }

  private func state(_ row: QueueEntry, _ overtaken: Set<OperationID>) -> String {
    if let date = row.syncedAt { return "sent \(date.prefix(19))" }
    if overtaken.contains(row.id) { return "overtaken" }
    if row.isFailed { return row.wasRefused ? "refused" : "failed" }
    if let next = row.nextRetryAt, next > RunContext.currentTime.columnText { return "retry at \(next.prefix(19))" }
    return "waiting"
  }

  /// Prints the JSON report, with one row per line inside the array.
  private func printJSON() throws {
    let encoder = ReportEncoder()
    let binding = try? queue.binding()
    let head = try encoder.encode(
      Head(library: queue.library, registry: binding?.registry, username: binding?.username, queue: try? queue.depth()))
    let overtaken = try queue.overtaken()
    let library = TerminalEscaping.shellQuoted(queue.library)
    Terminal.print(head.dropLast() + ",\"operations\":[")
    var isFirst = true
    var lines = LineBuffer()
    try queue.forEach(all: all) { row in
      try Interruption.check()
      let json = try encoder.encode(
        Row(
          id: row.id.description, state: code(row, overtaken), refused: row.isFailed && row.wasRefused,
          operation: row.operation, contentID: row.contentID, title: row.title, createdAt: row.createdAt,
          tries: row.retryCount, error: row.lastError,
          advice: overtaken.contains(row.id) ? nil : row.advice(in: library), nextRetryAt: row.nextRetryAt,
          syncedAt: row.syncedAt))
      lines.add((isFirst ? "" : ",") + json)
      isFirst = false
    }
    lines.flush()
    Terminal.print("]}")
  }
}

/// The report of `queue retry` and `queue cancel`.
struct QueueChangeReport: Report {
  let command: String
  let status = ExitStatus.success
  let library: String
  let count: Int
  @IfPresent var oldTitle: String?
  @IfPresent var mayBePublicAs: String?
  @TextOnly var words: String

  func render(_ output: OutputOptions) {
    if !output.quiet { Terminal.report(words) }
  }
}

/// The report of `queue rebind`, and its confirmation question.
struct RebindReport: Report {
  let command = "queue rebind"
  let status = ExitStatus.success
  let library, registry, username: String
  let oldRegistry, oldUsername: String?
  let changed: Bool
  let madePrivate, waiting, withdrawalsUndone, changesUndone, leftTheQueue: Int
  @TextOnly var plan: RebindPlan

  init(_ plan: RebindPlan, library: String) {
    (self.library, registry, username) = (library, plan.new.registry, plan.new.username)
    (oldRegistry, oldUsername) = (plan.old?.registry, plan.old?.username)
    (changed, waiting) = (plan.isChange || plan.old == nil, plan.waiting)
    (madePrivate, withdrawalsUndone) = plan.forgets ? (plan.published, plan.withdrawals) : (0, 0)
    (changesUndone, leftTheQueue) = plan.forgets ? (plan.updates, plan.leaving) : (0, 0)
    self.plan = plan
  }

  /// Returns the confirmation question.
  static func question(_ plan: RebindPlan, _ library: String) -> String {
    let old = plan.old.map { "\($0.registry) (\($0.username))" } ?? "no registry"
    var words = "\(library) belongs to \(old). "
    if plan.forgets { words += consequences(plan).map { $0 + " " }.joined() }
    if plan.keepsPublished { words += "Items published there count as published at the new address. " }
    return words + "Make it belong to \(plan.new.registry) (\(plan.new.username))?"
  }

  /// Describes what happens to items and operations.
  private static func consequences(_ plan: RebindPlan) -> [String] {
    var words: [String] = []
    if plan.published > 0 {
      let (items, are, stay) = plan.published == 1 ? ("item", "is", "stays") : ("items", "are", "stay")
      words.append(
        "\(plan.published) \(items) \(are) public there and \(stay) public there; here they become private and "
          + "pending, and 'fleetkit publish' publishes them again, under new addresses.")
    }
    if plan.waiting > 0 {
      let some = plan.waiting == 1 ? "it" : "\(plan.uncertain) of them"
      let maybe = plan.uncertain > 0 ? "; \(some) may also be public at the old registry" : ""
      words.append(
        "\(plan.waiting) \(plan.waiting == 1 ? "operation waits and goes" : "operations wait and go") "
          + "to the new registry\(maybe).")
    }
    if plan.withdrawals > 0 {
      words.append(
        "\(plan.withdrawals) \(plan.withdrawals == 1 ? "withdrawal is" : "withdrawals are") not carried out: the items "
          + "stay public at the old registry.")
    }
    if plan.updates > 0 {
      words.append("\(plan.updates) \(plan.updates == 1 ? "change is" : "changes are") not sent to the old registry.")
    }
    return words
  }

  /// Prints the result.
  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let owner = "\(plan.new.registry) and the account \(plan.new.username)"
    guard changed else {
      return Terminal.report(
        TerminalEscaping.escape("\(library) already belongs to \(owner); nothing else was changed."))
    }
    Terminal.report(TerminalEscaping.escape("\(library) now belongs to \(owner)."))
    guard plan.forgets, let old = plan.old else { return }
    if plan.published > 0 {
      let (items, stay, are) = plan.published == 1 ? ("item", "stays", "is") : ("items", "stay", "are")
      Terminal.report(
        TerminalEscaping.escape(
          "\(plan.published) \(items) \(stay) public at \(old.registry) and \(are) private here. To publish again, "
            + "run 'fleetkit publish'."))
    }
    for words in Self.consequences(plan).dropFirst(plan.published > 0 ? 1 : 0) { Terminal.report(words) }
    if plan.leaving > 0 {
      Terminal.report(
        TerminalEscaping.escape(
          "\(plan.leaving) \(plan.leaving == 1 ? "operation" : "operations") for \(old.registry) left the queue and "
            + "\(plan.leaving == 1 ? "is" : "are") kept next to the library."))
    }
  }

}

/// Buffers lines for standard output, because a system call for each line would take longer than the rest of the work.
struct LineBuffer {
  /// The maximum number of buffered bytes. On a terminal every line is written immediately.
  private static let size = 1 << 16

  private var text = ""

  /// Adds a line.
  mutating func add(_ line: String) {
    if !text.isEmpty { text += "\n" }
    text += line
    if text.utf8.count >= Self.size || Terminal.isInteractive { flush() }
  }

  /// Writes the buffered lines. Must be called at the end.
  mutating func flush() {
    if text.isEmpty { return }
    Terminal.print(text)
    text.removeAll(keepingCapacity: true)
  }
}
