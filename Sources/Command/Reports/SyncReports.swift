import FleetKit

/// The report of `sync`. With `--watch`, there is one report for each run.
struct SyncSummary: Report {
  struct RequestSeconds: Encodable {
    let sum: Double
    @IfPresent var p50: Double?
    @IfPresent var p90: Double?
    @IfPresent var p99: Double?
  }

  struct Metrics: Encodable {
    let attempts, successes, failures, published: [String: Int]
    let requests: Int
    let requestSeconds: RequestSeconds

    init(_ figures: SyncMetrics.Figures) {
      (attempts, successes, failures) = (figures.attempts, figures.successes, figures.failures)
      (published, requests) = (figures.published, figures.requests)
      requestSeconds = RequestSeconds(
        sum: figures.seconds, p50: figures.quantile(0.5), p90: figures.quantile(0.9), p99: figures.quantile(0.99))
    }
  }

  let command = "sync"
  let status: ExitStatus
  let library: String
  let registry, username: String?
  let liveBefore, added: Int
  let sent: [String: Int]
  let failed, cancelled, gone, liveAfter: Int
  let balanced: Bool
  let retried: Int
  let end: SyncReport.End?
  let reason: String?
  let failures, notes, waiting: [SyncReport.Operation]
  let queue: QueueDepth
  let seconds: Double
  let metrics: Metrics
  @TextOnly var report: SyncReport

  init(_ report: SyncReport, library: String, metrics: SyncMetrics) {
    (status, self.library) = (report.status, library)
    (registry, username) = (report.binding?.registry ?? report.registry, report.binding?.username)
    (liveBefore, added, sent, failed) = (report.liveBefore, report.added, report.sent, report.failed)
    (cancelled, gone, liveAfter, balanced) = (report.cancelled, report.gone, report.liveAfter, report.isBalanced)
    (retried, end, reason) = (report.retried, report.end, report.endReason)
    (failures, notes, waiting) = (report.failures, report.notes, report.waiting)
    (queue, seconds, self.metrics) = (report.depth, report.seconds, Metrics(metrics.figures))
    self.report = report
  }

  func render(_ output: OutputOptions) {
    if !output.quiet {
      report.failures.say("failed", count: report.failed, output)
      report.notes.say("sent with a note", count: report.notes.count, output)
      report.waiting.say("waiting", count: report.liveAfter, output)
      Terminal.say(summary(report))
      if let why = ending(report) { Terminal.say(why) }
      if !report.isBalanced {
        Terminal.say(
          "The counts do not add up: \(report.liveBefore) + \(report.added) rows before, \(report.sentCount) sent, "
            + "\(report.failed) failed, \(report.cancelled) cancelled, \(report.gone) gone, \(report.liveAfter) left. "
            + "Please report this bug.")
      }
    } else if let why = ending(report) {
      Terminal.say(why)
    }
  }

  private func summary(_ report: SyncReport) -> String {
    let who = report.binding.map { " to \($0.registry) as \($0.username)" } ?? ""
    if report.liveBefore == 0, report.added == 0, report.end == nil {
      let failed = report.depth.failed
      return "Nothing to send"
        + (failed > 0
          ? TerminalEscaping.escape("; \(failed) failed earlier (see 'fleetkit queue \(library)'; ")
            + "--retry-failed retries them)." : ".")
    }
    var parts = ["\(report.sentCount) sent" + TerminalEscaping.escape(who)]
    let kinds = [("publish", "published"), ("publish_update", "updated"), ("unpublish", "unpublished")]
    let detail = kinds.compactMap { name, word in report.sent[name].map { "\($0) \(word)" } }
    if !detail.isEmpty { parts[0] += " (\(detail.joined(separator: ", ")))" }
    if report.failed > 0 { parts.append("\(report.failed) failed") }
    if report.cancelled > 0 { parts.append("\(report.cancelled) cancelled") }
    if report.gone > 0 { parts.append("\(report.gone) gone") }
    if report.liveAfter > 0 { parts.append("\(report.liveAfter) waiting") }
    return parts.joined(separator: " · ") + ", in \(Figures.duration(report.seconds))"
  }

