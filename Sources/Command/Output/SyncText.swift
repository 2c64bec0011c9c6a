import FleetKit

/// What a sync did, for people and as JSON.
struct SyncText {
  let library: String
  let output: OutputOptions

  /// How many operations are listed without --verbose.
  private static let shown = 10

  // MARK: For people

  func say(_ report: SyncReport) {
    if !output.quiet {
      for failure in list(report.failures, count: report.failed, "given up") { Terminal.say(failure) }
      for note in list(report.notes, count: report.notes.count, "sent with a note") { Terminal.say(note) }
      for wait in list(report.waiting, count: report.liveAfter, "waiting") { Terminal.say(wait) }
      Terminal.say(summary(report))
      if let why = ending(report) { Terminal.say(why) }
      if !report.isBalanced {
        Terminal.say(
          "The figures do not add up: \(report.liveBefore) + \(report.added) rows before, \(report.sentCount) sent, "
            + "\(report.failed) failed, \(report.cancelled) cancelled, \(report.gone) gone, \(report.liveAfter) left. "
            + "Please report it.")
      }
    } else if let why = ending(report) {
      Terminal.say(why)
    }
  }

  private func list(_ operations: [SyncReport.Operation], count: Int, _ what: String) -> [String] {
    guard !operations.isEmpty else { return [] }
    let shown = output.verbose ? operations : Array(operations.prefix(Self.shown))
    var lines = ["\(count) \(what):"]
    for operation in shown {
      let title = operation.title.map { "“\($0)”" } ?? operation.contentID
      var line = "  \(operation.id)  \(operation.operation)  \(title)"
      if let reason = operation.reason { line += ": \(reason)" }
      if let advice = operation.advice { line += (line.hasSuffix(".") ? " " : ". ") + advice }
      lines.append(TerminalText.escape(line))
    }
    if count > shown.count {
      let rest = "  … and \(count - shown.count) more"
      lines.append(rest + (shown.count < operations.count ? " (-v shows them)" : ""))
    }
    return lines
  }

  private func summary(_ report: SyncReport) -> String {
    let who = report.binding.map { " to \($0.registry) as \($0.username)" } ?? ""
    if report.liveBefore == 0, report.added == 0, report.end == nil {
      let failed = report.depth.failed
      return "Nothing waits to be sent"
        + (failed > 0
          ? TerminalText.escape("; \(failed) given up earlier: 'fleetkit queue \(library)' says why, ")
            + "--retry-failed tries again." : ".")
    }
    var parts = ["\(report.sentCount) sent" + TerminalText.escape(who)]
    let kinds = [("publish", "published"), ("publish_update", "updated"), ("unpublish", "unpublished")]
    let detail = kinds.compactMap { name, word in report.sent[name].map { "\($0) \(word)" } }
    if !detail.isEmpty { parts[0] += " (\(detail.joined(separator: ", ")))" }
    if report.failed > 0 { parts.append("\(report.failed) failed") }
    if report.cancelled > 0 { parts.append("\(report.cancelled) cancelled") }
    if report.gone > 0 { parts.append("\(report.gone) gone") }
    if report.liveAfter > 0 { parts.append("\(report.liveAfter) waiting") }
    return parts.joined(separator: " · ") + ", in \(Figures.duration(report.seconds))"
  }

  /// What begins, and how it ends.
  func watching(_ address: RegistryAddress, every seconds: Double) {
    if output.quiet || output.json { return }
    let interval = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    Terminal.say(
      TerminalText.escape(
        "Sending to \(address) whatever comes into the queue of \(library), with a look every \(interval) s. Ctrl-C "
          + "ends it; what waits then stays in the queue."))
  }

  /// What all runs came to.
  /// - Parameter report: the last run.
  func ended(_ totals: SyncTotals, _ report: SyncReport) {
    if output.json { return Terminal.print(json(totals, report)) }
    if output.quiet { return }
    var words = "In all: \(totals.sent) sent"
    if totals.failed > 0 { words += ", \(totals.failed) given up" }
    if totals.cancelled > 0 { words += ", \(totals.cancelled) cancelled" }
    Terminal.say("\(words); \(totals.waiting == 0 ? "nothing waits" : "\(totals.waiting) waiting").")
  }

