import ArgumentParser
import FleetKit

/// What `convert` and `export` do alike: run, then report in words or JSON.
enum Transfer {
  static func run(
    verb: String, doing: String, paths: [String], sources: SourceOptions, reading: ReadingOptions = ReadingOptions(),
    noteIDs: NoteIDFlag? = nil, transfer: TransferOptions, selectors: SelectorOptions, output: OutputOptions,
    only format: String? = nil
  ) throws {
    let list = try SourceList(paths, format: sources.fromFormat)
    if let format, let other = list.entries.first(where: { $0.format.descriptor.name != format }) {
      throw RunFailure(
        .usage, "\(verb) '\(other.source.path)': it is no library (\(other.format.descriptor.title))",
        advice: "Use 'fleetkit convert' for other formats.")
    }
    var conversion = Conversion(sources: list, target: transfer.target)
    conversion.targetFormat = transfer.toFormat
    conversion.selection = selectors.selection
    conversion.onProgress = output.quiet ? nil : Progress(doing).callback
    var reading = reading
    try TableFit.settle(
      &reading.table, excel: transfer.excel, target: transfer.target, format: transfer.toFormat)
    try TableFit.check(reading.table, list)
    reading.collectsIDs = noteIDs?.writeIDs ?? false
    conversion.proves = transfer.prove
    let summary = try ProofText.reporting(verb: verb, target: transfer.to, output: output) {
      try conversion.run(context: transfer.run.context(reading))
    }
    Progress.clear()
    let ids = try noteIDs?.write(summary.context, dryRun: transfer.run.dryRun)
    report(summary, verb: verb, to: transfer.to, dryRun: transfer.run.dryRun, ids: ids, output: output)
    throw ExitCode(summary.status.rawValue)
  }

  /// Says what became of a run.
  static func report(
    _ summary: RunSummary, verb: String, to name: String, dryRun: Bool, ids: NoteIDs? = nil, output: OutputOptions
  ) {
    if output.json {
      let text = SummaryJSON.run(summary, verb: verb, target: name, dryRun: dryRun) { NoteIDFlag.json(ids, &$0) }
      // Standard output belongs to the data when it is the target.
      if name == "-" { Terminal.say(text) } else { Terminal.print(text) }
      return
    }
    ExplanationText.print(summary.context)
    if !output.quiet {
      SummaryText.findings(summary.context.findings, verbose: output.verbose)
      SummaryText.losses(summary.context.losses, verbose: output.verbose)
      SummaryText.tally(summary.tally)
      let target = name == "-" ? "standard output" : name
      let time = Figures.duration(summary.seconds)
      let notes = summary.notes.map { " \($0) note\($0 == 1 ? "" : "s")," } ?? ""
      let total = summary.tally.total
      let isUpToDate = summary.notes != nil && total.created + total.updated == 0 && name != "-"
      Terminal.say(
        dryRun
          ? "Nothing was written (--dry-run); it would have been \(target), after \(time)."
          : (isUpToDate ? "Nothing to change in " : "Wrote ")
            + "\(TerminalText.escape(target)),\(notes) \(Figures.bytes(summary.bytesWritten)), in \(time).")
      if let proof = summary.proof { Terminal.say(ProofText.line(proof)) }
      NoteIDFlag.say(ids)
      if let lost = SummaryText.partsLost(summary) { Terminal.say(lost) }
      if let rejected = SummaryText.rejected(summary.tally, dryRun: dryRun) { Terminal.say(rejected) }
    }
    for path in summary.rejectsPaths { Terminal.say(path) }
  }
}
