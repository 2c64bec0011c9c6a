import ArgumentParser
import FleetKit

/// What `convert` and `export` do alike: run, then report in words or JSON.
enum Transfer {
  static func run(
    verb: String, doing: String, paths: [String], sources: SourceOptions, reading: ReadingOptions = ReadingOptions(),
    noteIDs: NoteIDFlag? = nil, transfer: TransferOptions, selectors: SelectorOptions, output: OutputOptions,
    only format: FormatID? = nil
  ) throws {
    let list = try SourceList(paths, format: sources.fromFormat)
    if let format, let other = list.entries.first(where: { $0.format.descriptor.id != format }) {
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
    try TableFit.check(
      reading, list,
      target: FormatRegistry.standard.format(of: transfer.target, as: transfer.toFormat).descriptor.options)
    reading.collectsIDs = noteIDs?.writeIDs ?? false
    conversion.proves = transfer.prove
    let summary = try ProofText.reporting(verb: verb, target: transfer.to, output: output) {
      try conversion.run(context: transfer.run.context(reading))
    }
    Progress.clear()
    let ids = try noteIDs?.write(summary.context, dryRun: transfer.run.dryRun)
    try TransferReport(summary, command: verb, target: transfer.to, dryRun: transfer.run.dryRun, ids: ids).print(output)
    throw ExitCode(summary.status.rawValue)
  }
}
