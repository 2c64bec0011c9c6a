import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit merge`.
struct MergeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge two versions of a file, based on their common ancestor.",
    discussion: """
      Merges checklists, guides and decks as git merges lines: a change on one side is taken from that side, \
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
      try sink.write(page.span)
      try sink.flush()
      try file.publish()
    }
    try output.print(MergeReport(report, to: to, name: name))
    if !report.isClean { throw ExitCode(ExitStatus.partial.rawValue) }
  }
}

/// The report of `merge`, and its conflict page.
struct MergeReport: Report {
  struct Conflict: Encodable {
    let kind: RecordKind
    let id, title, pointer, label: String
    let place: String?
    let base, ours, theirs: RawJSON?

    init(_ conflict: FileConflict) {
      (kind, id, title) = (conflict.kind, conflict.id, conflict.title)
      (pointer, label) = (conflict.conflict.pointer, conflict.conflict.label)
      place = (conflict.ours ?? conflict.theirs)?.description
      let sides = conflict.conflict
      (base, ours, theirs) = (
        sides.base.map(RawJSON.init), sides.ours.map(RawJSON.init), sides.theirs.map(RawJSON.init)
      )
    }
  }

  let command = "merge"
  let to: String
  let clean, keepsTyping: Bool
  let bytes: Int
  let counts: FileMergeReport.Counts
  let conflictCount: Int
  let conflicts: [Conflict]
  @TextOnly var text: (report: FileMergeReport, name: String)

  /// - Parameter name: the path of the file in its repository.
  init(_ report: FileMergeReport, to: String, name: String?) {
    (self.to, clean, keepsTyping) = (to, report.isClean, report.keepsTyping)
    (bytes, counts, conflictCount) = (report.size, report.counts, report.conflictCount)
    conflicts = report.conflicts.map(Conflict.init)
    text = (report, name ?? to)
  }

  private static let shown = 20

  func render(_ output: OutputOptions) {
    let (report, target, quiet, verbose) = (text.report, text.name, output.quiet, output.verbose)
    if !quiet { Terminal.report("Merged \(TerminalEscaping.escape(target)): \(words(report.counts)).") }
    if report.conflictCount == 0 { return }
    if report.isSettled {
      if !quiet {
        Terminal.report("\(Plural.count(report.conflictCount, "conflict")) resolved with the side you chose.")
      }
      return
    }
    let most = verbose ? Int.max : Self.shown
    for conflict in report.conflicts.prefix(most) {
      Terminal.report("conflict: " + TerminalEscaping.escape(Self.headline(conflict)))
      if quiet { continue }
      Terminal.report("    base:   " + value(conflict.conflict.base, verbose))
      Terminal.report("    ours:   " + value(conflict.conflict.ours, verbose))
      Terminal.report("    theirs: " + value(conflict.conflict.theirs, verbose))
    }
    let more = report.conflictCount - min(most, report.conflicts.count)
    if more > 0 { Terminal.report("and \(Plural.count(more, "more conflict"))\(verbose ? "" : " (-v shows more)")") }
    Terminal.report(
      "\(Plural.count(report.conflictCount, "conflict")): \(TerminalEscaping.escape(target)) has our side of "
        + "\(report.conflictCount == 1 ? "it" : "them"); everything else was merged.")
  }

  private func words(_ counts: FileMergeReport.Counts) -> String {
    let parts = [
      (counts.same, "unchanged"), (counts.fromOurs, "changed by ours"), (counts.fromTheirs, "changed by theirs"),
      (counts.merged, "changed by both"), (counts.addedByOurs, "added by ours"),
      (counts.addedByTheirs, "added by theirs"), (counts.deleted, "deleted"),
      (counts.conflicting, "in conflict"),
    ]
    let nonzero = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return nonzero.isEmpty ? "no records" : nonzero.joined(separator: ", ")
  }

  /// Returns the heading of a conflict: `checklists/fire.md:12:3: checklist "Fire", section "Engine", step "Oil",
  /// title`.
  private static func headline(_ conflict: FileConflict) -> String {
    let place = (conflict.ours ?? conflict.theirs).map { $0.description + ": " } ?? ""
    let title = conflict.title.isEmpty ? conflict.id : "\"\(conflict.title)\""
    return "\(place)\(title): \(conflict.conflict.label)"
  }

  private func value(_ text: String?, _ verbose: Bool) -> String {
    guard let text else { return "(nothing)" }
    let scalars = text.unicodeScalars
    let isLong = !verbose && scalars.count > 160
    return TerminalEscaping.escape(isLong ? String(String.UnicodeScalarView(scalars.prefix(160))) + "…" : text)
  }

  /// Returns the conflicts as Markdown.
  static func page(_ report: FileMergeReport, name: String) -> String {
    var page = "# Conflicts in \(TerminalEscaping.escape(name))\n"
    for conflict in report.conflicts {
      page += "\n## \(TerminalEscaping.escape(headline(conflict)))\n"
      for (side, text) in [
        ("base", conflict.conflict.base), ("ours", conflict.conflict.ours), ("theirs", conflict.conflict.theirs),
      ] {
        page += "\n\(side):\n\n" + block(text ?? "(nothing)") + "\n"
      }
    }
    let more = report.conflictCount - report.conflicts.count
    return more > 0 ? page + "\nand \(more) more\n" : page
  }

  /// Returns text as an indented block that none of its lines can end.
  private static func block(_ text: String) -> String {
    let plain = (try? JSONDocument(parsing: text).root.string) ?? text
    return plain.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "    " + TerminalEscaping.escape(String($0)) }.joined(separator: "\n")
  }
}
