import ArgumentParser
import FleetKit

/// `fleetkit convert`.
struct ConvertVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Copy content faithfully into a new file of any format, or into a vault of notes.",
    discussion: """
      Everything the sources hold goes into the new file: items, charters, executions and the queue, with ids, \
      times and publication as they are. What damaged content allows to recover is recovered and reported with \
      its place; what the target cannot hold is listed. An existing library is never touched. Of a folder, every library and \
      bundle in it is read, in the order of names; hidden files and rejects are passed over.

      EXAMPLES
        fleetkit convert anyfleet.sqlite --to backup.jsonl
        fleetkit convert backup.jsonl --to new.sqlite
        fleetkit convert a.json b.jsonl folder-of-bundles --to all.sqlite
        fleetkit convert anyfleet.sqlite --tag safety --to - --to-format jsonl | less
        fleetkit convert anyfleet.sqlite --to vault/

      A folder becomes a vault: one Markdown note for each item, and what Markdown cannot say in \
      .fleetkit/library.jsonl. In a vault that is there already only files change whose content changed; notes that \
      are not in the sources are left as they are.

      Records that cannot be used stay behind in DST.rejects.jsonl (or .json) with their reasons beside them; the \
      rest is written and the exit status is 3.
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