  private func ending(_ report: SyncReport) -> String? {
    // What a registry says may end with a full stop of its own.
    let why = TerminalText.escape(report.endReason.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } ?? "")
    return switch report.end {
    case nil: nil
    case .unreachable: "The registry cannot be reached: \(why). Nothing is lost; run it again later."
    case .insecure: "The registry was not asked: \(why). Nothing is lost."
    case .failing: "The registry gives no answer of use: \(why). Nothing is lost; run it again later."
    case .paused: "The registry wants to be left alone: \(why). Run it again later."
    case .signIn:
      "Sign in first ('fleetkit login --registry \(TerminalText.escape(report.registry ?? "URL"))'): \(why). "
        + "Everything waits in the queue."
    case .interrupted: "Interrupted; the rest waits in the queue."
    }
  }

  func say(_ rehearsal: SyncRehearsal) {
    for line in list(rehearsal.refusals, count: rehearsal.refused, "would be given up") { Terminal.say(line) }
    let count = rehearsal.sendable.values.reduce(0, +)
    let whereTo = rehearsal.binding.map { " to \($0.registry) as \($0.username)" } ?? ""
    Terminal.say(TerminalText.escape("\(count) would be sent\(whereTo); nothing was."))
    if let registry = rehearsal.registry, !rehearsal.isSignedIn {
      Terminal.say(
        TerminalText.escape("Nobody is signed in there: 'fleetkit login --registry \(registry)' comes first."))
    }
  }

  // MARK: JSON

  func json(_ report: SyncReport, _ metrics: SyncMetrics) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "sync")
      json.number("status", Int(report.status.rawValue))
      json.string("library", library)
      json.string("registry", report.binding?.registry ?? report.registry)
      json.string("username", report.binding?.username)
      json.number("live_before", report.liveBefore)
      json.number("added", report.added)
      json.object("sent") { json in
        for (name, count) in report.sent.sorted(by: { $0.key < $1.key }) { json.number(name, count) }
      }
      json.number("failed", report.failed)
      json.number("cancelled", report.cancelled)
      json.number("gone", report.gone)
      json.number("live_after", report.liveAfter)
      json.bool("balanced", report.isBalanced)
      json.number("retried", report.retried)
      json.string("end", report.end?.rawValue)
      json.string("reason", report.endReason)
      operations(&json, "failures", report.failures)
      operations(&json, "notes", report.notes)
      operations(&json, "waiting", report.waiting)
      json.object("queue") { json in Self.depth(&json, report.depth) }
      json.number("seconds", report.seconds)
      json.object("metrics") { json in self.metrics(&json, metrics.figures) }
    }
    return json.result
  }

  /// What all runs of a sync that keeps watching came to.
  private func json(_ totals: SyncTotals, _ report: SyncReport) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "sync")
      json.bool("totals", true)
      json.number("status", Int(report.status.rawValue))
      json.string("library", library)
      json.string("registry", report.binding?.registry ?? report.registry)
      json.number("rounds", totals.rounds)
      json.number("sent", totals.sent)
      json.number("failed", totals.failed)
      json.number("cancelled", totals.cancelled)
      json.number("waiting", totals.waiting)
      json.string("end", report.end?.rawValue)
    }
    return json.result
  }

  func json(_ rehearsal: SyncRehearsal) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "sync")
      json.bool("dry_run", true)
      json.number("status", rehearsal.refused > 0 ? 3 : 0)
      json.string("library", library)
      json.string("registry", rehearsal.binding?.registry ?? rehearsal.registry)
      json.object("would_send") { json in
        for (name, count) in rehearsal.sendable.sorted(by: { $0.key < $1.key }) { json.number(name, count) }
      }
      json.number("would_fail", rehearsal.refused)
      operations(&json, "failures", rehearsal.refusals)
      json.object("queue") { json in Self.depth(&json, rehearsal.depth) }
    }
    return json.result
  }

  /// How much waits, as members of an object.
  static func depth(_ json: inout JSONBuilder, _ depth: QueueDepth) {
    json.number("waiting", depth.waiting)
    json.number("retrying", depth.retrying)
    json.number("failed", depth.failed)
    json.string("oldest", depth.oldest?.iso8601)
  }

  private func operations(_ json: inout JSONBuilder, _ name: String, _ operations: [SyncReport.Operation]) {
    json.array(name) { json in
      for operation in operations {
        json.object { json in
          json.string("id", operation.id)
          json.string("operation", operation.operation)
          json.string("content_id", operation.contentID)
          json.string("title", operation.title)
          json.string("code", operation.code)
          json.string("reason", operation.reason)
          json.string("advice", operation.advice)
        }
      }
    }
  }

  private func metrics(_ json: inout JSONBuilder, _ figures: SyncMetrics.Figures) {
    func counts(_ name: String, _ counts: [String: Int], _ json: inout JSONBuilder) {
      json.object(name) { json in
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { json.number(name, count) }
      }
    }
    counts("attempts", figures.attempts, &json)
    counts("successes", figures.successes, &json)
    counts("failures", figures.failures, &json)
    counts("published", figures.published, &json)
    json.number("requests", figures.requests)
    json.object("request_seconds") { json in
      json.number("sum", figures.seconds)
      for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        if let value = figures.quantile(share) { json.number(name, value) }
      }
    }
  }
}
