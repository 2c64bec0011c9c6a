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
          json.string("replaced", report.replaced)
          json.number("kept_beside", report.keptBeside)
          json.number("published_changed", report.publishedChanged)
          json.number("published_restored", report.publishedRestored)
          StepChangeText.json(report.stepChanges, &json)
          NoteIDFlag.json(ids, &json)
        })
    }
    ExplanationText.print(summary.context)
    if !output.quiet {
      SummaryText.findings(summary.context.findings, verbose: output.verbose)
      SummaryText.losses(summary.context.losses, verbose: output.verbose)
      SummaryText.tally(summary.tally)
      StepChangeText.say(report.stepChanges, verbose: output.verbose)
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
        Terminal.say("Nothing was changed (--dry-run); it would have been \(name), after \(time).")
      } else if total.created + total.updated == 0, !report.isNew {
        Terminal.say(
          total.unchanged == total.read
            ? "\(name) has all of it already, in \(time)." : "\(name) was not changed, in \(time).")
      } else {
        let privacy = report.publishedRestored == 0 ? " Nothing in it became public." : ""
        Terminal.say("\(report.isNew ? "Made" : "Changed") \(name) in \(time).\(privacy)")
        if let text = PublicationText.restored(report.publishedRestored) { Terminal.say(text) }
        if report.publishedChanged > 0 {
          let what =
            report.publishedChanged == 1 ? "1 published item was" : "\(report.publishedChanged) published items were"
          Terminal.say("\(what) changed: others see the old text until the app publishes the change.")
        }
      }
      NoteIDFlag.say(ids)
      if let replaced = report.replaced {
        Terminal.say("What was written over is kept in \(TerminalText.escape(replaced))")
      }
      if let retried, !dryRun {
        let rows = summary.tally.rows
        let (left, all) = rows.isEmpty ? (total.rejected, total.read) : (rows.rejected, rows.read)
        let name = TerminalText.escape(retried)
        Terminal.say(
          left == 0 ? "Nothing remains of \(name)." : "Of \(name), \(all - left) are done and \(left) remain.")
      }
      if let rejected = SummaryText.rejected(summary.tally, dryRun: dryRun, canRetry: true) { Terminal.say(rejected) }
    }
    for path in summary.rejectsPaths { Terminal.say(path) }
  }
}
