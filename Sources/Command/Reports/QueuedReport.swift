import FleetKit

/// The report of `publish`, `update` and `unpublish`: what became of every selected item.
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
        if name == WithdrawalWords.operation { (here, there) = (visibility, "public until sync") }
      case .cancelled: (outcome, here, there) = ("cancelled", visibility, "never sent")
      case .skipped(let why, let text): (outcome, reason, words) = ("skipped", why.rawValue, text)
      case .refused: outcome = "refused"
      }
    }
  }

  /// What became of the items; less where there were none.
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

  /// A run on a library.
  init(_ report: EnqueueReport) {
    (command, status, library, dryRun) = (report.verb, report.status, report.library, report.isDryRun)
    (run, selected, outcome) = (.some(report.run), report.selected, Outcome(report))
    text = (report, nil)
  }

  /// A run that imported first.
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
        SummaryText.findings(summary.context.findings, verbose: output.verbose)
        SummaryText.tally(summary.tally)
        if let rejected = SummaryText.rejected(summary.tally, dryRun: dryRun, canRetry: true) { Terminal.say(rejected) }
      }
      // Those of a dry run are gone with the copy that it was made on.
      if !dryRun { for path in summary.rejectsPaths { Terminal.say(path) } }
    }
    if output.quiet { return }
    if let report = text.report { tell(report, output) } else { Terminal.say("There is nothing to publish.") }
  }

  private func tell(_ report: EnqueueReport, _ output: OutputOptions) {
    SummaryText.findings(Self.log(report), verbose: output.verbose)
    lines(report, output) { if case .queued = $0 { true } else { $0 == .cancelled } }
    // What did not change is the rule where changes are looked for; the total counts it.
    lines(report, output) {
      if case .skipped(let reason, _) = $0 { output.verbose || reason != .unchanged } else { false }
    }
    lines(report, output) { $0 == .refused }
    Terminal.say(Self.totals(report))
    let name = TerminalText.escape(report.library)
    if report.wasStopped {
      Terminal.say("Nothing was queued (--on-invalid stop).")
    } else if report.isDryRun {
      Terminal.say("Nothing was changed (--dry-run).")
    } else if report.queued > 0 {
      let registry = report.isBound ? "" : " --registry URL"
      Terminal.say("'fleetkit sync \(name)\(registry)' sends \(report.queued == 1 ? "it" : "them").")
    } else if report.cancelled == 0 {
      Terminal.say("Nothing was queued.")
    }
  }

  /// How many items of a kind are named unless everything is asked for.
  private static let named = 20

  private func lines(
    _ report: EnqueueReport, _ output: OutputOptions, _ takes: (EnqueueReport.Outcome) -> Bool
  ) {
    let entries = report.entries.filter { takes($0.outcome) }
    let shown = output.verbose ? entries[...] : entries.prefix(Self.named)
    for entry in shown { Self.say(entry, report) }
    if entries.count > shown.count { Terminal.say("  … and \(entries.count - shown.count) more (-v names them)") }
  }

  private static func say(_ entry: EnqueueReport.Entry, _ report: EnqueueReport) {
    let title = TerminalText.escape(entry.title)
    let slug = (entry.publicID ?? entry.slugStart.map { $0 + "…" }).map { " (\(TerminalText.escape($0)))" } ?? ""
    let renamed = entry.oldTitle.map { ", so far “\(TerminalText.escape($0))”" } ?? ""
    switch entry.outcome {
    case .queued(WithdrawalWords.operation):
      Terminal.say("unpublish: \(title)\(slug): \(WithdrawalWords.waits(dryRun: report.isDryRun))")
    case .queued(let operation): Terminal.say("\(operation.replacing("publish_", with: "")): \(title)\(slug)\(renamed)")
    case .cancelled: Terminal.say("cancelled: \(title)\(slug): \(WithdrawalWords.cancelled(dryRun: report.isDryRun))")
    case .skipped(_, let words): Terminal.say("skipped: \(title): \(TerminalText.escape(words))")
    case .refused: Terminal.say("refused: \(title): it breaks rules, see above")
    }
    if let note = entry.note { Terminal.say("  note: \(TerminalText.escape(note))") }
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
