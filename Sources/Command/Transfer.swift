import ArgumentParser
import FleetKit

/// The work shared by `convert` and `export`: the run, and its report as text or JSON.
enum Transfer {
  static func run(
    verb: String, doing: String, paths: [String], sources: SourceOptions, reading: ReadingOptions = ReadingOptions(),
    noteIDs: NoteIDFlag? = nil, transfer: TransferOptions, selectors: SelectorOptions, output: OutputOptions,
    only source: FormatID? = nil
  ) throws {
    let list = try SourceList(paths, format: sources.fromFormat)
    if let source, let other = list.entries.first(where: { $0.format.descriptor.id != source }) {
      throw RunFailure(
        .usage, "\(verb) '\(other.source.path)': not a library (\(other.format.descriptor.title))",
        advice: "For other formats use 'fleetkit convert'.")
    }
    var conversion = Conversion(sources: list, target: transfer.target)
    conversion.targetFormat = transfer.toFormat
    conversion.selection = selectors.selection
    conversion.onProgress = output.quiet ? nil : Progress(doing).callback
    var reading = reading
    try TableOptionValidation.apply(
      &reading.table, excel: transfer.excel, target: transfer.target, format: transfer.toFormat)
    let format = try FormatRegistry.standard.format(of: transfer.target, as: transfer.toFormat).descriptor
    try TableOptionValidation.check(reading, list, target: format.options)
    try TableOptionValidation.check(transfer.upload, target: format)
    let upload = try transfer.upload.upload(user: reading.user)
    reading.collectsIDs = noteIDs?.writeIDs ?? false
    conversion.proves = transfer.prove
    let context = transfer.run.context(reading)
    let summary = try ProofRenderer.reporting(verb: verb, target: transfer.to, output: output) {
      do {
        return try conversion.run(context: context)
      } catch let failure as RunFailure where failure.status == .refused {
        // If all records were rejected, the findings give the reasons.
        Progress.clear()
        if !output.quiet, context.findings.worst ?? .note > .note {
          SummaryRenderer.findings(context.findings, verbose: output.verbose)
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
