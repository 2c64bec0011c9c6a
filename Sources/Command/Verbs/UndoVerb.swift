import ArgumentParser
import FleetKit

/// `fleetkit undo`.
struct UndoVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back what a run did to a library: exactly, and all of it.",
    discussion: """
      The library is afterwards as it was before the run, row for row: what the run brought goes, what it changed or \
      deleted comes back. Records that were changed since, by you or by a later run, are named and stop it; \
      --skip-changed leaves those as they are and takes the rest back. The last 20 runs that changed something can be \
      undone. An undo is a run itself: undo its number, and everything is there again. 'last' is the newest run that \
      changed something and was not undone; repeated, it goes back one run after another.

      EXAMPLES
        fleetkit runs anyfleet.sqlite   which run was it?
        fleetkit undo 7 --library anyfleet.sqlite --dry-run
        fleetkit undo last anyfleet.sqlite
        fleetkit undo 7                 the only library of this folder
        fleetkit undo anyfleet.sqlite 7 --skip-changed

      EXIT STATUS
        0   undone
        3   undone but for what was changed since
        4   refused, nothing was changed
        7   locked by another program
        64  there is no such run
      """)

  @OptionGroup var reference: RunReference

  @Flag(name: .long, help: "Leave records that were changed since as they are, and take the rest back (exit 3).")
  var skipChanged = false

  @Flag(name: .long, help: "Do everything except the last step: nothing is changed.")
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
