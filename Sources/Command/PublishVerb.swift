import ArgumentParser
import FleetKit

/// `fleetkit publish`.
struct PublishVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Queue items of a library for publication; 'fleetkit sync' sends them.",
    discussion: """
      Each item, and exactly the data that will be sent, is checked against the publish rules; items that break a rule \
      are not queued. Queued items get a public id, made from the title, and keep their time of creation. Nothing is \
      sent before 'fleetkit sync'.

      Select single items or use patterns; --all selects the whole library and asks first. Sources that are not \
      libraries are imported into the one named by --library, and their items are published from there.

      EXAMPLES
        fleetkit publish anyfleet.sqlite --id 43A324AA
        fleetkit publish anyfleet.sqlite --tag safety --dry-run
            show what would be queued, and what would not
        fleetkit publish anyfleet.sqlite --type practice_guide --no-fork
        fleetkit publish anyfleet.sqlite --id 43A324AA \\
            --set-title "Crew briefing [Modified]"
        fleetkit publish curated.jsonl --library anyfleet.sqlite
            import, then publish
      """)

  @Argument(
    help: ArgumentHelp("The library; or sources to import into --library.", valueName: "source"),
    completion: .file())
  var sources: [String]

  @Option(
    name: .long,
    help: ArgumentHelp("Import the sources into this library and publish from it.", valueName: "library"),
    completion: .file())
  var library: String?

  @Option(
    name: .long, help: ArgumentHelp("First change the title of the one selected item.", valueName: "title"))
  var setTitle: String?

  @Flag(name: .long, help: "Do not allow others to copy the items.")
  var noFork = false

  @OptionGroup var enqueue: EnqueueOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    if sources.isEmpty { throw ValidationError("Name a library, or sources and --library.") }
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
      let these = list.entries.count == 1 ? "not a library" : "not libraries"
      throw RunFailure(
        .usage, "publish \(sources.map { "'\($0)'" }.joined(separator: ", ")): \(these)",
        advice: "To import \(list.entries.count == 1 ? "it" : "them") into a library first, add --library LIBRARY.")
    }
    try TableOptionValidation.check(reading.options, list)
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
