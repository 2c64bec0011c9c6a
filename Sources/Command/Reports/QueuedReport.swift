import FleetKit

/// The report of `publish`, `update` and `unpublish`, with the outcome of every selected item.
struct QueuedReport: Report {
  private struct Item: Encodable {
    let id, contentType, title: String
    @IfPresent var oldTitle: String?
    let publicID: String?
    @IfPresent var publicIDStart: String?
    let outcome: String
    @IfPresent var operation: String?
    @IfPresent var here: String?
    @IfPresent var there: String?
    @IfPresent var reason: String?
    @IfPresent var words: String?
    @IfPresent var note: String?

    init(_ entry: EnqueueReport.Entry, isDryRun: Bool) {
      (id, contentType, title) = (entry.id, entry.contentType, entry.title)
      (oldTitle, publicID, publicIDStart, note) = (entry.oldTitle, entry.publicID, entry.slugStart, entry.note)
      let visibility = isDryRun ? "public" : "private"
      switch entry.outcome {
      case .queued(let name):
        (outcome, operation) = ("queued", name)
        if name == WithdrawalMessages.operation { (here, there) = (visibility, "public until sync") }
      case .cancelled: (outcome, here, there) = ("cancelled", visibility, "never sent")
      case .skipped(let why, let text): (outcome, reason, words) = ("skipped", why.rawValue, text)
      case .refused: outcome = "refused"
      }
    }
  }

  /// The outcome of the items, with fewer members if there were no items.
  private struct Outcome: Encodable {
    let queued, cancelled: Int
    let skipped: Members<Int>
    let refused: Int
    let stopped: Bool
    let items: [Item]
    let findings: FindingsReport

    init(_ report: EnqueueReport) {
      (queued, cancelled) = (report.wasStopped ? 0 : report.queued, report.cancelled)
      skipped = Members(report.reasons) { $0.rawValue }
      (refused, stopped) = (report.refused, report.wasStopped)
      items = report.entries.map { Item($0, isDryRun: report.isDryRun) }
      findings = FindingsReport(QueuedReport.log(report))
    }
  }

  private struct Import: Encodable {
    let run: Int64?
    let total: TallyReport
    let findings: FindingsReport
    let rejects: String?
  }

  private let command: String
  private let status: ExitStatus
  private let library: String
  private let dryRun: Bool
  @IfPresent private var run: Int64??
  private let selected: Int
  @Inlined private var outcome: Outcome?
  @IfPresent private var `import`: Import?
  @TextOnly private var text: (report: EnqueueReport?, summary: RunSummary?)

  /// Makes the report of a run on a library.
  init(_ report: EnqueueReport) {
    (command, status, library, dryRun) = (report.verb, report.status, report.library, report.isDryRun)
    (run, selected, outcome) = (.some(report.run), report.selected, Outcome(report))
    text = (report, nil)
  }

  /// Makes the report of a run that imported first.
  init(_ report: SourcePublishing.Report, library: String, isDryRun: Bool) {
    (command, status, self.library, dryRun) = ("publish", report.status, library, isDryRun)
    run = report.enqueued.map(\.run)
    (selected, outcome) = (report.enqueued?.selected ?? 0, report.enqueued.map(Outcome.init))
    let summary = report.imported.summary
    self.import = Import(
      run: isDryRun ? nil : report.imported.run, total: TallyReport(summary.tally.total),
      findings: FindingsReport(summary.context.findings), rejects: isDryRun ? nil : summary.rejectsPath)
    text = (report.enqueued, summary)
  }

  func render(_ output: OutputOptions) {
    if let summary = text.summary {
      if !output.quiet {
        SummaryRenderer.findings(summary.context.findings, verbose: output.verbose)
        SummaryRenderer.tally(summary.tally)
        if let rejected = SummaryRenderer.rejected(summary.tally, dryRun: dryRun, canRetry: true) {
          Terminal.report(rejected)
        }
      }
      // A dry run's rejects were deleted with its temporary copy.
      if !dryRun { for path in summary.rejectsPaths { Terminal.report(path) } }
    }
    if output.quiet { return }
    if let report = text.report { tell(report, output) } else { Terminal.report("Nothing to publish.") }
  }

