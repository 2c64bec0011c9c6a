import ArgumentParser
import FleetKit

/// Refuses format-specific flags if no source or target has that format: a user who gives such a flag relies on it.
enum TableOptionValidation {
  /// Checks the reading flags against the options of the sources and the target.
  /// - Throws: `RunFailure` with status 64.
  static func check(
    _ reading: ReadingOptions, _ sources: SourceList, target: Set<FormatDescriptor.Option> = []
  ) throws {
    let table = reading.table
    let options = sources.entries.map(\.format.descriptor.options)
    // Sources that were not found are reported elsewhere.
    if options.isEmpty { return }
    if let sheet = table.sheet, !options.contains(where: { $0.contains(.sheet) }) {
      throw RunFailure(
        .usage, "--sheet '\(TerminalEscaping.escape(sheet))': no source is a workbook",
        advice: "A CSV file has no sheets; remove --sheet.")
    }
    for (flag, option, isGiven) in [
      ("--user", FormatDescriptor.Option.user, reading.user != nil), ("--decks", .decks, reading.decks),
    ] where isGiven && !(options + [target]).contains(where: { $0.contains(option) }) {
      throw RunFailure(
        .usage, "\(flag): no source or target uses this flag",
        advice: "It applies to Haumana's exports, tables and stores only; remove it.")
    }
    if reading.withTicks, !options.contains(where: { $0.contains(.ticks) }) {
      throw RunFailure(
        .usage, "--with-ticks: no source is a note or a text", advice: "Other sources contain executions; remove it."
      )
    }
    if table.delimiter != nil, !options.contains(where: { $0.contains(.delimiter) }) {
      throw RunFailure(
        .usage, "--delimiter: no source or target is CSV or TSV", advice: "Remove it.")
    }
  }

  /// Refuses DynamoDB options if the target has another format.
  /// - Throws: `RunFailure` with status 64.
  static func check(_ upload: UploadFlags, target: FormatDescriptor) throws {
    guard let option = upload.given, !target.options.contains(.upload) else { return }
    throw RunFailure(
      .usage, "\(option): the target is not a folder of DynamoDB requests",
      advice: "Add --to-format haumana-dynamodb, or remove the option.")
  }

  /// Checks the table-writing flags against the target, and applies `--delimiter` to the target or to the sources.
  /// - Throws: `RunFailure` with status 64.
  static func settle(_ table: inout TableOptions, excel: Bool, target: Target, format: FormatID?) throws {
    let options = try FormatRegistry.standard.format(of: target, as: format).descriptor.options
    if excel, !options.contains(.excel) {
      throw RunFailure(
        .usage, "--excel: '\(TerminalEscaping.escape(target.path))' is not a CSV or TSV file",
        advice: "--excel is for files that end in .csv or .tsv; Excel opens workbooks without this flag.")
    }
    table.excel = excel
    if options.contains(.delimiter) { (table.writtenDelimiter, table.delimiter) = (table.delimiter, nil) }
  }
}
