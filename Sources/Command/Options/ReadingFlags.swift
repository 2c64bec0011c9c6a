import ArgumentParser
import FleetKit
import Foundation

/// The options for reading sources. Each kind of source has its own heading in the help.
///
/// Verbs use this group without a title, because a title would replace the titles of the groups in it.
struct ReadingFlags: ParsableArguments {
  @OptionGroup(title: "Notes in Markdown") var notes: NoteFlags

  @OptionGroup(title: "Tables") var table: TableFlags

  @OptionGroup(title: "Other apps") var apps: AppFlags

  /// The run's reading options.
  var options: ReadingOptions {
    var options = ReadingOptions()
    options.infer = ReadingOptions.Inference(rawValue: notes.infer) ?? .auto
    options.explains = notes.explain
    options.user = apps.user
    options.decks = apps.decks
    options.withTicks = notes.withTicks
    options.table = table.options
    return options
  }
}

/// The options for reading notes without a declared type.
struct NoteFlags: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      How to classify notes without a type: auto (default) recognizes a checklist or a deck if the evidence is \
      strong, never recognizes only task lists, always makes every list a checklist.
      """, valueName: "when"),
    completion: .list(ReadingOptions.Inference.allCases.map(\.rawValue)))
  var infer: String = ReadingOptions.Inference.auto.rawValue

  @Flag(name: .long, help: "Print how each note was classified, with the certainty and the reasons.")
  var explain = false

  @Flag(
    name: .long,
    help: "Make an execution from each note with ticks; all executions of a source belong to one charter.")
  var withTicks = false

  func validate() throws {
    guard ReadingOptions.Inference(rawValue: infer) != nil else {
      let words = ReadingOptions.Inference.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--infer must be \(words), not '\(infer)'.")
    }
  }
}

/// The options for reading other apps' exports.
struct AppFlags: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("The user whose data is read, if a source contains several users.", valueName: "id"))
  var user: String?

  @Flag(name: .long, help: "Also make flashcard decks from texts with a translation, one card per line (Haumana).")
  var decks = false
}

/// The option `--shape`, the meaning of a table's rows.
struct ShapeFlag: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      What each row is: a checklist step (steps), a card (cards), an item (catalogue), or a charter (charters). \
      'fleetkit formats --template steps.csv' writes a table to fill in.
      """, valueName: "shape"),
    completion: .list(TableShape.allCases.map(\.rawValue)))
  var shape: String?

  func validate() throws {
    guard let shape, TableShape(rawValue: shape) == nil else { return }
    let words = TableShape.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("--shape must be \(words), not '\(shape)'.")
  }
}

/// The options for reading tables with headers other than FleetKit's.
struct TableFlags: ParsableArguments {
  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp(
      "Map a header to a column, e.g. 'Шаг=item'; 'Price=' leaves the column out. May be repeated.",
      valueName: "header=column"))
  var map: [String] = []

  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp("Leave this column out. May be repeated.", valueName: "header"))
  var dropColumn: [String] = []

  @Flag(
    name: .long,
    help: "The first row is data, not a header. Map columns by number: --map 1=section --map 2=item.")
  var noHeader = false

  @Flag(name: .long, help: "Each column is a section, with its name in the first row and its steps' titles below.")
  var matrix = false

  @Option(
    name: .long,
    help: ArgumentHelp("The column that identifies rows without an id.", valueName: "header"))
  var key: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Read only this sheet of a workbook (default: every sheet with a header).", valueName: "name"))
  var sheet: String?

  @OptionGroup var shape: ShapeFlag

  @OptionGroup var delimiter: DelimiterFlag

  func validate() throws {
    if matrix, noHeader || !map.isEmpty || !dropColumn.isEmpty || key != nil {
      throw ValidationError(
        "--matrix cannot be used with --map, --drop-column, --no-header or --key.")
    }
    for pair in map where Self.split(pair) == nil {
      throw ValidationError("--map must be HEADER=COLUMN, not '\(pair)'.")
    }
  }

  /// The run's table options.
  var options: TableOptions {
    var options = TableOptions()
    options.map = map.compactMap(Self.split) + dropColumn.map { ($0, "") }
    options.noHeader = noHeader
    options.matrix = matrix
    options.key = key
    options.sheet = sheet
    options.shape = shape.shape
    options.delimiter = delimiter.byte
    return options
  }

  /// Splits at the last equals sign, because a header may contain an equals sign but a column name never does.
  private static func split(_ pair: String) -> (header: String, column: String)? {
    guard let sign = pair.utf8.lastIndex(of: UInt8(ascii: "=")), sign != pair.utf8.startIndex else { return nil }
    let column = pair.utf8[pair.utf8.index(after: sign)...]
    return (
      String(decoding: pair.utf8[..<sign], as: UTF8.self),
      String(decoding: column, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    )
  }
}

/// The option `--delimiter`, the separator of delimited text.
struct DelimiterFlag: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      The CSV separator: comma, semicolon, tab or bar, or the character itself. Applies to the target if it \
      is CSV, otherwise to the sources. In many countries Excel expects a semicolon.
      """, valueName: "delimiter"),
    completion: .list(Self.words.map(\.word)))
  var delimiter: String?

  private static let words: [(word: String, byte: UInt8)] = [
    ("comma", UInt8(ascii: ",")), ("semicolon", UInt8(ascii: ";")), ("tab", 0x09), ("bar", UInt8(ascii: "|")),
  ]

  /// The delimiter; nil if none is given.
  var byte: UInt8? {
    guard let delimiter else { return nil }
    if delimiter == "\\t" { return 0x09 }
    if let byte = delimiter.utf8.first, delimiter.utf8.count == 1 { return Self.words.first { $0.byte == byte }?.byte }
    return Self.words.first { $0.word.utf8.elementsEqual(delimiter.lowercased().utf8) }?.byte
  }

  func validate() throws {
    guard let delimiter, byte == nil else { return }
    throw ValidationError(
      "--delimiter must be comma, semicolon, tab or bar (or , ; \\t |), not '\(TerminalEscaping.escape(delimiter))'.")
  }
}

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
        .usage, "--with-ticks: no source is a note or text file", advice: "Other sources contain executions; remove it."
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
  static func apply(_ table: inout TableOptions, excel: Bool, target: Target, format: FormatID?) throws {
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
