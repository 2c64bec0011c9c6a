import ArgumentParser
import FleetKit

/// `fleetkit publish`.
struct PublishVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Queue items of a library for publication; 'fleetkit sync' sends them.",
    discussion: """
      Each item is held against the publish rules, and so is exactly what will be sent: what breaks a rule is not \
      queued. What is queued gets a public id of its own, made of its title, and keeps the time when it was created. \
      Nothing is sent before 'fleetkit sync'.

      Items are selected one by one or by words; --all takes the whole library and asks first. Sources that are no \
      library are imported into the one that --library names, and their items are published from there.

      EXAMPLES
        fleetkit publish anyfleet.sqlite --id 43A324AA
        fleetkit publish anyfleet.sqlite --tag safety --dry-run
            what would be queued, and what would not
        fleetkit publish anyfleet.sqlite --type practice_guide --no-fork
        fleetkit publish anyfleet.sqlite --id 43A324AA \\
            --set-title "Crew briefing [Modified]"
        fleetkit publish curated.jsonl --library anyfleet.sqlite
            imported, and published from there
      """)

  @Argument(
    help: ArgumentHelp("The library; or what is imported into the one of --library.", valueName: "source"),
    completion: .file())
  var sources: [String]

  @Option(
    name: .long,
    help: ArgumentHelp("The library that the sources are imported into and published from.", valueName: "library"),
    completion: .file())
  var library: String?

  @Option(
    name: .long, help: ArgumentHelp("Give the one item that is selected another title first.", valueName: "title"))
  var setTitle: String?

  @Flag(name: .long, help: "Others may not make copies of their own.")
  var noFork = false

  @OptionGroup var enqueue: EnqueueOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    if sources.isEmpty { throw ValidationError("Name the library, or sources and --library.") }
    try EnqueueOptions.check(title: setTitle)
  }

  func run() throws {
    let list = try SourceList(sources, format: source.fromFormat)
    var publishing = LibraryPublishing(library ?? sources[0], .publish(canFork: !noFork, title: setTitle))
    publishing.stopsAtRefusal = enqueue.stopsAtRefusal
    publishing.isDryRun = enqueue.dryRun
    publishing.selection = selectors.selection
    publishing.account = RegistryConnection.onlyUser()
    let isLibrary = list.entries.count == 1 && list.entries[0].format.descriptor.id == .library
    if library == nil, isLibrary { return try publish(publishing) }
    guard library != nil else {
      let these = list.entries.count == 1 ? "it is no library" : "they are no library"
      throw RunFailure(
        .usage, "publish \(sources.map { "'\($0)'" }.joined(separator: ", ")): \(these)",
        advice: "Say with --library into which one \(list.entries.count == 1 ? "it is" : "they are") imported.")
    }
    try TableFit.check(reading.options, list)
    var job = LibraryImport(sources: list, library: publishing.library)
    job.selection = selectors.selection
    job.onProgress = output.quiet || output.json ? nil : Progress("Importing").callback
    let onInvalid: RunContext.OnInvalid = enqueue.stopsAtRefusal ? .stop : .reject
    let context = RunContext(onInvalid: onInvalid, reading: reading.options, now: RunContext.currentTime)
    let report = try SourcePublishing(job, publishing).run(context: context)
    Progress.clear()
    try output.print(QueuedReport(report, library: publishing.library, isDryRun: enqueue.dryRun))
    throw ExitCode(report.status.rawValue)
  }

  private func publish(_ publishing: LibraryPublishing) throws {
    try enqueue.confirm("publish", in: publishing.library, selectors.selection, confirmation)
    let report = try publishing.run(now: RunContext.currentTime)
    try output.print(QueuedReport(report))
    throw ExitCode(report.status.rawValue)
  }
}
