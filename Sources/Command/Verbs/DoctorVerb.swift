import ArgumentParser
import FleetKit

/// `fleetkit doctor`.
struct DoctorVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what is wrong with a library and what the app would lose; repair it on request.",
    discussion: """
      Without --repair it only reads: every record, the queue, the schema. The exit status is 1 when something \
      is an error. With --repair it makes a backup first, then repairs everything at once or nothing at all. \
      Nothing is deleted: what cannot be repaired moves into a bundle beside the library, and where a repaired \
      value says less than the original, the original is kept there too.

      With --recover it reads a damaged file that SQLite refuses, page by page, and writes a new library. Rows that \
      may be deleted or old go into a bundle in its folder. The exit status is 3 when something is missing or uncertain.

      EXAMPLES
        fleetkit doctor anyfleet.sqlite            what is wrong?
        fleetkit doctor anyfleet.sqlite -v         every finding in full
        fleetkit doctor anyfleet.sqlite --repair --dry-run
            what would be repaired
        fleetkit doctor anyfleet.sqlite --repair   repair it; a backup is made first
        fleetkit doctor anyfleet.sqlite --recover new.sqlite
            the file is damaged: save what can be read
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Flag(name: .long, help: "Repair what can be repaired; a backup is made first.")
  var repair = false

  @Option(
    name: .long, help: "Write a new library with what can be read of a damaged one, page by page.",
    completion: .file())
  var recover: String?

  @Flag(name: .long, help: "With --repair: say what would be done; change nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if recover != nil, repair { throw ValidationError("--recover NEW first, then --repair of the new library.") }
    if dryRun, !repair { throw ValidationError("--dry-run belongs to --repair; without it nothing is changed anyway.") }
  }

  func run() throws {
    if let recover { return try runRecovery(to: recover) }
    var doctor = LibraryDoctor(library)
    // Every finding in full is what -v is for; otherwise memory is bounded by the number of kinds.
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
    // What is left above a note is nothing that a repair may touch.
    var status: ExitStatus = repair.left.worst == .error ? .findings : .success
    if repair.partsLost > 0 { status = status.combined(with: .partial) }
    try output.print(RepairReport(repair, library: library, dryRun: dryRun, status: status))
    throw ExitCode(status.rawValue)
  }
}
