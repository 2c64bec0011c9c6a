import FleetKit

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
    let binding = try queue.binding().map { "; it belongs to \($0.registry) (\($0.username))" } ?? ""
    let later = depth.retrying > 0 ? " (\(depth.retrying) of them waiting to be retried)" : ""
    let counts =
      "\(depth.live) waiting to be sent\(later), \(depth.failed - overtaken.count) failed"
      + (overtaken.isEmpty ? "" : ", \(overtaken.count) overtaken by a later operation")
    Terminal.say(TerminalEscaping.escape("\(counts)\(binding)."))
    if mayHelp > 0 {
      Terminal.say(
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
    if !output.quiet { Terminal.say(words) }
  }
}
