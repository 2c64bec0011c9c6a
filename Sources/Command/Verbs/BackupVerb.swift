import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit backup`.
struct BackupVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back a library up while it is in use: a snapshot, an index of every record, and what lies beside it.",
    discussion: """
      The app may be open and writing: the backup shows the library as it was at one moment. It is a pack that \
      anybody can check (a bag, SHA-256 of every file), readable by its owner only. With --since it holds only what has \
      changed since another backup, which it needs from then on.

      EXAMPLES
        fleetkit backup anyfleet.sqlite --to backups/
            a full backup, named by its time
        fleetkit backup anyfleet.sqlite --to backups/ --since backups/
            what has changed since the newest one
        fleetkit backup anyfleet.sqlite --to backups/ --keep 7d,4w,12m
            and remove those that are no longer needed
        fleetkit backup anyfleet.sqlite --to backups/ --keep 7d,4w --dry-run
            what would be removed
        fleetkit backup anyfleet.sqlite dinghy.sqlite --to backups/
            several libraries
        fleetkit backup anyfleet.sqlite --to before.zip --with-jsonl
            with everything as text too
        fleetkit backup anyfleet.sqlite --to - | age -r age1… > x.age
            encrypted, and never on this disk

      What came of it is proved by --prove at once, or at any time by: fleetkit verify FILE --restore

      EXIT STATUS
        0  done
        2  it cannot be read or written
        4  refused: a file is there, or the parent would be written over, or is
               another library's
        5  an older backup is damaged or missing; the new one is made, and full
               where it would have needed that
        6  it is newer than this FleetKit
        7  others keep the library
      """)

  @Argument(help: "The app's SQLite file; several go into one folder.", completion: .file())
  var libraries: [String]

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The new file (.fleetpack, .zip, .tar.gz), a folder of backups with a slash at its end, or - for a pipe.",
      valueName: "file|dir/"),
    completion: .file())
  var to: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Keep only what has changed since this backup; of a folder, since its newest one of this library.",
      valueName: "file|dir"),
    completion: .file())
  var since: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Afterwards keep the newest backup of each of so many hours, days, weeks, months, years; remove the others.",
      valueName: "7d,4w,12m"))
  var keep: String?

  @Flag(name: .long, help: "Add everything as a JSON bundle, for the far future.")
  var withJsonl = false

  @Flag(
    name: .long,
    help: """
      Restore it into a private place at once, and compare every record with the library, field by field; a difference \
      ends with 5, and the file is called .unproved then.
      """)
  var prove = false

  @Flag(name: .long, help: "Replace a file of that name.")
  var overwrite = false

  @Flag(name: .long, help: "Show where it would go and what --keep would remove; write and remove nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if libraries.count > 1 {
      guard to != "-", to.hasSuffix("/") || Self.isFolder(to) else {
        throw ValidationError("Several libraries go into a folder: --to DIR/.")
      }
      if let since, !Self.isFolder(since), !since.hasSuffix("/") {
        throw ValidationError("--since takes a folder where several libraries are backed up.")
      }
    }
    if dryRun, prove { throw ValidationError("--prove proves what was written: it does not go with --dry-run.") }
    if to == "-", output.json { throw ValidationError("--json and --to - both want standard output.") }
  }

  func run() throws {
    let pipe = to == "-" ? try PipedFile() : nil
    if pipe != nil, isatty(1) != 0 {
      throw RunFailure(
        .usage, "back up to standard output: it is a terminal", advice: "Pipe it into a program, or name a file.")
    }
    var status = ExitStatus.success
    for library in libraries {
      do {
        status = status.combined(with: try run(library, pipe))
      } catch let failure as RunFailure where libraries.count > 1 && failure.status != .interrupted {
        // One library that cannot be read does not stop the backups of the others.
        Progress.clear()
        if output.json { Terminal.print(try ReportEncoder.encode(FailureReport(failure))) }
        Terminal.complain("fleetkit: " + TerminalText.escape(failure.sentences))
        status = status.combined(with: failure.status)
      }
    }
    throw ExitCode(status.rawValue)
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  private func run(_ library: String, _ pipe: PipedFile?) throws -> ExitStatus {
    var backup = LibraryBackup(library, to: pipe?.path ?? to)
    backup.since = since
    backup.keep = try keep.map { try RetentionPolicy(parsing: $0) }
    backup.withBundle = withJsonl
    backup.overwrites = overwrite
    backup.onProgress = output.quiet ? nil : Progress("").steps
    let context = RunContext(now: RunContext.currentTime)
    if dryRun {
      let plan = try backup.plan(context: context)
      Progress.clear()
      try output.print(BackupPlanReport(plan, of: backup))
      return plan.status
    }
    let proved =
      prove
      ? try ProofText.reporting(verb: "backup", target: to, output: output) {
        try BackupProof(backup).run(context: context)
      } : nil
    let report = try proved?.report ?? backup.run(context: context)
    Progress.clear()
    try pipe?.send(to: 1)
    try output.print(
      BackupReport(report, library: library, proof: proved, context: context, isPiped: pipe != nil))
    return report.status
  }
}
