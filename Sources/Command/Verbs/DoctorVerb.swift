import ArgumentParser
import FleetKit

/// `fleetkit doctor`.
struct DoctorVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find problems in a library, including content that the app would lose, and repair them.",
    discussion: """
      Without --repair, every record, the queue and the schema are read, and nothing is changed. The exit status is \
      1 if there are errors. With --repair, a backup is made first, then everything is repaired in one transaction. \
      Nothing is deleted: records that cannot be repaired move to a bundle next to the library. If a repaired value \
      contains less than the original, the original is also kept there.

      With --recover, a damaged file that SQLite cannot open is read page by page, and a new library is written. Rows \
      that may be deleted or outdated go to a bundle in its sidecar. The exit status is 3 if something is missing or \
      uncertain.

      EXAMPLES
        fleetkit doctor anyfleet.sqlite            list the problems
        fleetkit doctor anyfleet.sqlite -v         show every finding in full
        fleetkit doctor anyfleet.sqlite --repair --dry-run
            show what would be repaired
        fleetkit doctor anyfleet.sqlite --repair   make a backup, then repair
        fleetkit doctor anyfleet.sqlite --recover new.sqlite
            recover a damaged file
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Flag(name: .long, help: "Make a backup, then repair everything that can be repaired.")
  var repair = false

  @Option(
    name: .long, help: "Recover a damaged library page by page, and write a new one.",
    completion: .file())
  var recover: String?

  @Flag(name: .long, help: "With --repair: show what would be done; change nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if recover != nil, repair {
      throw ValidationError("--recover cannot be used with --repair: recover first, then repair the new library.")
    }
    if dryRun, !repair { throw ValidationError("--dry-run requires --repair; without --repair nothing is changed.") }
  }

  func run() throws {
    if let recover { return try runRecovery(to: recover) }
    var doctor = LibraryDoctor(library)
    // -v shows every finding in full. Otherwise memory is bounded by the number of kinds.
    if output.verbose { doctor.keptFindings = .max }
    doctor.onProgress = output.quiet ? nil : Progress("").steps
    if repair { return try runRepair(doctor) }
    let checkup = try doctor.examine()
    Progress.clear()
    let status: ExitStatus = checkup.hasErrors ? .findings : .success
    try output.print(DoctorReport(checkup, library: library, status: status))
    throw ExitCode(status.rawValue)
  }

  private func runRecovery(to target: String) throws {
    var recovery = LibraryRecovery(library, to: target)
    recovery.onProgress = output.quiet ? nil : Progress("").steps
    let report = try recovery.run(now: RunContext.currentTime)
    Progress.clear()
    let status: ExitStatus = report.isWhole ? .success : .partial
    try output.print(RecoveryReport(report, library: library, target: target, status: status))
    throw ExitCode(status.rawValue)
  }

  private func runRepair(_ doctor: LibraryDoctor) throws {
    let repair = try doctor.repair(now: RunContext.currentTime, dryRun: dryRun)
    Progress.clear()
    // Remaining findings that are more severe than notes cannot be repaired.
    var status: ExitStatus = repair.left.worst == .error ? .findings : .success
    if repair.partsLost > 0 { status = status.combined(with: .partial) }
    try output.print(RepairReport(repair, library: library, dryRun: dryRun, status: status))
    throw ExitCode(status.rawValue)
  }
}