  private func tell(_ report: EnqueueReport, _ output: OutputOptions) {
    SummaryRenderer.findings(Self.log(report), verbose: output.verbose)
    lines(report, output) { if case .queued = $0 { true } else { $0 == .cancelled } }
    // With --changed, most items are unchanged. Unchanged items are only counted.
    lines(report, output) {
      if case .skipped(let reason, _) = $0 { output.verbose || reason != .unchanged } else { false }
    }
    lines(report, output) { $0 == .refused }
    Terminal.report(Self.totals(report))
    let name = TerminalEscaping.escape(report.library)
    if report.wasStopped {
      Terminal.report("Nothing was queued (--on-invalid stop).")
    } else if report.isDryRun {
      Terminal.report("Nothing was changed (--dry-run).")
    } else if report.queued > 0 {
      let registry = report.isBound ? "" : " --registry URL"
      Terminal.report("To send \(report.queued == 1 ? "it" : "them"), run 'fleetkit sync \(name)\(registry)'.")
    } else if report.cancelled == 0 {
      Terminal.report("Nothing was queued.")
    }
  }

  /// The number of items of a kind that are named without -v.
  private static let named = 20

  private func lines(
    _ report: EnqueueReport, _ output: OutputOptions, _ matches: (EnqueueReport.Outcome) -> Bool
  ) {
    let entries = report.entries.filter { matches($0.outcome) }
    let shown = output.verbose ? entries[...] : entries.prefix(Self.named)
    for entry in shown { Self.printEntry(entry, report) }
    if entries.count > shown.count { Terminal.report("  … and \(entries.count - shown.count) more (-v names them)") }
  }

  private static func printEntry(_ entry: EnqueueReport.Entry, _ report: EnqueueReport) {
    let title = TerminalEscaping.escape(entry.title)
    let slug = (entry.publicID ?? entry.slugStart.map { $0 + "…" }).map { " (\(TerminalEscaping.escape($0)))" } ?? ""
    let renamed = entry.oldTitle.map { ", previously “\(TerminalEscaping.escape($0))”" } ?? ""
    switch entry.outcome {
    case .queued(WithdrawalMessages.operation):
      Terminal.report("unpublish: \(title)\(slug): \(WithdrawalMessages.waits(dryRun: report.isDryRun))")
    case .queued(let operation):
      Terminal.report("\(operation.replacing("publish_", with: "")): \(title)\(slug)\(renamed)")
    case .cancelled:
      Terminal.report("cancelled: \(title)\(slug): \(WithdrawalMessages.cancelled(dryRun: report.isDryRun))")
    case .skipped(_, let words): Terminal.report("skipped: \(title): \(TerminalEscaping.escape(words))")
    case .refused: Terminal.report("refused: \(title): it breaks the rules listed above")
    }
    if let note = entry.note { Terminal.report("  note: \(TerminalEscaping.escape(note))") }
  }

  private static func totals(_ report: EnqueueReport) -> String {
    var parts = ["\(report.queued) queued"]
    if report.cancelled > 0 { parts.append("\(report.cancelled) cancelled") }
    if report.skipped > 0 {
      let reasons = report.reasons.sorted { $0.key.rawValue < $1.key.rawValue }
      let why = reasons.map { reasons.count == 1 ? $0.key.rawValue : "\($0.value) \($0.key.rawValue)" }
      parts.append("\(report.skipped) skipped (\(why.joined(separator: ", ")))")
    }
    if report.refused > 0 { parts.append("\(report.refused) refused") }
    return "\(report.selected) selected: " + parts.joined(separator: ", ")
  }

  fileprivate static func log(_ report: EnqueueReport) -> DiagnosticLog {
    let log = DiagnosticLog(keepPerCode: .max)
    for finding in report.findings { log.report(finding) }
    return log
  }
}

/// Messages about withdrawals, which take effect locally right away and at the registry later.
enum WithdrawalMessages {
  /// The operation's name in the queue.
  static let operation = "unpublish"

  /// Returns the message for a withdrawal that waits to be sent.
  static func waits(dryRun: Bool) -> String {
    "\(dryRun ? "it would be" : "it is") private here \(dryRun ? "immediately" : "now"); others can see it until "
      + "'fleetkit sync' sends the withdrawal"
  }

  /// Returns the message for a publication that was never sent.
  static func cancelled(dryRun: Bool) -> String {
    dryRun
      ? "it was never sent; it would be removed from the queue and become private immediately"
      : "it was never sent, so there is nothing to withdraw; it was removed from the queue and is private again"
  }
}
