import ArgumentParser
import FleetKit

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
