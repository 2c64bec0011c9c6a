import FleetKit

/// What a run that brought records into a library has to say, for people and as JSON.
struct ImportText {
  /// The verb that ran.
  let verb: String
  /// The library.
  let into: String
  let dryRun: Bool
  let output: OutputOptions
  /// The file of rejects that was imported again; nil for other sources.
  var retried: String?
  /// What changes, in groups; nil when that is not said.
  var outline: PlanOutline?
  /// The file of the plan that was written, or that was applied.
  var plan: String?

  /// A run that had been interrupted after it had done everything.
  static func settled(_ id: Int64, into: String) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "import")
      json.number("status", 0)
      json.string("target", into)
      json.number("run", Int(clamping: id))
      json.bool("settled", true)
    }
    return json.result
  }

  func say(_ report: LibraryImport.Report, ids: NoteIDs? = nil) {
    let summary = report.summary
    if output.json {
      return Terminal.print(
        SummaryJSON.run(summary, verb: verb, target: into, dryRun: dryRun) { json in
          json.number("run", dryRun ? nil : Int(clamping: report.run))
          json.bool("created_library", report.isNew && !dryRun)
          json.number("merged", report.merged)
          json.string("conflicts", report.conflicts)
          json.string("replaced", report.replaced)
          if let originals = report.originals { json.string("originals", originals) }
          json.number("kept_beside", report.keptBeside)
          json.number("published_changed", report.publishedChanged)
          json.number("published_restored", report.publishedRestored)
          StepChangeText.json(report.stepChanges, &json)
          NoteIDFlag.json(ids, &json)
          if let plan { json.string("plan", plan) }
        })
    }
    ExplanationText.print(summary.context)
    if !output.quiet {
      SummaryText.findings(summary.context.findings, verbose: output.verbose)
      SummaryText.losses(summary.context.losses, verbose: output.verbose)
      if let outline { PlanText.say(outline, verbose: output.verbose) }
      SummaryText.tally(summary.tally)
      StepChangeText.say(report.stepChanges, verbose: output.verbose)
      if report.merged > 0 {
        Terminal.say(
          report.merged == 1
            ? "1 record was merged: it has what the library and the source changed."
            : "\(report.merged) records were merged: they have what the library and the source changed.")
      }
      if !output.verbose, let whole = summary.context.findings.kept.first(where: { $0.code == .takenWhole }) {
        Terminal.say(whole.message + ".")
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
      NoteIDFlag.say(ids)
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
      if let retried, !dryRun {
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
