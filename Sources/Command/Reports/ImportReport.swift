import FleetKit

/// The report of verbs that write records into a library: `import`, `apply`, `restore --into`.
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

  /// Values that only the text report needs.
  private struct Text {
    let verb, into: String
    let dryRun: Bool
    let report: LibraryImport.Report
    let ids: NoteIDs?
    /// The rejects file that was imported again; nil for other sources.
    let retried: String?
    /// The changes, in groups; nil if they are not reported.
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
    ExplanationRenderer.print(summary.context)
    if !output.quiet {
      // A file with rejects was not imported completely, so it counts as changed.
      let failed = Set(
        summary.context.findings.groups().lazy.filter { $0.kind.severity == .error }
          .flatMap { $0.kept.map(\.place.file) })
      SummaryRenderer.findings(summary.context.findings, verbose: output.verbose) {
        failed.contains($0) || !report.isKnown($0)
      }
      SummaryRenderer.losses(summary.context.losses, verbose: output.verbose)
      if let outline = text.outline { PlanRenderer.say(outline, verbose: output.verbose, isRestore: verb == "restore") }
      SummaryRenderer.tally(summary.tally)
      StepChangeRenderer.say(report.stepChanges, verbose: output.verbose, isOutlined: text.outline != nil)
      if report.merged > 0 {
        Terminal.say(
          report.merged == 1
            ? "1 record was merged: it has the changes of both the library and the source."
            : "\(report.merged) records were merged: they have the changes of both the library and the source.")
      }
      let leftOut = summary.context.findings.counts[.publicationLeftOut, default: 0]
      if leftOut > 0 {
        Terminal.say(
          leftOut == 1
            ? "1 record is published in its source; it was imported as private."
            : "\(leftOut) records are published in their source; they were imported as private.")
      }
      if report.keptBeside > 0 {
        let what = report.keptBeside == 1 ? "1 record" : "\(report.keptBeside) records"
        Terminal.say(
          "\(what) cannot be stored in the app's database: kept next to the library, not visible in the app.")
      }
      let time = Figures.duration(summary.seconds)
      let name = TerminalEscaping.escape(into)
      let total = summary.tally.total
      if dryRun {
        if let plan, verb == "import" {
          let file = TerminalEscaping.escape(plan)
          Terminal.say("Nothing was changed. The plan for \(name) was written to \(file), in \(time).")
          Terminal.say("To apply it, run 'fleetkit apply \(file)' before anything changes.")
        } else if verb == "apply" {
          Terminal.say("Nothing was changed (--dry-run); the plan is still valid for \(name), checked in \(time).")
        } else {
          Terminal.say("Nothing was changed (--dry-run); would have changed \(name), in \(time).")
        }
      } else if total.created + total.updated == 0, !report.isNew {
        Terminal.say(Self.unchanged(name, summary.tally) + ", in \(time).")
      } else {
        let privacy = report.publishedRestored == 0 ? " Nothing became public." : ""
        Terminal.say("\(report.isNew ? "Created" : "Changed") \(name) in \(time).\(privacy)")
        if let text = PublicationRenderer.restored(report.publishedRestored) { Terminal.say(text) }
        if report.publishedChanged > 0 {
          let what =
            report.publishedChanged == 1 ? "1 published item was" : "\(report.publishedChanged) published items were"
          Terminal.say(
            "\(what) changed. The published copies stay unchanged until you run 'fleetkit update \(name) --changed' "
              + "and 'fleetkit sync', or the app sends them.")
        }
      }
      if let proof = summary.proof { Terminal.say(ProofRenderer.importLine(proof)) }
      NoteIDFlag.say(text.ids)
      if let replaced = report.replaced {
        Terminal.say("The overwritten versions are kept in \(TerminalEscaping.escape(replaced))")
      }
      if let originals = report.originals {
        Terminal.say("The original damaged texts are kept in \(TerminalEscaping.escape(originals))")
      }
      if let lost = SummaryRenderer.partsLost(summary) { Terminal.say(lost) }
      if let conflicts = report.conflicts {
        Terminal.say("The conflicts are listed with both versions in \(TerminalEscaping.escape(conflicts))")
      }
      if let retried = text.retried, !dryRun {
        let rows = summary.tally.rows
        let (left, all) = rows.isEmpty ? (total.rejected, total.read) : (rows.rejected, rows.read)
        let name = TerminalEscaping.escape(retried)
        Terminal.say(
          left == 0
            ? "Everything in \(name) was imported; you can delete the file."
            : "Of \(name), \(all - left) \(all - left == 1 ? "was" : "were") imported and "
              + "\(left) remain\(left == 1 ? "s" : "")."
        )
      }
      if let rejected = SummaryRenderer.rejected(summary.tally, dryRun: dryRun, canRetry: true) {
        Terminal.say(rejected)
      }
    }
    for path in summary.rejectsPaths { Terminal.say(path) }
  }

  /// Returns why a library was not changed.
  private static func unchanged(_ name: String, _ tally: Tally) -> String {
    let total = tally.total
    if total.read + tally.rows.read == 0 { return "Nothing to import; \(name) was not changed" }
    let hasAll = total.unchanged == total.read && tally.rows.rejected == 0
    return hasAll ? "\(name) is already up to date" : "\(name) was not changed"
  }
}

/// The report of `import --resume` for a run that had finished its work before it was interrupted.
struct NothingToResumeReport: Report {
  let command = "import"
  let status = ExitStatus.success
  let target: String
  let run: Int64
  let settled = true

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    Terminal.say(
      "\(TerminalEscaping.escape(target)) is already up to date with run \(run); the run is now marked as done.")
  }
}
