import ArgumentParser
import FleetKit

/// Refuses flags of single formats where there is no source or target of them: a user who gives one counts on it.
enum TableFit {
  /// Checks the flags of reading against the options of the sources and of the target.
  /// - Throws: `RunFailure` with status 64.
  static func check(
    _ reading: ReadingOptions, _ sources: SourceList, target: Set<FormatDescriptor.Option> = []
  ) throws {
    let table = reading.table
    let options = sources.entries.map(\.format.descriptor.options)
    // What could not be found is reported as such.
    if options.isEmpty { return }
    if let sheet = table.sheet, !options.contains(where: { $0.contains(.sheet) }) {
      throw RunFailure(
        .usage, "--sheet '\(TerminalText.escape(sheet))': none of the sources is a workbook",
        advice: "A CSV is one table and has no sheets; leave --sheet out.")
    }
    for (flag, option, isGiven) in [
      ("--user", FormatDescriptor.Option.user, reading.user != nil), ("--decks", .decks, reading.decks),
    ] where isGiven && !(options + [target]).contains(where: { $0.contains(option) }) {
      throw RunFailure(
        .usage, "\(flag): neither a source nor the target is of an app that it is meant for",
        advice: "It is for Haumana's exports, tables and stores; leave it out.")
    }
    if reading.withTicks, !options.contains(where: { $0.contains(.ticks) }) {
      throw RunFailure(
        .usage, "--with-ticks: no source is a note or a text", advice: "Other sources contain executions; leave it out."
      )
    }
    if table.delimiter != nil, !options.contains(where: { $0.contains(.delimiter) }) {
      throw RunFailure(
        .usage, "--delimiter: nothing here is delimited text", advice: "It is for CSV and TSV; leave it out.")
    }
  }

  /// Refuses options for requests to DynamoDB where the target is of another format.
  /// - Throws: `RunFailure` with status 64.
  static func check(_ upload: UploadFlags, target: FormatDescriptor) throws {
    guard let option = upload.given, !target.options.contains(.upload) else { return }
    throw RunFailure(
      .usage, "\(option): the target is not a folder of requests for DynamoDB",
      advice: "Add --to-format haumana-dynamodb, or leave it out.")
  }

  /// Holds what was said of writing tables against the target, and decides which side `--delimiter` is meant for.
  /// - Throws: `RunFailure` with status 64.
  static func settle(_ table: inout TableOptions, excel: Bool, target: Target, format: FormatID?) throws {
    let options = try FormatRegistry.standard.format(of: target, as: format).descriptor.options
    if excel, !options.contains(.excel) {
      throw RunFailure(
        .usage, "--excel: '\(TerminalText.escape(target.path))' is no CSV",
        advice: "Excel opens a workbook as it is; --excel is for tables that end in .csv or .tsv.")
    }
    table.excel = excel
    if options.contains(.delimiter) { (table.writtenDelimiter, table.delimiter) = (table.delimiter, nil) }
  }
}
