import ArgumentParser
import FleetKit

/// `fleetkit sync`.
struct SyncVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send what waits in a library's queue to a registry; lose nothing, send nothing twice.",
    discussion: """
      Operations go out in the order in which they were queued, items in parallel, one item's operations one after the \
      other. Every payload is checked again just before it is sent. A run may be killed at any moment: the next one \
      takes up what it left. Being offline uses up no tries; what the registry refuses for good is not tried again \
      until you say so.

      A library belongs to the registry and the account that it was first sent to; 'fleetkit queue rebind' changes \
      that. Sign in with 'fleetkit login', or give a token in FLEETKIT_TOKEN or --token-file together with --registry.

      EXAMPLES
        fleetkit sync anyfleet.sqlite --registry https://sail.example.org
        fleetkit sync anyfleet.sqlite                 the registry that it belongs to
        fleetkit sync anyfleet.sqlite --dry-run       what would be sent
        fleetkit sync anyfleet.sqlite --retry-failed  what was given up, again
        fleetkit sync anyfleet.sqlite --watch --metrics fleetkit.prom
            keep going

      EXIT STATUS
        0    all was sent
        3    some failed
        4    the library belongs to another registry or account
        7    another sync is at work
        69   the registry cannot be reached
        77   sign in first
        130  interrupted; the rest waits in the queue
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @OptionGroup(title: "Registry") var registry: RegistryOptions

  @Flag(name: .long, help: "Try again what was given up.")
  var retryFailed = false

  @Flag(name: .long, help: "Do not wait for operations that are to be tried again in a few seconds.")
  var noWait = false

  @Flag(name: .long, help: "Keep going: send whatever comes into the queue until the command is stopped.")
  var watch = false

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("With --watch: how long to wait between two looks; 30 unless said.", valueName: "seconds"))
  var interval: Double?

  @Option(
    name: .long,
    help: ArgumentHelp("Write counts and times into a file, in Prometheus' text form.", valueName: "file"),
    completion: .file())
  var metrics: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("How many requests are under way at once.", valueName: "number"))
  var workers = 4

  @Flag(name: .long, help: "Say what would be sent; ask nobody and change nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    guard (1...64).contains(workers) else { throw ValidationError("--workers takes 1 to 64, not \(workers).") }
    if let interval, !(0.1...86_400).contains(interval) {
      throw ValidationError("--interval is a number of seconds from 0.1 to 86400, not \(interval).")
    }
    if interval != nil, !watch { throw ValidationError("--interval belongs to --watch: say both, or neither.") }
    if watch, dryRun { throw ValidationError("--watch sends, --dry-run does not: say one of them.") }
    if dryRun, metrics != nil { throw ValidationError("--metrics is about what was sent; --dry-run sends nothing.") }
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
          TerminalText.escape(
            "Sending to \(sync.connection.address) whatever comes into the queue of \(library), with a look every "
              + "\(seconds) s. Ctrl-C ends it; what waits then stays in the queue."))
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
