import FleetKit

/// What a run that enqueued has to say, for people and as JSON.
struct EnqueueText {
  private let output: OutputOptions

  init(_ output: OutputOptions) { self.output = output }

  /// A run on a library.
  func say(_ report: EnqueueReport) {
    if output.json { return Terminal.print(Self.json(report)) }
    if !output.quiet { tell(report) }
  }

  /// A run that imported first.
  func say(_ report: SourcePublishing.Report, library: String, dryRun: Bool) {
    let summary = report.imported.summary
    if output.json { return Terminal.print(Self.json(report, library: library, dryRun: dryRun)) }
    if !output.quiet {
      SummaryText.findings(summary.context.findings, verbose: output.verbose)
      SummaryText.tally(summary.tally)
      if let rejected = SummaryText.rejected(summary.tally, dryRun: dryRun, canRetry: true) { Terminal.say(rejected) }
    }
    // Those of a dry run are gone with the copy that it was made on.
    if !dryRun { for path in summary.rejectsPaths { Terminal.say(path) } }
    if !output.quiet {
      if let enqueued = report.enqueued { tell(enqueued) } else { Terminal.say("There is nothing to publish.") }
    }
  }

  private func tell(_ report: EnqueueReport) {
    SummaryText.findings(Self.log(report), verbose: output.verbose)
    lines(report) { if case .queued = $0 { true } else { $0 == .cancelled } }
    // What did not change is the rule where changes are looked for; the total counts it.
    lines(report) {
      if case .skipped(let reason, _) = $0 { output.verbose || reason != .unchanged } else { false }
    }
    lines(report) { $0 == .refused }
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

  private func lines(_ report: EnqueueReport, _ takes: (EnqueueReport.Outcome) -> Bool) {
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

  private static func log(_ report: EnqueueReport) -> DiagnosticLog {
    let log = DiagnosticLog(keepPerCode: .max)
    for finding in report.findings { log.report(finding) }
    return log
  }

  // MARK: JSON

  static func json(_ report: EnqueueReport) -> String {
    var json = JSONBuilder()
    json.object { write(report, to: &$0) }
    return json.result
  }

  private static func json(_ report: SourcePublishing.Report, library: String, dryRun: Bool) -> String {
    let summary = report.imported.summary
    var json = JSONBuilder()
    json.object { json in
      if let enqueued = report.enqueued {
        write(enqueued, to: &json, status: report.status)
      } else {
        json.string("command", "publish")
        json.number("status", Int(report.status.rawValue))
        json.string("library", library)
        json.bool("dry_run", dryRun)
        json.number("selected", 0)
      }
      json.object("import") { json in
        json.number("run", dryRun ? nil : Int(clamping: report.imported.run))
        SummaryJSON.tally(&json, "total", summary.tally.total)
        SummaryJSON.findings(&json, summary.context.findings)
        json.string("rejects", dryRun ? nil : summary.rejectsPath)
      }
    }
    return json.result
  }

  private static func write(_ report: EnqueueReport, to json: inout JSONBuilder, status: ExitStatus? = nil) {
    json.string("command", report.verb)
    json.number("status", Int((status ?? report.status).rawValue))
    json.string("library", report.library)
    json.bool("dry_run", report.isDryRun)
    json.number("run", report.run.map { Int(clamping: $0) })
    json.number("selected", report.selected)
    json.number("queued", report.wasStopped ? 0 : report.queued)
    json.number("cancelled", report.cancelled)
    json.object("skipped") { json in
      for (reason, count) in report.reasons.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        json.number(reason.rawValue, count)
      }
    }
    json.number("refused", report.refused)
    json.bool("stopped", report.wasStopped)
    json.array("items") { json in
      for entry in report.entries { json.object { write(entry, to: &$0, dryRun: report.isDryRun) } }
    }
    SummaryJSON.findings(&json, log(report))
  }

  private static func write(_ entry: EnqueueReport.Entry, to json: inout JSONBuilder, dryRun: Bool) {
    json.string("id", entry.id)
    json.string("content_type", entry.contentType)
    json.string("title", entry.title)
    if let old = entry.oldTitle { json.string("old_title", old) }
    json.string("public_id", entry.publicID)
    if let start = entry.slugStart { json.string("public_id_start", start) }
    switch entry.outcome {
    case .queued(let operation):
      json.string("outcome", "queued")
      json.string("operation", operation)
      if operation == WithdrawalWords.operation {
        json.string("here", dryRun ? "public" : "private")
        json.string("there", "public until sync")
      }
    case .cancelled:
      json.string("outcome", "cancelled")
      json.string("here", dryRun ? "public" : "private")
      json.string("there", "never sent")
    case .skipped(let reason, let words):
      json.string("outcome", "skipped")
      json.string("reason", reason.rawValue)
      json.string("words", words)
    case .refused: json.string("outcome", "refused")
    }
    if let note = entry.note { json.string("note", note) }
  }
}
