import FleetKit

/// The report of verbs that bring records into a library: `import`, `apply`, `restore --into`.
struct ImportReport: Report {
  private struct Outcome: Encodable {
    let run: Int64?
    let createdLibrary: Bool
    let merged: Int
    let conflicts, replaced: String?
    @IfPresent var originals: String?
    let keptBeside, publishedChanged, publishedRestored: Int

    init(_ report: LibraryImport.Report, dryRun: Bool) {
      (run, createdLibrary) = (dryRun ? nil : report.run, report.isNew && !dryRun)
      (merged, conflicts, replaced) = (report.merged, report.conflicts, report.replaced)
      (originals, keptBeside) = (report.originals, report.keptBeside)
      (publishedChanged, publishedRestored) = (report.publishedChanged, report.publishedRestored)
    }
  }

  @Inlined private var head: RunReportHead
  @Inlined private var outcome: Outcome
  @Inlined private var stepChanges: StepChangesReport
  @Inlined private var ids: NoteIDsReport?
  /// The file of the plan that was written, or that was applied.
  @IfPresent private var plan: String?
  @TextOnly private var text: Text

  /// What only the text needs.
  private struct Text {
    let verb, into: String
    let dryRun: Bool
    let report: LibraryImport.Report
    let ids: NoteIDs?
    /// The file of rejects that was imported again; nil for other sources.
    let retried: String?
    /// What changes, in groups; nil when that is not reported.
    let outline: PlanOutline?
  }

  init(
    _ report: LibraryImport.Report, verb: String, into: String, dryRun: Bool, ids: NoteIDs? = nil,
    retried: String? = nil, outline: PlanOutline? = nil, plan: String? = nil
  ) {
    head = RunReportHead(report.summary, command: verb, target: into, dryRun: dryRun)
    outcome = Outcome(report, dryRun: dryRun)
    stepChanges = StepChangesReport(report.stepChanges)
    self.ids = ids.map(NoteIDsReport.init)
    self.plan = plan
    text = Text(
      verb: verb, into: into, dryRun: dryRun, report: report, ids: ids, retried: retried, outline: outline)
  }

  func render(_ output: OutputOptions) {
    let (verb, into, dryRun, report) = (text.verb, text.into, text.dryRun, text.report)
    let summary = report.summary
    ExplanationText.print(summary.context)
    if !output.quiet {
      // A file of which something is rejected is not as it was taken.
      let failed = Set(
        summary.context.findings.groups().lazy.filter { $0.kind.severity == .error }
          .flatMap { $0.kept.map(\.place.file) })
      SummaryText.findings(summary.context.findings, verbose: output.verbose) {
        failed.contains($0) || !report.isKnown($0)
      }
      SummaryText.losses(summary.context.losses, verbose: output.verbose)
      if let outline = text.outline { PlanText.say(outline, verbose: output.verbose, isRestore: verb == "restore") }
      SummaryText.tally(summary.tally)
      StepChangeText.say(report.stepChanges, verbose: output.verbose, isOutlined: text.outline != nil)
      if report.merged > 0 {
        Terminal.say(
          report.merged == 1
            ? "1 record was merged: it has what the library and the source changed."
            : "\(report.merged) records were merged: they have what the library and the source changed.")
      }
      let leftOut = summary.context.findings.counts[.publicationLeftOut, default: 0]
      if leftOut > 0 {
        Terminal.say(
          leftOut == 1
            ? "1 record was published where it comes from; here it is private."
            : "\(leftOut) records were published where they come from; here they are private.")
      }
      if report.keptBeside > 0 {
        let what = report.keptBeside == 1 ? "1 record of a kind" : "\(report.keptBeside) records of kinds"
        Terminal.say("\(what) that the app has no table for: kept beside the library, where the app cannot see it.")
      }
      let time = Figures.duration(summary.seconds)
      let name = TerminalText.escape(into)
      let total = summary.tally.total
      if dryRun {
        if let plan, verb == "import" {
          let file = TerminalText.escape(plan)
          Terminal.say("Nothing was changed; the plan for \(name) is \(file), made in \(time).")
          Terminal.say("'fleetkit apply \(file)' does exactly that, as long as nothing changes until then.")
        } else if verb == "apply" {
          Terminal.say("Nothing was changed (--dry-run); the plan still holds for \(name), as was seen in \(time).")
        } else {
          Terminal.say("Nothing was changed (--dry-run); it would have been \(name), after \(time).")
        }
      } else if total.created + total.updated == 0, !report.isNew {
        Terminal.say(Self.unchanged(name, summary.tally) + ", in \(time).")
      } else {
        let privacy = report.publishedRestored == 0 ? " Nothing in it became public." : ""
        Terminal.say("\(report.isNew ? "Made" : "Changed") \(name) in \(time).\(privacy)")
        if let text = PublicationText.restored(report.publishedRestored) { Terminal.say(text) }
        if report.publishedChanged > 0 {
          let what =
            report.publishedChanged == 1 ? "1 published item was" : "\(report.publishedChanged) published items were"
          Terminal.say(
            "\(what) changed: others see the old text until 'fleetkit update \(name) --changed' and 'fleetkit sync' "
              + "have sent the new one, or the app has.")
        }
      }
      if let proof = summary.proof { Terminal.say(ProofText.importLine(proof)) }
      NoteIDFlag.say(text.ids)
      if let replaced = report.replaced {
        Terminal.say("What was written over is kept in \(TerminalText.escape(replaced))")
      }
      if let originals = report.originals {
        Terminal.say("The original damaged texts are kept in \(TerminalText.escape(originals))")
      }
      if let lost = SummaryText.partsLost(summary) { Terminal.say(lost) }
      if let conflicts = report.conflicts {
        Terminal.say("Both sides of each conflict are side by side in \(TerminalText.escape(conflicts))")
      }
      if let retried = text.retried, !dryRun {
        let rows = summary.tally.rows
        let (left, all) = rows.isEmpty ? (total.rejected, total.read) : (rows.rejected, rows.read)
        let name = TerminalText.escape(retried)
        Terminal.say(
          left == 0
            ? "All of \(name) is done; the file can be deleted."
            : "Of \(name), \(all - left) \(all - left == 1 ? "is" : "are") done and \(left) remain\(left == 1 ? "s" : "")."
        )
      }
      if let rejected = SummaryText.rejected(summary.tally, dryRun: dryRun, canRetry: true) { Terminal.say(rejected) }
    }
    for path in summary.rejectsPaths { Terminal.say(path) }
  }

  /// Why a library is as it was before.
  private static func unchanged(_ name: String, _ tally: Tally) -> String {
    let total = tally.total
    if total.read + tally.rows.read == 0 { return "There was nothing to import; \(name) was not changed" }
    let hasAll = total.unchanged == total.read && tally.rows.rejected == 0
    return hasAll ? "\(name) has all of it already" : "\(name) was not changed"
  }
}

/// The report of `import --resume` for a run that had done everything before it was interrupted.
struct SettledReport: Report {
  let command = "import"
  let status = ExitStatus.success
  let target: String
  let run: Int64
  let settled = true

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    Terminal.say("\(TerminalText.escape(target)) has all of run \(run) already; now that is noted, too.")
  }
}
