import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pull`.
struct PullVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Fetch changes made elsewhere to the items that you have published.",
    discussion: """
      If only the registry's version changed, the library is updated. If only the library changed, it is kept. If both \
      changed, they are merged, section by section and step by step; the next update publishes the result. If both \
      changed the same value, the library's item is left unchanged and the registry's version goes to the rejects, \
      unless --take decides the conflict. Ticks and notes of charters are kept. Items that were unpublished elsewhere \
      become private and keep their content.

      EXAMPLES
        fleetkit pull anyfleet.sqlite --registry https://sail.example.org
        fleetkit pull anyfleet.sqlite --registry URL --dry-run
        fleetkit pull new.sqlite --registry URL --all-mine --create
            on a new device: fetch everything you have published
        fleetkit pull anyfleet.sqlite --registry URL --id 43A324AA --take remote

      EXIT STATUS
        0   done
        2   no such library, or nothing matches the selection
        3   conflicts, or items that cannot be used; the rest is done
        4   the library belongs to another registry or account
        7   a sync or another program is running
        69  the registry cannot be reached
        77  sign in first
      """)

  @Argument(help: ArgumentHelp("The library.", valueName: "library"), completion: .file())
  var library: String

  @Option(
    name: .long,
    help: "The version to use in a conflict: local (the library's) or remote (the registry's).",
    completion: .list(LibraryPull.Take.allCases.map(\.rawValue)))
  var take: String?

  @Flag(name: .long, help: "Also fetch your items that are not in the library.")
  var allMine = false

  @Flag(name: .long, help: "Create the library if it does not exist; with --all-mine.")
  var create = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if create, !allMine {
      throw ValidationError("--create requires --all-mine: a new library has nothing to merge with.")
    }
    if let take, LibraryPull.Take(rawValue: take) == nil {
      throw ValidationError("--take must be local or remote, not '\(take)'.")
    }
  }

  func run() throws {
    var job = PullJob(command: "pull", library: library, registry: registry, output: output)
    job.selection = selectors.selection
    job.take = take.flatMap(LibraryPull.Take.init)
    job.bringsAll = allMine
    job.createsLibrary = create
    job.isDryRun = dryRun
    try job.run()
  }
}

/// The work of `pull` and `update --take remote`: fetches from the registry, imports, and reports.
struct PullJob {
  /// The name of the verb.
  let command: String
  let library: String
  let registry: RegistryOptions
  let output: OutputOptions
  var selection: Selection?
  var take: LibraryPull.Take?
  var bringsAll = false
  var createsLibrary = false
  var isDryRun = false

  /// - Throws: `RunFailure`, and `ExitCode` with the result.
  func run() throws {
    // A missing library does not belong to a registry; the pull reports that it is missing.
    let isThere = FileManager.default.fileExists(atPath: library)
    if !isThere, !createsLibrary { throw LibraryPull.missing(library, bringsAll: bringsAll) }
    let connection = try registry.connection(for: isThere ? library : nil)
    let client = try connection.client()
    var pull = LibraryPull(library, from: client, at: connection.address.text)
    pull.selection = selection
    pull.take = take
    pull.bringsAll = bringsAll
    pull.createsLibrary = createsLibrary
    pull.isDryRun = isDryRun
    let steps = output.quiet || output.json ? nil : Progress("Fetching").steps
    if let steps { pull.onProgress = { steps("Fetching, \($0) of \($1)", $0, $1) } }
    defer { Progress.clear() }
    let report = try client.untilInterrupted { try pull.run(now: RunContext.currentTime) }
    Progress.clear()
    try output.print(PullSummary(report, command: command, library: library))
    throw ExitCode(report.status.rawValue)
  }
}

/// The report of `pull` and of `update --take remote`.
struct PullSummary: Report {
  struct Item: Encodable {
    let id: String?
    let publicID, title, outcome: String
    let reason: String?

    init(_ entry: PullReport.Entry) {
      (id, publicID, title) = (entry.id, entry.publicID, entry.title)
      (outcome, reason) = PullSummary.words(entry.outcome)
    }
  }

  let command: String
  let status: ExitStatus
  let library: String
  let dryRun: Bool
  let run: Int64?
  let owned, unchanged, markedSynced, unpublishedBefore, notSelected, droppedUpdates: Int
  let items: [Item]
  let conflicts, replaced: String?
  let rejects: [String]
  @TextOnly var report: PullReport

  /// - Parameter command: the name of the verb.
  init(_ report: PullReport, command: String, library: String) {
    (self.command, status, self.library) = (command, report.status, library)
    (dryRun, run, owned, unchanged) = (report.isDryRun, report.run, report.owned, report.unchanged)
    (markedSynced, unpublishedBefore) = (report.settled, report.gone)
    (notSelected, droppedUpdates) = (report.unselected, report.dropped)
    items = report.entries.map(Item.init)
    (conflicts, replaced, rejects) = (report.conflicts, report.replaced, report.rejects)
    self.report = report
  }

  func render(_ output: OutputOptions) {
    guard !output.quiet else { return report.rejects.forEach { Terminal.report(TerminalEscaping.escape($0)) } }
    printEntries(of: report)
    Terminal.report(totals(report))
    if report.dropped > 0 {
      Terminal.report(
        report.dropped == 1
          ? "1 failed update was removed from the queue, because it would have replaced the pulled version."
          : "\(report.dropped) failed updates were removed from the queue, because they would have replaced the "
            + "pulled versions."
      )
    }
    if report.settled > 0 {
      Terminal.report(
        report.settled == 1
          ? "1 unchanged item is identical to its publication and was marked as synced."
          : "\(report.settled) unchanged items are identical to their publications and were marked as synced.")
    }
    let name = TerminalEscaping.escape(library)
    if report.count({ $0 == .merged }) > 0, !report.isDryRun {
      Terminal.report("The merged versions are not public yet. To queue them, run 'fleetkit update \(name) --changed'.")
    }
    if report.count({ $0 == .missing }) > 0 {
      Terminal.report("To add the items that are not in \(name), use --all-mine.")
    }
    if let page = report.conflicts {
      Terminal.report("The conflicts are listed with both versions in \(TerminalEscaping.escape(page))")
    }
    if let item = firstConflict(report) {
      Terminal.report(
        "To resolve a conflict, run 'fleetkit pull \(name) --id \(item) --take local' to use this library's version, "
          + "or '--take remote' to use the registry's. The rest of the item is merged.")
    }
    if report.isDryRun { Terminal.report("Nothing was changed (--dry-run).") }
    for path in report.rejects { Terminal.report(TerminalEscaping.escape(path)) }
  }

  /// The first item with a conflict, for the command that resolves it.
  private func firstConflict(_ report: PullReport) -> String? {
    let first = report.entries.first { if case .conflict = $0.outcome { $0.id != nil } else { false } }
    return first?.id.map(TerminalEscaping.escape)
  }

  /// The number of missing items that are listed. On a new device there may be hundreds; the others are only counted.
  private static let mostMissing = 5

  private func printEntries(of report: PullReport) {
    let missing = report.count { $0 == .missing }
    let listed = missing > Self.mostMissing + 1 ? Self.mostMissing : missing
    var shown = 0
    for entry in report.entries {
      if case .missing = entry.outcome {
        shown += 1
        guard shown <= listed else { continue }
      }
      printEntry(entry)
    }
    if listed < missing { Terminal.report("not in the library: \(missing - listed) more (--json lists all)") }
  }

  private func printEntry(_ entry: PullReport.Entry) {
    let title = TerminalEscaping.escape(entry.title)
    let (word, why) = Self.words(entry.outcome)
    if case .missing = entry.outcome {
      return Terminal.report("not in the library: \(title) (\(TerminalEscaping.escape(entry.publicID)))")
    }
    Terminal.report("\(word): \(title)" + (why.map { ": \(TerminalEscaping.escape($0))" } ?? ""))
  }

  private func totals(_ report: PullReport) -> String {
    let counts: [(String, (PullReport.Outcome) -> Bool)] = [
      ("taken", { $0 == .taken }), ("merged", { $0 == .merged }), ("created", { $0 == .created }),
      ("made private", { $0 == .withdrawn }), ("not in the library", { $0 == .missing }),
      ("skipped", { if case .skipped = $0 { true } else { false } }),
      ("in conflict", { if case .conflict = $0 { true } else { false } }),
      ("rejected", { if case .rejected = $0 { true } else { false } }),
    ]
    var parts = counts.compactMap { word, matches in
      let count = report.count(matches)
      return count > 0 ? "\(count) \(word)" : nil
    }
    if report.unchanged > 0 || parts.isEmpty { parts.append("\(report.unchanged) unchanged") }
    if report.gone > 0 { parts.append("\(report.gone) unpublished earlier") }
    if report.unselected > 0 { parts.append("\(report.unselected) not selected") }
    return "\(report.owned) of your publications: " + parts.joined(separator: ", ")
  }

  fileprivate static func words(_ outcome: PullReport.Outcome) -> (String, String?) {
    switch outcome {
    case .taken: ("taken", nil)
    case .merged: ("merged", nil)
    case .created: ("created", nil)
    case .withdrawn: ("private", "it was unpublished elsewhere; its content is kept")
    case .conflict(let why): ("conflict", why)
    case .rejected(let why): ("rejected", why)
    case .missing: ("missing", nil)
    case .skipped(let why): ("skipped", why)
    }
  }
}
