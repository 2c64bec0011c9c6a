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
        Terminal.say(
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
