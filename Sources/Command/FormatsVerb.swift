import ArgumentParser
import FleetKit

/// `fleetkit formats`.
struct FormatsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "List the formats and what each keeps and loses, or write a table to fill in.",
    discussion: """
      EXAMPLES
        fleetkit formats                        list the formats
        fleetkit formats --template steps.xlsx
            a workbook for checklists, one row per step, with an example
        fleetkit formats --template cards.csv   a table for flashcards
      """)

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Write a table with an example to fill in: steps, cards or catalogue, as .csv, .tsv or .xlsx.",
      valueName: "file"),
    completion: .file())
  var template: String?

  @OptionGroup var shape: ShapeFlag

  @Flag(name: .long, help: "Write the template for Excel, with a byte order mark.")
  var excel = false

  @OptionGroup var delimiter: DelimiterFlag

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if template == nil, excel || delimiter.delimiter != nil || shape.shape != nil {
      throw ValidationError("--shape, --excel and --delimiter require --template.")
    }
  }

  func run() throws {
    if let template {
      try TemplateFile(template, shape: shape.shape.flatMap(TableShape.init(rawValue:))).write(
        isForExcel: excel, delimiter: delimiter.byte)
      if !output.quiet {
        Terminal.report(
          "Wrote \(TerminalEscaping.escape(template)). Replace the example with your own rows, then run: "
            + "fleetkit import \(TerminalEscaping.escape(template)) --into LIBRARY")
      }
      return
    }
    try output.print(FormatsReport(FormatRegistry.standard.formats.map(\.descriptor)))
  }
}

/// The report of `formats`: an array.
private struct FormatsReport: Report {
  private struct Format: Encodable {
    let name, title, mediaType: String
    let reads, writes, fills, takesFolders: Bool
    let extensions, keeps, loses: [String]

    init(_ format: FormatDescriptor) {
      (name, title, mediaType) = (format.name, format.title, format.mediaType)
      (reads, writes, fills, takesFolders) = (format.reads, format.writes, format.fills, format.takesFolders)
      extensions = format.extensions
      keeps = Feature.allCases.filter(format.keeps.contains).map(\.rawValue)
      loses = Feature.allCases.filter(format.loses.contains).map(\.rawValue)
    }
  }

  private let formats: [Format]

  init(_ formats: [FormatDescriptor]) { self.formats = formats.map(Format.init) }

  func encode(to encoder: any Encoder) throws { try formats.encode(to: encoder) }

  func render(_ output: OutputOptions) {
    for format in formats {
      let directions = [(format.reads, "reads"), (format.writes, "writes"), (format.fills, "fills")].filter(\.0).map(
        \.1)
      Terminal.print("\(format.name)  \(format.title) (\(directions.joined(separator: ", ")))")
      let folders = format.takesFolders ? ", and folders of them" : ""
      Terminal.print("    files   \(format.extensions.map { "." + $0 }.joined(separator: " "))\(folders)")
      Terminal.print("    keeps   \(format.loses.isEmpty ? "everything" : format.keeps.joined(separator: ", "))")
      if !format.loses.isEmpty { Terminal.print("    loses   \(format.loses.joined(separator: ", "))") }
      Terminal.print("")
    }
  }
}
