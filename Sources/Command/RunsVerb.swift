import ArgumentParser
import FleetKit

/// `fleetkit runs`.
struct RunsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List the runs that changed a library, with their times, commands, sources and results.",
    discussion: """
      Every command that writes to a library is recorded before it starts. The newest run is listed first. To undo a \
      run, use 'fleetkit undo'; to resume an interrupted import, use 'fleetkit import --resume'. Listing \
      changes nothing, and works during a run.

      EXAMPLES
        fleetkit runs anyfleet.sqlite
        fleetkit runs show 7                        of the only library here
        fleetkit runs show 7 --library anyfleet.sqlite

      EXIT STATUS
        0   listed
        2   no such library
        64  no such run
      """,
    subcommands: [RunsListVerb.self, RunsShowVerb.self], defaultSubcommand: RunsListVerb.self)
}

/// `fleetkit runs LIBRARY`.
struct RunsListVerb: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the runs of a library.")

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    try output.print(RunsReport(RunList(library), library: library))
  }
}

/// `fleetkit runs show ID`.
struct RunsShowVerb: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one run in full.")

  @OptionGroup var reference: RunReference
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let (id, library) = try reference.resolve()
    try output.print(RunReport(RunList(library).run(id), library: library))
  }
}

/// The report of `runs`.
struct RunsReport: Report {
  private let command = "runs"
  private let status = ExitStatus.success
  private let library: String
  private let runs: [RunEntry]
  @TextOnly private var list: RunList

  init(_ list: RunList, library: String) {
    (self.library, runs) = (library, list.runs.map(RunEntry.init))
    self.list = list
  }

  func render(_ output: OutputOptions) {
    if list.runs.isEmpty { return Terminal.report("\(TerminalEscaping.escape(library)) has no runs yet.") }
    var table = Table(
      ["run", "when (UTC)", "command", "from", "created", "updated", "unchanged", "rejected", "state"],
      rightAligned: [0, 4, 5, 6, 7])
    for run in list.runs {
      table.add(
        ["\(run.id)", time(run.started), TerminalEscaping.escape(run.command), TerminalEscaping.escape(from(run))]
          + ["created", "updated", "unchanged", "rejected"].map { run.count($0).map { "\($0)" } ?? "" } + [state(run)])
    }
    for line in table.lines(width: Terminal.width, flexible: 3) { Terminal.print(line) }
  }

  /// Returns the last components of the paths of a run's sources.
  private func from(_ run: RunRecord) -> String {
    run.sources.map { source in
      let parts = source.split(separator: "/")
      return parts.last.map { String($0) + (source.hasSuffix("/") ? "/" : "") } ?? source
    }.joined(separator: ", ")
  }
}

/// The report of `runs show`.
struct RunReport: Report {
  private let command = "runs"
  private let status = ExitStatus.success
  private let library: String
  private let run: RunEntry
  @TextOnly private var record: RunRecord

  init(_ record: RunRecord, library: String) {
    (self.library, run) = (library, RunEntry(record))
    self.record = record
  }

  func render(_ output: OutputOptions) {
    let run = record
    func line(_ name: String, _ value: String) {
      Terminal.print("  " + name.padding(toLength: 11, withPad: " ", startingAt: 0) + TerminalEscaping.escape(value))
    }
    Terminal.print("Run \(run.id) of \(TerminalEscaping.escape(library)): \(TerminalEscaping.escape(run.command))")
    line("state", state(run))
    line("started", time(run.started) + " UTC")
    if let finished = run.finished { line("finished", time(finished) + " UTC") }
    for source in run.sources { line("from", source) }
    for (name, word) in [
      ("read", "read"), ("created", "created"), ("updated", "updated"), ("unchanged", "unchanged"),
      ("rejected", "rejected"), ("skipped", "skipped"), ("kept_beside", "kept"), ("marked", "marked"),
      ("removed", "removed"),
      ("put_back", "put back"),
    ] {
      if let count = run.count(name) { line(word, "\(count)") }
    }
    if let backup = run.backup { line("backup", backup) }
    let path = TerminalEscaping.shellQuoted(library)
    if run.state == .interrupted, run.request != nil {
      Terminal.report(
        "It has changed nothing so far. To resume it, run: fleetkit import --resume \(run.id) --into \(path)")
    }
    if run.canUndo { Terminal.report("To undo it, run: fleetkit undo \(run.id) --library \(path)") }
  }

}

private func time(_ text: String) -> String {
  TerminalEscaping.escape(String(text.prefix(19)).replacing("T", with: " "))
}

private func state(_ run: RunRecord) -> String {
  run.state.rawValue + (run.madeLibrary && run.state == .done ? ", created the library" : "")
    + (run.undoneBy.map { " by \($0)" } ?? "")
}

/// A run in a report.
private struct RunEntry: Encodable {
  let id: Int64
  let command, state, started: String
  let finished: String?
  let from: [String]
  let counts: RawJSON?
  let backup: String?
  let undoes, undoneBy: Int64?
  let madeLibrary, canUndo, canResume: Bool
  let request: RawJSON?

  init(_ run: RunRecord) {
    (id, command, state, started) = (run.id, run.command, run.state.rawValue, run.started)
    (finished, from, counts, backup) = (run.finished, run.sources, Self.sound(run.counts), run.backup)
    (undoes, undoneBy, madeLibrary, canUndo) = (run.undoes, run.undoneBy, run.madeLibrary, run.canUndo)
    canResume = run.state == .interrupted && run.request != nil
    request = Self.sound(run.request)
  }

  /// Returns JSON from a library's sidecar; nil if the JSON is damaged.
  private static func sound(_ text: String?) -> RawJSON? {
    text.flatMap { try? JSONDocument(parsing: $0) }.map { RawJSON($0.root.text) }
  }
}
