import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit merge`.
struct MergeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge two versions of a file, based on their common ancestor.",
    discussion: """
      Merges checklists, guides and decks like git merges lines: a change on one side is taken from that side, \
      identical changes are taken once, and different changes to the same value conflict. Steps are matched by \
      their ids, or by their titles in notes without ids, so they can be moved and edited at the same time. \
      OUT keeps the formatting of the versions where possible, and may be one of them.

      If there are conflicts, OUT has our side of each, and everything else is merged. The conflicts are listed with \
      their places, and the exit status is 3. If a version cannot be read completely, nothing is written, and the exit \
      status is 2.

      EXAMPLES
        fleetkit merge base.json mine.json theirs.json --to merged.json
        fleetkit merge base.md mine.md theirs.md --to mine.md --markers
        fleetkit merge base.jsonl mine.jsonl theirs.jsonl --to merged.jsonl --theirs
        git config merge.fleetkit.driver \\
            'fleetkit merge %O %A %B --to %A --as %P --quiet'
            see docs/git.md
      """)

  @Argument(help: "The common ancestor, or an empty file if there is none.", completion: .file())
  var base: String

  @Argument(help: "Our version.", completion: .file())
  var ours: String

  @Argument(help: "Their version.", completion: .file())
  var theirs: String

  @Option(name: .long, help: ArgumentHelp("The file to write; may be one of the versions.", valueName: "out"))
  var to: String

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The file's path in the repository, if the versions have other names (git's %P).",
      valueName: "path"))
  var name: String?

  @Flag(name: .customLong("ours"), help: "Resolve each conflict with our side.")
  var takesOurs = false

  @Flag(name: .customLong("theirs"), help: "Resolve each conflict with their side.")
  var takesTheirs = false

  @Flag(name: .long, help: "In a note, mark conflicting lines with git's conflict markers.")
  var markers = false

  @Option(name: .long, help: ArgumentHelp("Write the conflicts to a Markdown page.", valueName: "file"))
  var conflicts: String?

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    guard !takesOurs || !takesTheirs else { throw ValidationError("--ours cannot be used with --theirs.") }
    guard to != "-" else { throw ValidationError("--to must be a file.") }
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
