import ArgumentParser
import FleetKit

/// `fleetkit import`.
struct ImportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import content into a library: create new records, update changed ones, leave the rest.",
    discussion: """
      Records are matched by their ids, then by the records that they became at the last import. Everything is \
      written in one transaction: either all of it is imported or the library is unchanged.

      If only the source changed since its last import, the library is updated. If only the library changed, it is \
      kept. If both changed, they are merged, section by section and step by step. If both changed the same value, the \
      library's record is left unchanged and the source's goes to the rejects, with a page that shows both sides. An \
      import does not publish anything: new items are private, and the queue is not changed. Overwritten versions are \
      kept in <library>.fleetkit/backups, and unusable records in <library>.fleetkit/rejects with the reasons.

      EXAMPLES
        fleetkit import checklists.jsonl --into anyfleet.sqlite --dry-run
            show what would happen
        fleetkit import checklists.jsonl --into anyfleet.sqlite
        fleetkit import curated/ --into anyfleet.sqlite --plan plan.json
            write every change to a plan
        fleetkit import curated/ --into new.sqlite --create
            import a folder into a new library
        fleetkit import edited.json --into anyfleet.sqlite --on-conflict replace
        fleetkit import edited.json --into anyfleet.sqlite --interactive
            ask about every conflict
        fleetkit import --retry steps.rejects.csv --into anyfleet.sqlite
            import corrected rejects
        fleetkit import --resume 7 --into anyfleet.sqlite
            resume an interrupted import
      """)

  @Argument(
    help: ArgumentHelp("Bundles, libraries, or folders of them; - for standard input.", valueName: "src"),
    completion: .file())
  var sources: [String] = []

  @Option(name: .long, help: ArgumentHelp("The library to import into.", valueName: "library"), completion: .file())
  var into: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Import an earlier import's corrected rejects file instead of other sources.",
      valueName: "rejects"), completion: .file())
  var retry: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Resume an interrupted import with its original options; 'fleetkit runs' lists the numbers.",
      valueName: "run"))
  var resume: Int64?

  @Flag(name: .long, help: "Create the library if it does not exist.")
  var create = false

  @Option(
    name: .long,
    help: """
      If the library has another version: merge (both, based on the last import of the source; the newer version \
      if there is no record of it), newest (the newer one, if both have a modification time), keep (the library's), \
      replace (the source's), fail (import nothing, exit 4).
      """,
    completion: .list(OnConflict.allCases.map(\.rawValue)))
  var onConflict: String = OnConflict.merge.rawValue

  @Flag(name: .long, help: "In a conflict, use the library's version; merge the rest.")
  var ours = false

  @Flag(name: .long, help: "In a conflict, use the source's version; merge the rest.")
  var theirs = false

  @Flag(name: .long, help: "Ask about each conflict. Requires a terminal.")
  var interactive = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Require every pack to be signed by this public key: a file, or the key itself. May be repeated.",
      valueName: "key"),
    completion: .file())
  var trust: [String] = []

  @Flag(
    name: .long,
    help: "Also import the publication state: visibility, public ids. The queue is not changed.")
  var restorePublishing = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Write every change to this file instead of importing; 'fleetkit apply' applies it.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var plan: String?

  @Flag(name: .long, help: "Replace an existing plan.")
  var overwrite = false

  @Flag(
    name: .long,
    help: """
      Afterwards, read the library again and check that everything from the sources was written and the rest is \
      unchanged. Exit with 5 if there is an unexplained difference.
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
          "--resume uses the options of the interrupted run; do not give sources or reading options.")
      }
      return
    }
    if prove, runOptions.dryRun || plan != nil || retry != nil {
      throw ValidationError(
        "--prove cannot be used with --dry-run, --plan or --retry.")
    }
    if sources.isEmpty, retry == nil {
      throw ValidationError("Name the sources to import, or a rejects file with --retry.")
    }
    if !sources.isEmpty, retry != nil {
      throw ValidationError("--retry cannot be used with other sources; import them separately.")
    }
    if plan == nil, overwrite { throw ValidationError("--overwrite requires --plan.") }
    guard OnConflict(rawValue: onConflict) != nil else {
      let words = OnConflict.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--on-conflict must be \(words), not '\(onConflict)'.")
    }
    try validateSettling()
  }

  private func validateSettling() throws {
    let asked = [("--ours", ours), ("--theirs", theirs), ("--interactive", interactive)].filter(\.1).map(\.0)
    guard let first = asked.first else { return }
    if asked.count > 1 {
      throw ValidationError("\(asked.joined(separator: " and ")) cannot be used together.")
    }
    if onConflict != OnConflict.merge.rawValue {
      throw ValidationError("\(first) requires --on-conflict merge; '\(onConflict)' already decides conflicts.")
    }
    if interactive, !ConflictQuestions.canAsk {
      throw ValidationError("--interactive requires a terminal; use --ours or --theirs in scripts.")
    }
  }

  private var settling: ConflictResolution {
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
    try TableOptionValidation.check(reading.options, libraryImport.sources)
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
      let named = PlanRenderer.named(output)
      let rehearsal =
        try plan.map { try libraryImport.plan(to: $0, overwrites: overwrite, context: context, named: named) }
        ?? libraryImport.rehearse(context: context, named: named)
      (report, outline) = (rehearsal.report, rehearsal.outline)
    } else {
      libraryImport.proves = prove
      report = try ProofRenderer.reporting(verb: "import", target: into, output: output) {
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
      return try output.print(NothingToResumeReport(target: into, run: id))
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
