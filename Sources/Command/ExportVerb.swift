import ArgumentParser
import FleetKit

/// `fleetkit export`.
struct ExportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a library's content to a file or to a vault of notes.",
    discussion: """
      Works like convert, with a library as the source. The library is never changed, even if the app's \
      journal is next to it.

      EXAMPLES
        fleetkit export anyfleet.sqlite --to everything.jsonl
        fleetkit export anyfleet.sqlite --type checklist --tag emergency \\
            --to emergency.json
        fleetkit export anyfleet.sqlite --to vault/
        fleetkit export anyfleet.sqlite --to - --to-format markdown

      The third example writes a vault of Markdown notes, or updates an existing one. The fourth prints all notes in \
      sequence, for reading and for 'git diff'.
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @OptionGroup var transfer: TransferOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Sources") var source: SourceOptions
  @Option(
    name: .long,
    help: ArgumentHelp("The user for rows without a user, in requests for Haumana's tables.", valueName: "id"))
  var user: String?

  @OptionGroup(title: "Tables") var shape: ShapeFlag
  @OptionGroup(title: "Tables") var delimiter: DelimiterFlag
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    var reading = ReadingOptions()
    reading.table.shape = shape.shape
    reading.table.delimiter = delimiter.byte
    reading.user = user
    try Transfer.run(
      verb: "export", doing: "Exporting", paths: [library], sources: source, reading: reading, transfer: transfer,
      selectors: selectors, output: output, only: .library)
  }
}
