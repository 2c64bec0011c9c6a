import ArgumentParser
import FleetKit

/// `fleetkit convert`.
struct ConvertVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert content to a new file of any format, or to a vault of notes.",
    discussion: """
      Writes everything in the sources to the new file: items, charters, executions and the queue, with ids, \
      times and publication unchanged. Damaged content is recovered as far as possible and reported with its place. \
      Values that the target cannot hold are listed. An existing library is never changed. In a folder, every \
      library and bundle is read, in the order of their names; hidden files and rejects are skipped.

      EXAMPLES
        fleetkit convert anyfleet.sqlite --to backup.jsonl
        fleetkit convert backup.jsonl --to new.sqlite
        fleetkit convert a.json b.jsonl folder-of-bundles --to all.sqlite
        fleetkit convert anyfleet.sqlite --tag safety --to - --to-format jsonl | less
        fleetkit convert anyfleet.sqlite --to vault/

      A folder becomes a vault: one Markdown note for each item, and everything that Markdown cannot express in \
      .fleetkit/library.jsonl. In an existing vault, only files with changed content are written; notes that \
      are not in the sources are not touched.

      Records that cannot be used are saved to DST.rejects.jsonl (or .json) with the reasons. The rest is written, \
      and the exit status is 3.
      """)

  @Argument(
    help: ArgumentHelp("Libraries, bundles, or folders of them; - for standard input.", valueName: "src"),
    completion: .file())
  var sources: [String]

  @OptionGroup var transfer: TransferOptions
  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Notes in Markdown") var noteIDs: NoteIDFlag
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    try Transfer.run(
      verb: "convert", doing: "Converting", paths: sources, sources: source, reading: reading.options,
      noteIDs: noteIDs, transfer: transfer, selectors: selectors, output: output)
  }
}
