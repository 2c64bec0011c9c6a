import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit backup`.
struct BackupVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up a library, even while it is in use: a snapshot, an index of every record, and its sidecar.",
    discussion: """
      The app may be open and writing: the backup contains the library as of one moment. It is a pack that \
      any BagIt tool can check (a bag, with the SHA-256 of every file), readable by its owner only. With --since it \
      contains only the changes since another backup, which is then needed to restore it.

      EXAMPLES
        fleetkit backup anyfleet.sqlite --to backups/
            a full backup, named after its time
        fleetkit backup anyfleet.sqlite --to backups/ --since backups/
            the changes since the newest backup
        fleetkit backup anyfleet.sqlite --to backups/ --keep 7d,4w,12m
            and remove backups that are no longer needed
        fleetkit backup anyfleet.sqlite --to backups/ --keep 7d,4w --dry-run
            show what would be removed
        fleetkit backup anyfleet.sqlite dinghy.sqlite --to backups/
            several libraries
        fleetkit backup anyfleet.sqlite --to before.zip --with-jsonl
            with a copy of everything as text
        fleetkit backup anyfleet.sqlite --to - | age -r age1… > x.age
            encrypted with age

      To check a backup, use --prove when you make it, or at any time: fleetkit verify FILE --restore

      EXIT STATUS
        0  done
        2  the library cannot be read, or the backup cannot be written
        4  refused: the file exists, or the parent would be overwritten or belongs
           to another library
        5  an older backup is damaged or missing; the new one was made, and is full
           if it would have depended on the older one
        6  the library or the parent needs a newer FleetKit
        7  the library is locked by another program
      """)

  @Argument(help: "The app's SQLite file; several are backed up into one folder.", completion: .file())
  var libraries: [String]

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The new file (.fleetpack, .zip, .tar.gz); a folder, with a slash at its end; or - for standard output.",
      valueName: "file|dir/"),
    completion: .file())
  var to: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Back up only the changes since this backup, or since the newest backup of this library in a folder.",
      valueName: "file|dir"),
    completion: .file())
  var since: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Afterwards keep the newest backup of each of the last hours, days, weeks, months or years; remove the rest.",
      valueName: "7d,4w,12m"))
  var keep: String?

  @Flag(name: .long, help: "Add a JSON bundle of everything, for long-term storage.")
  var withJsonl = false

  @Flag(
    name: .long,
    help: """
      Restore the backup to a temporary folder and compare every record with the library, field by field. If there is \
      a difference, exit with 5 and add .unproved to the file's name.
      """)
  var prove = false

  @Flag(name: .long, help: "Replace an existing file.")
  var overwrite = false

  @Flag(name: .long, help: "Show the target and what --keep would remove; write and remove nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if libraries.count > 1 {
      guard to != "-", to.hasSuffix("/") || Self.isFolder(to) else {
        throw ValidationError("To back up several libraries, name a folder: --to DIR/.")
      }
      if let since, !Self.isFolder(since), !since.hasSuffix("/") {
        throw ValidationError("--since must be a folder if several libraries are backed up.")
      }
    }
    if dryRun, prove { throw ValidationError("--prove cannot be used with --dry-run, which writes nothing.") }
    if to == "-", output.json {
      throw ValidationError("--json cannot be used with --to -: both write to standard output.")
    }
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
        // A library that cannot be read does not stop the backups of the others.
        Progress.clear()
        if output.json { Terminal.print(try ReportEncoder.encode(FailureReport(failure))) }
        Terminal.complain("fleetkit: " + TerminalEscaping.escape(failure.sentences))
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
      ? try ProofRenderer.reporting(verb: "backup", target: to, output: output) {
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
