import ArgumentParser
import FleetKit

/// `fleetkit sync`.
struct SyncVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send the operations in a library's queue to a registry, each exactly once.",
    discussion: """
      Operations are sent in the order in which they were queued: items in parallel, the operations of one item in \
      sequence. Every payload is checked again before it is sent. A run can be killed at any time; the next one \
      continues where it stopped. Being offline does not count as an attempt. Operations that the registry permanently \
      refuses are not retried until you ask for it.

      A library belongs to the registry and account that it was first sent to; 'fleetkit queue rebind' changes \
      that. Sign in with 'fleetkit login', or pass a token in FLEETKIT_TOKEN or --token-file together with --registry.

      EXAMPLES
        fleetkit sync anyfleet.sqlite --registry https://sail.example.org
        fleetkit sync anyfleet.sqlite                 send to its registry
        fleetkit sync anyfleet.sqlite --dry-run       show what would be sent
        fleetkit sync anyfleet.sqlite --retry-failed  also retry failed operations
        fleetkit sync anyfleet.sqlite --watch --metrics fleetkit.prom
            keep running

      EXIT STATUS
        0    everything was sent
        3    some operations failed
        4    the library belongs to another registry or account
        7    another sync is running
        69   the registry cannot be reached
        77   sign in first
        130  interrupted; the rest stays in the queue
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @OptionGroup(title: "Registry") var registry: RegistryOptions

  @Flag(name: .long, help: "Also retry failed operations.")
  var retryFailed = false

  @Flag(name: .long, help: "Do not wait for operations that would be retried in a few seconds.")
  var noWait = false

  @Flag(name: .long, help: "Keep running and send new operations until interrupted.")
  var watch = false

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("With --watch: how often to check the queue (default: 30).", valueName: "seconds"))
  var interval: Double?

  @Option(
    name: .long,
    help: ArgumentHelp("Write counts and times to a file in Prometheus' text format.", valueName: "file"),
    completion: .file())
  var metrics: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("The number of parallel requests.", valueName: "number"))
  var workers = 4

  @Flag(name: .long, help: "Show what would be sent; do not contact the registry, change nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    guard (1...64).contains(workers) else { throw ValidationError("--workers must be 1 to 64, not \(workers).") }
    if let interval, !(0.1...86_400).contains(interval) {
      throw ValidationError("--interval must be 0.1 to 86400 seconds, not \(interval).")
    }
    if interval != nil, !watch { throw ValidationError("--interval requires --watch.") }
    if watch, dryRun { throw ValidationError("--watch cannot be used with --dry-run.") }
    if dryRun, metrics != nil { throw ValidationError("--metrics cannot be used with --dry-run, which sends nothing.") }
  }

  func run() throws {
    if dryRun {
      let rehearsal = try SyncRehearsal.of(library, registry.connectionIfKnown(for: library))
      let report = SyncRehearsalReport(rehearsal, library: library)
      try output.print(report)
      throw ExitCode(report.status.rawValue)
    }
    var sync = LibrarySync(library, try registry.connection(for: library))
    sync.options.workers = workers
    sync.options.retriesFailed = retryFailed
    if noWait {
      sync.options.patience = 0
      sync.options.longestPause = 0
    }
    sync.metricsFile = metrics
    let steps = output.quiet ? nil : Progress("Sending").steps
    if let steps { sync.onProgress = { steps("Sending, \($0) of \($1)", $0, $1) } }
    if watch {
      let interval = interval ?? 30
      var totals = SyncTotals(library)
      if !output.quiet, !output.json {
        let seconds = interval == interval.rounded() ? "\(Int(interval))" : "\(interval)"
        Terminal.report(
          TerminalEscaping.escape(
            "Watching the queue of \(library) and sending to \(sync.connection.address); checking every "
              + "\(seconds) s. Press Ctrl-C to stop; unsent operations stay in the queue."))
      }
      let report = try sync.watch(interval: interval) { report, figures in
        Progress.clear()
        totals.add(report)
        try output.print(SyncSummary(report, library: library, metrics: figures))
      }
      Progress.clear()
      totals.finish(report)
      try output.print(totals)
      if report.end == .interrupted, Interruption.isTermination, report.isBalanced { return }
      throw ExitCode(report.status.rawValue)
    }
    let (report, figures) = try sync.run()
    Progress.clear()
    try output.print(SyncSummary(report, library: library, metrics: figures))
    throw ExitCode(report.status.rawValue)
  }
}

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
      report.failures.printList("failed", count: report.failed, output)
      report.notes.printList("sent with a note", count: report.notes.count, output)
      report.waiting.printList("waiting", count: report.liveAfter, output)
      Terminal.report(summary(report))
      if let why = ending(report) { Terminal.report(why) }
      if !report.isBalanced {
        Terminal.report(
          "The counts do not add up: \(report.liveBefore) + \(report.added) rows before, \(report.sentCount) sent, "
            + "\(report.failed) failed, \(report.cancelled) cancelled, \(report.gone) gone, \(report.liveAfter) left. "
            + "Please report this bug.")
      }
    } else if let why = ending(report) {
      Terminal.report(why)
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
    failures.printList("would fail", count: wouldFail, output)
    let count = wouldSend.values.reduce(0, +)
    let whereTo = rehearsal.binding.map { " to \($0.registry) as \($0.username)" } ?? ""
    Terminal.report(TerminalEscaping.escape("\(count) would be sent\(whereTo); nothing was sent (--dry-run)."))
    if let registry = rehearsal.registry, !rehearsal.isSignedIn {
      Terminal.report(
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
    Terminal.report("\(words); \(waiting == 0 ? "queue empty" : "\(waiting) waiting").")
  }
}

extension [SyncReport.Operation] {
  /// The number of operations that are listed without --verbose.
  private static var shown: Int { 10 }

  fileprivate func printList(_ what: String, count: Int, _ output: OutputOptions) {
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
    for line in lines { Terminal.report(line) }
  }
}
