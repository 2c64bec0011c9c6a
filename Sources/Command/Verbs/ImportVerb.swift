import ArgumentParser
import FleetKit

/// `fleetkit import`.
struct ImportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring content into a library: create what is new, update what changed, leave the rest.",
    discussion: """
      Records are matched by their ids, then by where they went at the last import. Everything is written in one \
      transaction: the library has all of it afterwards, or is as it was.

      What changed only in the source since its last import is updated, what changed only in the library stays, and \
      what both changed is merged, section by section and step by step. Where both changed the same thing, the \
      library's record stays whole and the source's goes to the rejects; a page beside them shows both sides. An import brings content, never \
      publication: new items arrive private, and the queue is left alone. What is written over is kept in \
      <library>.fleetkit/backups, what cannot be used in <library>.fleetkit/rejects with the reasons.

      EXAMPLES
        fleetkit import checklists.jsonl --into anyfleet.sqlite --dry-run
            what would happen
        fleetkit import checklists.jsonl --into anyfleet.sqlite
        fleetkit import curated/ --into anyfleet.sqlite --plan plan.json
            what would happen, change by change
        fleetkit import curated/ --into new.sqlite --create
            a folder into a new library
        fleetkit import edited.json --into anyfleet.sqlite --on-conflict replace
        fleetkit import edited.json --into anyfleet.sqlite --interactive
            ask where both changed the same
        fleetkit import --retry steps.rejects.csv --into anyfleet.sqlite
            rejected rows, corrected
        fleetkit import --resume 7 --into anyfleet.sqlite
            what was interrupted, again
      """)

  @Argument(
    help: ArgumentHelp("Bundles, libraries, or folders of them; - for standard input.", valueName: "src"),
    completion: .file())
  var sources: [String] = []

  @Option(name: .long, help: ArgumentHelp("The library that is changed.", valueName: "library"), completion: .file())
  var into: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Import what an earlier import rejected, corrected by now, where it belongs; instead of other sources.",
      valueName: "rejects"), completion: .file())
  var retry: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Do an import again that was interrupted, as it was asked for; 'fleetkit runs' has its number.",
      valueName: "run"))
  var resume: Int64?

  @Flag(name: .long, help: "Make the library if it is not there.")
  var create = false

  @Option(
    name: .long,
    help: """
      When the library has another version: merge (both, against what the source said at its last import; the newer \
      one where nobody remembers), newest (the newer one, if both say when they were changed), keep (the library's), \
      replace (the source's), fail (import nothing, exit 4).
      """,
    completion: .list(OnConflict.allCases.map(\.rawValue)))
  var onConflict: String = OnConflict.merge.rawValue

  @Flag(name: .long, help: "Where both sides changed the same thing, take the library's; merge the rest.")
  var ours = false

  @Flag(name: .long, help: "Where both sides changed the same thing, take the source's; merge the rest.")
  var theirs = false

  @Flag(name: .long, help: "Where both sides changed the same thing, ask. For terminals only.")
  var interactive = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Every pack must be signed by this public key: a file, or the key itself. Several may be named.",
      valueName: "key"),
    completion: .file())
  var trust: [String] = []

  @Flag(
    name: .long,
    help: "Take what the source says about publication too: visibility, public ids. The queue is left alone.")
  var restorePublishing = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Write what would happen, change by change, into this file and change nothing; 'fleetkit apply' does it.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var plan: String?

  @Flag(name: .long, help: "Replace the plan if it is there.")
  var overwrite = false

  @Flag(
    name: .long,
    help: """
      Read the library again afterwards: what was written is there, the rest is as it was, and the sources say nothing \
      that it lacks; a difference that nothing explains ends with 5.
      """)
  var prove = false

  @OptionGroup var runOptions: RunOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Notes in Markdown") var noteIDs: NoteIDFlag
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    if resume != nil {
      let isAlone =
        sources.isEmpty && retry == nil && !create && trust.isEmpty && !restorePublishing && !runOptions.dryRun
        && !prove && selectors.selection == nil && source.fromFormat == nil
      guard isAlone else {
        throw ValidationError(
          "--resume does what the run was asked to do: it takes neither sources nor options for them.")
      }
      return
    }
    if prove, runOptions.dryRun || plan != nil || retry != nil {
      throw ValidationError(
        "--prove reads back what was written: it does not go with --dry-run, --plan or --retry.")
    }
    if sources.isEmpty, retry == nil {
      throw ValidationError("Name what to import, or --retry with a file of rejects.")
    }
    if !sources.isEmpty, retry != nil {
      throw ValidationError("--retry takes a file of rejects instead of other sources: import those on their own.")
    }
    if plan == nil, overwrite { throw ValidationError("--overwrite is for the file of --plan.") }
    guard OnConflict(rawValue: onConflict) != nil else {
      let words = OnConflict.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--on-conflict takes \(words), not '\(onConflict)'.")
    }
    try validateSettling()
  }

  private func validateSettling() throws {
    let asked = [("--ours", ours), ("--theirs", theirs), ("--interactive", interactive)].filter(\.1).map(\.0)
    guard let first = asked.first else { return }
    if asked.count > 1 {
      throw ValidationError("\(asked.joined(separator: " and ")) exclude each other: who wins a conflict?")
    }
    if onConflict != OnConflict.merge.rawValue {
      throw ValidationError("\(first) goes with --on-conflict merge; '\(onConflict)' says already who wins.")
    }
    if interactive, !ConflictQuestions.canAsk {
      throw ValidationError("--interactive needs a terminal to ask on; scripts say --ours or --theirs.")
    }
  }

  private var settling: ConflictSettling {
    if ours { return .ours }
    if theirs { return .theirs }
    return interactive ? .ask(ConflictQuestions().ask) : .reject
  }

  private var renames: RenamePolicy {
    if confirmation.yes { return .accept }
    guard ConflictQuestions.canAsk else { return .decline }
    return .ask { question in
      Progress.clear()
      return Terminal.ask(question)
    }
  }

  func run() throws {
    if let resume { return try runAgain(resume) }
    let rejects = try retry.map { try RejectsRetry($0) }
    var libraryImport =
      try rejects.map { try LibraryImport(retrying: $0, library: into) }
      ?? LibraryImport(sources: try SourceList(sources, format: source.fromFormat), library: into)
    try TableFit.check(reading.options, libraryImport.sources)
    libraryImport.createsLibrary = create
    libraryImport.onConflict = OnConflict(rawValue: onConflict) ?? .merge
    libraryImport.settling = settling
    libraryImport.renames = renames
    libraryImport.trusted = try trust.map { try MinisignKey($0) }
    libraryImport.restoresPublishing = restorePublishing
    libraryImport.selection = selectors.selection
    libraryImport.onProgress = output.quiet || interactive ? nil : Progress("Importing").callback
    var options = reading.options
    options.collectsIDs = noteIDs.writeIDs
    let dryRun = runOptions.dryRun || plan != nil
    let context = runOptions.context(rejects?.reading(options) ?? options, dryRun: dryRun)
    let report: LibraryImport.Report
    var outline: PlanOutline?
    if dryRun {
      let named = PlanText.named(output)
      let rehearsal =
        try plan.map { try libraryImport.plan(to: $0, overwrites: overwrite, context: context, named: named) }
        ?? libraryImport.rehearse(context: context, named: named)
      (report, outline) = (rehearsal.report, rehearsal.outline)
    } else {
      libraryImport.proves = prove
      report = try ProofText.reporting(verb: "import", target: into, output: output) {
        try libraryImport.run(context: context)
      }
    }
    Progress.clear()
    let ids = try noteIDs.write(report.summary.context, dryRun: dryRun)
    try output.print(
      ImportReport(
        report, verb: "import", into: into, dryRun: dryRun, ids: ids, retried: retry, outline: outline, plan: plan))
    throw ExitCode(report.summary.status.rawValue)
  }

  private func runAgain(_ id: Int64) throws {
    let resume = try ImportResume(id, into: into)
    if resume.isSettled {
      return try output.print(SettledReport(target: into, run: id))
    }
    var (job, context) = try resume.job()
    job.renames = renames
    job.onProgress = output.quiet ? nil : Progress("Importing").callback
    let report = try job.run(context: context)
    Progress.clear()
    let ids = context.reading.collectsIDs ? try NoteIDs(writing: report.summary.context) : nil
    try output.print(
      ImportReport(
        report, verb: "import", into: into, dryRun: false, ids: ids, retried: resume.request?.retried))
    throw ExitCode(report.summary.status.rawValue)
  }
}
