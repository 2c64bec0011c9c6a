import ArgumentParser
import FleetKit

/// `fleetkit import`.
struct ImportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring content into a library: create what is new, update what changed, leave the rest.",
    discussion: """
      Records are matched by their ids, then by where they went at the last import. Everything is written in one \
      transaction: the library has all of it afterwards, or is as it was. An import brings content, never \
      publication: new items arrive private, and the queue is left alone. What is written over is kept in \
      <library>.fleetkit/backups, what cannot be used in <library>.fleetkit/rejects with the reasons.

      EXAMPLES
        fleetkit import checklists.jsonl --into anyfleet.sqlite --dry-run    what would happen
        fleetkit import checklists.jsonl --into anyfleet.sqlite
        fleetkit import curated/ --into new.sqlite --create                 a folder into a new library
        fleetkit import edited.json --into anyfleet.sqlite --on-conflict replace
      """)

  @Argument(
    help: ArgumentHelp("Bundles, libraries, or folders of them; - for standard input.", valueName: "src"),
    completion: .file())
  var sources: [String]

  @Option(name: .long, help: ArgumentHelp("The library that is changed.", valueName: "library"), completion: .file())
  var into: String

  @Flag(name: .long, help: "Make the library if it is not there.")
  var create = false

  @Option(
    name: .long,
    help: """
      When the library has another version: merge or newest (the newer one, if both say when they were changed), \
      keep (the library's), replace (the source's), fail (import nothing, exit 4).
      """,
    completion: .list(OnConflict.allCases.map(\.rawValue)))
  var onConflict: String = OnConflict.merge.rawValue

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Every pack must be signed by this public key: a file, or the key itself. Several may be named.",
      valueName: "key"),
    completion: .file())
  var trust: [String] = []

  @OptionGroup var runOptions: RunOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup(title: "Notes in Markdown") var reading: ReadingFlags
  @OptionGroup(title: "Notes in Markdown") var noteIDs: NoteIDFlag
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard OnConflict(rawValue: onConflict) != nil else {
      let words = OnConflict.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--on-conflict takes \(words), not '\(onConflict)'.")
    }
  }

  func run() throws {
    var libraryImport = LibraryImport(
      sources: try SourceList(sources, format: source.fromFormat), library: into)
    libraryImport.createsLibrary = create
    libraryImport.onConflict = OnConflict(rawValue: onConflict) ?? .merge
    libraryImport.trusted = try trust.map { try MinisignKey($0) }
    libraryImport.selection = selectors.selection
    libraryImport.onProgress = output.quiet ? nil : Progress("Importing").callback
    var options = reading.options
    options.collectsIDs = noteIDs.writeIDs
    let report = try libraryImport.run(context: runOptions.context(options))
    Progress.clear()
    say(report, ids: try noteIDs.write(report.summary.context, dryRun: runOptions.dryRun))
    throw ExitCode(report.summary.status.rawValue)
  }

  private func say(_ report: LibraryImport.Report, ids: NoteIDs?) {
    let summary = report.summary
    let dryRun = runOptions.dryRun
    if output.json {
      return Terminal.print(
        SummaryJSON.run(summary, verb: "import", target: into, dryRun: dryRun) { json in
          json.bool("created_library", report.isNew && !dryRun)
          json.string("replaced", report.replaced)
          json.number("kept_beside", report.keptBeside)
          json.number("published_changed", report.publishedChanged)
          NoteIDFlag.json(ids, &json)
        })
    }
    ExplanationText.print(summary.context)
    if !output.quiet {
      SummaryText.findings(summary.context.findings, verbose: output.verbose)
      SummaryText.losses(summary.context.losses, verbose: output.verbose)
      SummaryText.tally(summary.tally)
      let leftOut = summary.context.findings.counts[.publicationLeftOut, default: 0]
      if leftOut > 0 {
        Terminal.say(
          leftOut == 1
            ? "1 record was published where it comes from; here it is private."
            : "\(leftOut) records were published where they come from; here they are private.")
      }
      if report.keptBeside > 0 {
        let what = report.keptBeside == 1 ? "1 record of a kind" : "\(report.keptBeside) records of kinds"
        Terminal.say("\(what) that the app has no table for: kept beside the library, where the app cannot see it.")
      }
      let time = Figures.duration(summary.seconds)
      let name = TerminalText.escape(into)
      let total = summary.tally.total
      if dryRun {
        Terminal.say("Nothing was changed (--dry-run); it would have been \(name), after \(time).")
      } else if total.created + total.updated == 0, !report.isNew {
        Terminal.say(
          total.unchanged == total.read
            ? "\(name) has all of it already, in \(time)." : "\(name) was not changed, in \(time).")
      } else {
        Terminal.say("\(report.isNew ? "Made" : "Changed") \(name) in \(time). Nothing in it became public.")
        if report.publishedChanged > 0 {
          let what =
            report.publishedChanged == 1 ? "1 published item was" : "\(report.publishedChanged) published items were"
          Terminal.say("\(what) changed: others see the old text until the app publishes the change.")
        }
      }
      NoteIDFlag.say(ids)
      if let replaced = report.replaced {
        Terminal.say("What was written over is kept in \(TerminalText.escape(replaced))")
      }
      if total.rejected > 0 {
        let what = "\(total.rejected) of \(total.read) records \(dryRun ? "would be" : "were") rejected"
        Terminal.say(
          dryRun ? what + "." : what + "; they are kept here, with their reasons beside them, to be corrected:")
      }
    }
    if let path = summary.rejectsPath { Terminal.say(path) }
  }
}
