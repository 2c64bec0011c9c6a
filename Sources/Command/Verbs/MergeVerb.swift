import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit merge`.
struct MergeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge two versions of a file against the one that both come from.",
    discussion: """
      Does with checklists, guides and decks what git does with lines: what one side changed is taken from that side, \
      what both changed alike is taken once, what both changed differently is a conflict. Steps are matched by their \
      ids, in notes without ids by their titles, so that they may move and be edited at the same time. \
      OUT keeps the typing of the versions wherever it can, and may be one of them.

      Where there is a conflict, OUT has our side of it, everything else is merged, the conflicts are listed with their \
      places, and the exit status is 3. A version that cannot be read in full stops the merge: status 2, nothing is \
      written.

      EXAMPLES
        fleetkit merge base.json mine.json theirs.json --to merged.json
        fleetkit merge base.md mine.md theirs.md --to mine.md --markers
        fleetkit merge base.jsonl mine.jsonl theirs.jsonl --to merged.jsonl --theirs
        git config merge.fleetkit.driver \\
            'fleetkit merge %O %A %B --to %A --as %P --quiet'
            see docs/git.md
      """)

  @Argument(help: "The version that both come from; an empty file for none.", completion: .file())
  var base: String

  @Argument(help: "Our version.", completion: .file())
  var ours: String

  @Argument(help: "Their version.", completion: .file())
  var theirs: String

  @Option(name: .long, help: ArgumentHelp("What to write; may be one of the versions.", valueName: "out"))
  var to: String

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The path that the file has where it belongs, when the versions are called otherwise (git's %P).",
      valueName: "path"))
  var name: String?

  @Flag(name: .customLong("ours"), help: "Settle conflicts: take our side of each.")
  var takesOurs = false

  @Flag(name: .customLong("theirs"), help: "Settle conflicts: take their side of each.")
  var takesTheirs = false

  @Flag(name: .long, help: "In a note, put git's markers around lines that are in conflict.")
  var markers = false

  @Option(name: .long, help: ArgumentHelp("Write the conflicts down, as a page to read.", valueName: "file"))
  var conflicts: String?

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    guard !takesOurs || !takesTheirs else { throw ValidationError("--ours and --theirs exclude each other.") }
    guard to != "-" else { throw ValidationError("--to needs the name of a file.") }
  }

  func run() throws {
    let context = RunContext(now: RunContext.currentTime)
    var merge = FileMerge(base: base, ours: ours, theirs: theirs, target: to)
    merge.name = name
    merge.format = source.fromFormat
    merge.settling = takesOurs ? .ours : takesTheirs ? .theirs : .report
    merge.markers = markers
    let report = try merge.run(context: context)
    if let conflicts, report.conflictCount > 0 {
      let file = try AtomicFile(conflicts, overwrites: true)
      let sink = ByteSink(descriptor: file.descriptor, name: conflicts)
      let page = Array(MergeReport.page(report, name: name ?? ours).utf8)
      try page.withUnsafeBufferPointer { try sink.write($0) }
      try sink.flush()
      try file.publish()
    }
    try output.print(MergeReport(report, to: to, name: name))
    if !report.isClean { throw ExitCode(ExitStatus.partial.rawValue) }
  }
}
