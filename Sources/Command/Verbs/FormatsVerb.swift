import ArgumentParser
import FleetKit

/// `fleetkit formats`.
struct FormatsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "List the formats with what each keeps and loses, or write a table to fill in.",
    discussion: """
      EXAMPLES
        fleetkit formats                            what there is
        fleetkit formats --template steps.xlsx      a workbook for checklists, one row a step, with an example
        fleetkit formats --template cards.csv       a table for flashcards
      """)

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Write a table with an example to fill in: steps, cards or catalogue, as .csv, .tsv or .xlsx.",
      valueName: "file"),
    completion: .file())
  var template: String?

  @OptionGroup var shape: ShapeFlag

  @Flag(name: .long, help: "Write the template for Excel: with a byte order mark.")
  var excel = false

  @OptionGroup var delimiter: DelimiterFlag

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if template == nil, excel || delimiter.delimiter != nil || shape.shape != nil {
      throw ValidationError("--shape, --excel and --delimiter say how a template is written: name one with --template.")
    }
  }

  func run() throws {
    if let template {
      try TemplateFile(template, shape: shape.shape.flatMap(TableShape.init(rawValue:))).write(
        isForExcel: excel, delimiter: delimiter.byte)
      if !output.quiet {
        Terminal.say(
          "Wrote \(TerminalText.escape(template)). Put your own rows in place of the example, then: "
            + "fleetkit import \(TerminalText.escape(template)) --into LIBRARY")
      }
      return
    }
    let all = FormatRegistry.standard.formats.map(\.descriptor)
    if output.json {
      var json = JSONBuilder()
      json.array { json in for format in all { write(format, to: &json) } }
      return Terminal.print(json.result)
    }
    for format in all {
      let directions = [format.reads ? "reads" : nil, format.writes ? "writes" : nil].compactMap { $0 }
      Terminal.print("\(format.name)  \(format.title) (\(directions.joined(separator: ", ")))")
      let folders = format.takesFolders ? ", and folders of them" : ""
      Terminal.print("    files   \(format.extensions.map { "." + $0 }.joined(separator: " "))\(folders)")
      Terminal.print("    keeps   \(format.loses.isEmpty ? "everything" : words(format.keeps))")
      if !format.loses.isEmpty { Terminal.print("    loses   \(words(format.loses))") }
      Terminal.print("")
    }
  }

  private func words(_ features: Set<Feature>) -> String {
    Feature.allCases.filter(features.contains).map(\.rawValue).joined(separator: ", ")
  }

  private func write(_ format: FormatDescriptor, to json: inout JSONBuilder) {
    json.object { json in
      json.string("name", format.name)
      json.string("title", format.title)
      json.string("media_type", format.mediaType)
      json.bool("reads", format.reads)
      json.bool("writes", format.writes)
      json.bool("takes_folders", format.takesFolders)
      json.array("extensions") { json in for word in format.extensions { json.string(nil, word) } }
      json.array("keeps") { json in
        for feature in Feature.allCases where format.keeps.contains(feature) { json.string(nil, feature.rawValue) }
      }
      json.array("loses") { json in
        for feature in Feature.allCases where format.loses.contains(feature) { json.string(nil, feature.rawValue) }
      }
    }
  }
}
