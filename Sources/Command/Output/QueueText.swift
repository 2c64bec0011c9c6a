import FleetKit

/// What waits in a queue, for people and as JSON; row by row, so that a long queue needs no memory.
enum QueueText {
  static func print(_ queue: LibraryQueue, all: Bool) throws {
    let depth = try queue.depth()
    let overtaken = try queue.overtaken()
    let library = TerminalText.shellQuoted(queue.library)
    var lines = LineBuffer()
    var mayHelp = 0
    try queue.forEach(all: all) { row in
      try Interruption.check()
      let title = row.title.map { "“\($0)”" } ?? row.contentID
      var line =
        "  \(padded(row.id.description, 6))  \(padded(state(row, overtaken), 30))  \(padded(row.operation, 14))  \(title)"
      if row.retryCount > 0, row.isLive { line += ", tried \(row.retryCount) of \(QueueEntry.tries) times" }
      if let error = row.lastError, row.syncedAt == nil { line += ": \(error)" }
      if row.isFailed, !overtaken.contains(row.id) {
        if let advice = row.advice(in: library) { line += (line.hasSuffix(".") ? " " : ". ") + advice }
        if !row.wasRefused { mayHelp += 1 }
      }
      lines.add(TerminalText.escape(line))
    }
    lines.flush()
    let binding = try queue.binding().map { "; it belongs to \($0.registry) (\($0.username))" } ?? ""
    let later = depth.retrying > 0 ? " (\(depth.retrying) of them tried again after a wait)" : ""
    let counts =
      "\(depth.live) to be sent\(later), \(depth.failed - overtaken.count) given up"
      + (overtaken.isEmpty ? "" : ", \(overtaken.count) overtaken by something later")
    Terminal.say(TerminalText.escape("\(counts)\(binding)."))
    if mayHelp > 0 {
      Terminal.say(
        TerminalText.escape(
          "'fleetkit queue retry \(library) --all' makes what was given up be sent with the next sync"
            + (mayHelp < depth.failed - overtaken.count ? "; what was refused it does not help." : ".")))
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Without the last word: for programs, whatever came to nothing is one state.
  private static func code(_ row: QueueEntry, _ overtaken: Set<OperationID>) -> String {
    let state = state(row, overtaken)
    return row.isFailed && state != "overtaken" ? "failed" : String(state.prefix { $0 != " " })
  }

  private static func state(_ row: QueueEntry, _ overtaken: Set<OperationID>) -> String {
    if let date = row.syncedAt { return "sent \(date.prefix(19))" }
    if overtaken.contains(row.id) { return "overtaken" }
    if row.isFailed { return row.wasRefused ? "refused" : "given up" }
    if let next = row.nextRetryAt, next > RunContext.currentTime.columnText { return "retry at \(next.prefix(19))" }
    return "waiting"
  }

  static func printJSON(_ queue: LibraryQueue, all: Bool) throws {
    var head = JSONBuilder()
    head.object { head in
      head.string("command", "queue")
      head.number("status", 0)
      head.string("library", queue.library)
      head.string("registry", try? queue.binding()?.registry)
      head.string("username", try? queue.binding()?.username)
      if let depth = try? queue.depth() { head.object("queue") { json in SyncText.depth(&json, depth) } }
    }
    let overtaken = try queue.overtaken()
    let library = TerminalText.shellQuoted(queue.library)
    // One row a line inside the array: nothing has to be kept.
    Terminal.print(head.result.dropLast() + ",\"operations\":[")
    var isFirst = true
    var lines = LineBuffer()
    try queue.forEach(all: all) { row in
      try Interruption.check()
      var json = JSONBuilder()
      json.object { json in
        json.string("id", row.id.description)
        json.string("state", code(row, overtaken))
        json.bool("refused", row.isFailed && row.wasRefused)
        json.string("operation", row.operation)
        json.string("content_id", row.contentID)
        json.string("title", row.title)
        json.string("created_at", row.createdAt)
        json.number("tries", row.retryCount)
        json.string("error", row.lastError)
        json.string("advice", overtaken.contains(row.id) ? nil : row.advice(in: library))
        json.string("next_retry_at", row.nextRetryAt)
        json.string("synced_at", row.syncedAt)
      }
      lines.add((isFirst ? "" : ",") + json.result)
      isFirst = false
    }
    lines.flush()
    Terminal.print("]}")
  }

  /// Says that something was changed.
  static func changed(
    _ what: String, library: String, count: Int, oldTitle: String? = nil, mayBePublicAs: String? = nil,
    output: OutputOptions, _ words: () -> String
  ) {
    if output.json {
      var json = JSONBuilder()
      json.object { json in
        json.string("command", "queue \(what)")
        json.number("status", 0)
        json.string("library", library)
        json.number("count", count)
        if let oldTitle { json.string("old_title", oldTitle) }
        if let mayBePublicAs { json.string("may_be_public_as", mayBePublicAs) }
      }
      Terminal.print(json.result)
    } else if !output.quiet {
      Terminal.say(words())
    }
  }
}