  private func ending(_ report: SyncReport) -> String? {
    // The registry's text may end with a full stop.
    let why = TerminalEscaping.escape(report.endReason.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } ?? "")
    return switch report.end {
    case nil: nil
    case .unreachable: "Cannot reach the registry: \(why). Nothing is lost; try again later."
    case .insecure: "The registry was not contacted: \(why). Nothing is lost."
    case .failing: "Cannot understand the registry's response: \(why). Nothing is lost; try again later."
    case .paused: "The registry is rate limiting: \(why). Try again later."
    case .signIn:
      "Sign in first ('fleetkit login --registry \(TerminalEscaping.escape(report.registry ?? "URL"))'): \(why). "
        + "Everything stays in the queue."
    case .interrupted: "Interrupted; the rest stays in the queue."
    }
  }
}

/// The report of `sync --dry-run`.
struct SyncRehearsalReport: Report {
  let command = "sync"
  let dryRun = true
  let status: ExitStatus
  let library: String
  let registry: String?
  let wouldSend: [String: Int]
  let wouldFail: Int
  let failures: [SyncReport.Operation]
  let queue: QueueDepth
  @TextOnly var rehearsal: SyncRehearsal

  init(_ rehearsal: SyncRehearsal, library: String) {
    (status, self.library) = (rehearsal.refused > 0 ? .partial : .success, library)
    (registry, wouldSend) = (rehearsal.binding?.registry ?? rehearsal.registry, rehearsal.sendable)
    (wouldFail, failures, queue) = (rehearsal.refused, rehearsal.refusals, rehearsal.depth)
    self.rehearsal = rehearsal
  }

  func render(_ output: OutputOptions) {
    failures.say("would fail", count: wouldFail, output)
    let count = wouldSend.values.reduce(0, +)
    let whereTo = rehearsal.binding.map { " to \($0.registry) as \($0.username)" } ?? ""
    Terminal.say(TerminalEscaping.escape("\(count) would be sent\(whereTo); nothing was sent (--dry-run)."))
    if let registry = rehearsal.registry, !rehearsal.isSignedIn {
      Terminal.say(
        TerminalEscaping.escape("Not signed in there; first run 'fleetkit login --registry \(registry)'."))
    }
  }
}

/// The last report of `sync --watch`, with the totals of its runs.
struct SyncTotals: Report {
  private let command = "sync"
  private let totals = true
  private var status = ExitStatus.success
  private let library: String
  private var registry: String?
  /// The number of runs that did something or had something to report.
  private var rounds = 0
  private var sent = 0
  /// The number of operations that failed.
  private var failed = 0
  /// The number of operations that were removed because later ones do the same or undo them.
  private var cancelled = 0
  /// The number of operations that waited after the last run.
  private var waiting = 0
  private var end: SyncReport.End?

  init(_ library: String) { self.library = library }

  /// Adds a run.
  mutating func add(_ report: SyncReport) {
    rounds += 1
    sent += report.sentCount
    failed += report.failed
    cancelled += report.cancelled
    waiting = report.liveAfter
  }

  /// Sets the values of the last run.
  mutating func finish(_ report: SyncReport) {
    (status, end) = (report.status, report.end)
    registry = report.binding?.registry ?? report.registry
  }

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    var words = "Total: \(sent) sent"
    if failed > 0 { words += ", \(failed) failed" }
    if cancelled > 0 { words += ", \(cancelled) cancelled" }
    Terminal.say("\(words); \(waiting == 0 ? "queue empty" : "\(waiting) waiting").")
  }
}

extension [SyncReport.Operation] {
  /// The number of operations that are listed without --verbose.
  private static var shown: Int { 10 }

  fileprivate func say(_ what: String, count: Int, _ output: OutputOptions) {
    guard !isEmpty else { return }
    let shown = output.verbose ? self : Array(prefix(Self.shown))
    var lines = ["\(count) \(what):"]
    for operation in shown {
      let title = operation.title.map { "“\($0)”" } ?? operation.contentID
      var line = "  \(operation.id)  \(operation.operation)  \(title)"
      if let reason = operation.reason { line += ": \(reason)" }
      if let advice = operation.advice { line += (line.hasSuffix(".") ? " " : ". ") + advice }
      lines.append(TerminalEscaping.escape(line))
    }
    if count > shown.count {
      let rest = "  … and \(count - shown.count) more"
      lines.append(rest + (shown.count < self.count ? " (-v shows them)" : ""))
    }
    for line in lines { Terminal.say(line) }
  }
}
