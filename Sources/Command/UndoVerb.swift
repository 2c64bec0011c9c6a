import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit undo`.
struct UndoVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo a run: restore a library exactly as it was before.",
    discussion: """
      Restores every row to its state before the run: records that the run added are removed, and those that it \
      changed or deleted are put back. If records were changed since, by you or by a later run, they are listed and \
      nothing is undone; --skip-changed leaves them unchanged and undoes the rest. The last 20 runs that changed \
      something can be undone. An undo is itself a run and can be undone. 'last' is the newest run that changed \
      something and was not undone; repeat it to go back one run at a time.

      EXAMPLES
        fleetkit runs anyfleet.sqlite   list the runs
        fleetkit undo 7 --library anyfleet.sqlite --dry-run
        fleetkit undo last anyfleet.sqlite
        fleetkit undo 7                 in the only library here
        fleetkit undo anyfleet.sqlite 7 --skip-changed

      EXIT STATUS
        0   undone
        3   undone, except for records that have changed since
        4   refused, nothing was changed
        7   locked by another program
        64  no such run
      """)

  @OptionGroup var reference: RunReference

  @Flag(name: .long, help: "Skip records that have changed since the run, and undo the rest (exit 3).")
  var skipChanged = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let (id, library) = try reference.resolve()
    var undo = UndoRun(id, of: library)
    undo.skipsChanged = skipChanged
    undo.dryRun = dryRun
    undo.onProgress = output.quiet ? nil : Progress("").steps
    let report = try undo.run()
    Progress.clear()
    try output.print(UndoReport(report, undo))
    throw ExitCode(report.status.rawValue)
  }
}

/// The report of `undo`.
struct UndoReport: Report {
  let command = "undo"
  let status: ExitStatus
  let library: String
  let undone: Int64
  let undoneCommand: String
  let run: Int64?
  let dryRun, refused: Bool
  let removed, putBack: [String: Int]
  let media: Int
  let changed: [UndoRun.ChangedRecord]
  let seconds: Seconds
  @TextOnly var text: (report: UndoRun.Report, undo: UndoRun)

  init(_ report: UndoRun.Report, _ undo: UndoRun) {
    (status, library, undone, undoneCommand) = (report.status, undo.library, undo.id, report.command)
    (run, dryRun, refused) = (report.run, undo.dryRun, report.isRefused)
    (removed, putBack, media) = (report.removed, report.putBack, report.media)
    (changed, seconds) = (report.changed, Seconds(report.seconds))
    text = (report, undo)
  }

  /// The number of changed records that are named without -v.
  private static let named = 20

  func render(_ output: OutputOptions) {
    let (report, undo) = text
    let library = TerminalEscaping.escape(undo.library)
    if report.isRefused || !output.quiet {
      let shown = output.verbose ? report.changed.count : Self.named
      for record in report.changed.prefix(shown) {
        let title = record.title.map { " “\(TerminalEscaping.escape($0))”" } ?? ""
        Terminal.report("  \(word(record.kind)) \(TerminalEscaping.escape(record.id))\(title): \(what(record.what))")
      }
      if report.changed.count > shown { Terminal.report("  and \(report.changed.count - shown) more (-v names all)") }
    }
    if report.isRefused {
      let count = report.changed.count
      return Terminal.complain(
        "fleetkit: undo run \(undo.id) of '\(library)': \(why(report)); nothing was changed. "
          + "To skip \(count == 1 ? "it" : "them") and undo the rest, use --skip-changed.")
    }
    if output.quiet { return }
    let removed = list(report.removed)
    let back = list(report.putBack)
    let time = Figures.duration(report.seconds)
    if removed.isEmpty, back.isEmpty {
      Terminal.report("No records of \(library) \(undo.dryRun ? "would be" : "were") changed, in \(time).")
    } else {
      let parts = [removed.isEmpty ? nil : "\(removed) removed", back.isEmpty ? nil : "\(back) put back"].compactMap {
        $0
      }
      Terminal.report(
        "Run \(undo.id) (\(TerminalEscaping.escape(report.command))) \(undo.dryRun ? "would be" : "was") undone: "
          + "\(parts.joined(separator: ", ")), in \(time).")
    }
    if report.media > 0 {
      Terminal.report(
        "Also removes \(report.media) attachment\(report.media == 1 ? "" : "s") that nothing uses any more.")
    }
    if !report.changed.isEmpty {
      Terminal.report(
        "\(why(report)); \(report.changed.count == 1 ? "it is left unchanged" : "they are left unchanged").")
    }
    if undo.dryRun { return Terminal.report("Nothing was changed (--dry-run).") }
    if let run = report.run { Terminal.report("This is run \(run); to undo it, run 'fleetkit undo \(run)'.") }
  }

  /// Returns why records cannot be undone: `2 records were changed since, and 1 record is needed by newer records`.
  private func why(_ report: UndoRun.Report) -> String {
    let needed = report.changed.filter { $0.what == .needed }.count
    let changed = report.changed.count - needed
    let parts = [
      changed == 0 ? nil : "\(changed) record\(changed == 1 ? " was" : "s were") changed since",
      needed == 0 ? nil : "\(needed) record\(needed == 1 ? " is" : "s are") needed by newer records",
    ]
    return parts.compactMap { $0 }.joined(separator: ", and ")
  }

  /// Renders counts by kind: `2 items and 1 charter`.
  private func list(_ counts: [String: Int]) -> String {
    let parts = counts.sorted { $0.key < $1.key }.map { Plural.count($0.value, word($0.key)) }
    guard let last = parts.last else { return "" }
    return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
  }

  private func word(_ kind: String) -> String { TerminalEscaping.escape(kind.replacing("_", with: " ")) }

  private func what(_ obstacle: UndoObstacle) -> String {
    switch obstacle {
    case .changed: "changed since"
    case .deleted: "deleted since"
    case .madeAnew: "recreated since"
    case .needed: "needed by newer records"
    }
  }
}

/// A run of a library: `7`, `7 LIBRARY`, `LIBRARY 7`, or `7 --library LIBRARY`; `last` in place of the number.
struct RunReference: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The run's number or 'last', and the library if this folder has several; in any order.",
      valueName: "id-and-library"),
    completion: .file())
  var words: [String] = []

  @Option(name: .long, help: "The library, the app's SQLite file.", completion: .file())
  var library: String?

  func validate() throws {
    _ = try number()
    if words.count > (library == nil ? 2 : 1) { throw ValidationError("Give one run and at most one library.") }
  }

  /// Returns the number, which is nil for the last run, and the remaining words.
  private func number() throws -> (id: Int64?, rest: [String]) {
    // A library may be named 7, so a number that is also a file is the library.
    let numbers = words.indices.filter { words[$0] == Self.last || Int64(words[$0]).map { $0 > 0 } ?? false }
    guard
      let index = numbers.first(where: { words.count == 1 || !FileManager.default.fileExists(atPath: words[$0]) })
        ?? numbers.first
    else {
      throw ValidationError("Give the run's number, as listed by 'fleetkit runs', or 'last'.")
    }
    var rest = words
    rest.remove(at: index)
    return (Int64(words[index]), rest)
  }

  private static let last = "last"

  /// Returns the run's number and the library.
  /// - Throws: `RunFailure` with status 64 if no library is named and the current folder does not have exactly one
  ///   library with runs, or if there is no last run; 2 if the runs cannot be read.
  func resolve() throws -> (id: Int64, library: String) {
    let (id, rest) = try number()
    let library = try library ?? rest.first ?? Self.libraryHere(for: id.map { "\($0)" } ?? Self.last)
    if let id { return (id, library) }
    guard let run = try RunList(library).last else {
      throw RunFailure(
        .usage, "find the last run of '\(library)': no run changed it, or all runs were undone",
        advice: "To list the runs, run: fleetkit runs \(TerminalEscaping.shellQuoted(library))")
    }
    return (run.id, library)
  }

  /// Returns the only library in the current folder that has runs.
  private static func libraryHere(for id: String) throws -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
    let found = names.filter { $0.hasSuffix(".sqlite") && names.contains($0 + ".fleetkit") }.sorted()
    if found.count == 1, let one = found.first { return one }
    let what =
      found.isEmpty
      ? "no library in this folder has any runs"
      : "this folder has several libraries: \(found.map { "'\($0)'" }.joined(separator: ", "))"
    throw RunFailure(.usage, "find run \(id): \(what)", advice: "Name the library: \(id) --library LIBRARY.")
  }
}
