import ArgumentParser
import FleetKit

/// What `convert` and `export` do alike: run, then report in words or JSON.
enum Transfer {
  static func run(
    verb: String, doing: String, paths: [String], sources: SourceOptions, reading: ReadingOptions = ReadingOptions(),
    noteIDs: NoteIDFlag? = nil, transfer: TransferOptions, selectors: SelectorOptions, output: OutputOptions,
    only source: FormatID? = nil
  ) throws {
    let list = try SourceList(paths, format: sources.fromFormat)
    if let source, let other = list.entries.first(where: { $0.format.descriptor.id != source }) {
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
    let format = try FormatRegistry.standard.format(of: transfer.target, as: transfer.toFormat).descriptor
    try TableFit.check(reading, list, target: format.options)
    try TableFit.check(transfer.upload, target: format)
    let upload = try transfer.upload.upload(user: reading.user)
    reading.collectsIDs = noteIDs?.writeIDs ?? false
    conversion.proves = transfer.prove
    let context = transfer.run.context(reading)
    let summary = try ProofText.reporting(verb: verb, target: transfer.to, output: output) {
      do {
        return try conversion.run(context: context)
      } catch let failure as RunFailure where failure.status == .refused {
        // The reason may be that all records were rejected: the findings say why.
        Progress.clear()
        if !output.quiet, context.findings.worst ?? .note > .note {
          SummaryText.findings(context.findings, verbose: output.verbose)
        }
        throw failure
      }
    }
    Progress.clear()
    let ids = try noteIDs?.write(summary.context, dryRun: transfer.run.dryRun)
    let sent = transfer.run.dryRun ? nil : try upload?.send(transfer.to)
    Progress.clear()
    try TransferReport(
      summary, command: verb, target: transfer.to, dryRun: transfer.run.dryRun, ids: ids, sent: sent
    ).print(output)
    if let failure = sent?.failure { throw failure }
    throw ExitCode(summary.status.rawValue)
  }
}
