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

/// The report of `backup`.
struct BackupReport: Report {
  struct Changes: Encodable { let put, gone: Int }

  struct Broken: Encodable { let path, reason: String }

  struct Rotation: Encodable {
    let kept, freed, others: Int
    let removed, damaged: [String]
    let left: [BackupRotation.Left]

    init(_ report: BackupRotation.Report) {
      (kept, freed, others) = (report.kept.count, report.freed, report.others)
      (removed, damaged, left) = (report.removed, report.damaged, report.left)
    }
  }

  let command = "backup"
  let status: ExitStatus
  let library, target, name: String
  let origin: String?
  let takenAt: Timestamp
  let schema: String?
  let bytes, libraryBytes: Int
  let seconds, copySeconds: Seconds
  @IfPresent var proof: ProofReport?
  @IfPresent var provedByIndexOnly: Bool?
  let counts: Members<Int>
  let unreadable, media, depth: Int
  @IfPresent var parent: BackupInfo.Parent?
  @IfPresent var changes: Changes?
  let fullBecause, madeFolder, parentElsewhere: String?
  let damagedMedia: [String]
  @IfPresent var brokenChain: Broken?
  @IfPresent var rotation: Rotation?
  let findings: FindingsReport
  @TextOnly var text: (report: LibraryBackup.Report, proof: BackupProof.Result?, log: DiagnosticLog, isPiped: Bool)

  init(
    _ report: LibraryBackup.Report, library: String, proof: BackupProof.Result?, context: RunContext, isPiped: Bool
  ) {
    let info = report.info
    status = report.status
    (self.library, target, name, origin) = (library, report.path, info.name, info.origin)
    (takenAt, schema, bytes, libraryBytes) = (info.takenAt, info.schema, report.bytes, info.libraryBytes)
    (seconds, copySeconds) = (Seconds(report.seconds), Seconds(report.copySeconds))
    self.proof = proof.map { ProofReport($0.proof) }
    provedByIndexOnly = proof?.isOfIndexOnly
    counts = info.countsByKind
    (unreadable, media, depth, parent) = (info.unreadable, info.media.count, info.depth, info.parent)
    changes = report.changes.map { Changes(put: $0.put, gone: $0.gone) }
    (fullBecause, madeFolder) = (report.fullBecause, report.madeFolder)
    (parentElsewhere, damagedMedia) = (report.parentElsewhere, report.damagedMedia)
    brokenChain = report.broken.map { Broken(path: $0.path, reason: $0.reason) }
    rotation = report.rotation.map(Rotation.init)
    findings = FindingsReport(context.findings)
    text = (report, proof, context.findings, isPiped)
  }

  func render(_ output: OutputOptions) {
    if !output.quiet {
      printSummary(verbose: output.verbose)
      if let proof = text.proof { Terminal.report(ProofRenderer.backupLine(proof)) }
    }
    // Printed even with --quiet.
    if output.quiet, let broken = text.report.broken {
      Terminal.report("warning: \(TerminalEscaping.escape(broken.reason))")
    }
    if text.report.broken != nil {
      Terminal.report("This backup is full and complete. Check the disk, and move the damaged backups elsewhere.")
    }
    if let rotation = text.report.rotation { RotationRenderer.warn(rotation, isDryRun: false) }
  }

  private func printSummary(verbose: Bool) {
    let report = text.report
    let target = text.isPiped ? "standard output" : report.path
    SummaryRenderer.findings(text.log, verbose: verbose)
    let info = report.info
    for path in report.damagedMedia {
      Terminal.report(
        "warning: '\(TerminalEscaping.escape(path))' does not match the checksum in its name and was left out")
    }
    if info.unreadable > 0 {
      Terminal.report(
        "warning: \(Plural.count(info.unreadable, "record")) cannot be read and "
          + "\(info.unreadable == 1 ? "is" : "are") not in the index; the snapshot contains what is left of them.")
    }
    if let folder = report.madeFolder { Terminal.report("Created the folder \(TerminalEscaping.escape(folder))") }
    if let parent = report.parentElsewhere {
      Terminal.report(
        "warning: this backup needs '\(TerminalEscaping.escape(parent))', which is in another folder; to restore it, "
          + "put both in the same folder")
    }
    if report.broken == nil, let reason = report.fullBecause {
      Terminal.report("Making a full backup, because \(TerminalEscaping.escape(reason)).")
    }
    let counts = info.counts.map { Figures.count($0.number, RecordKind($0.kind)) }.joined(separator: ", ")
    Terminal.report(
      "Backed up \(TerminalEscaping.escape(info.library)) to \(TerminalEscaping.escape(target)): "
        + "\(counts.isEmpty ? "no records" : TerminalEscaping.escape(counts)); "
        + "\(Figures.bytes(report.bytes)) in \(Figures.duration(report.seconds))")
    if let parent = info.parent, let changes = report.changes {
      Terminal.report(
        "  changes since \(TerminalEscaping.escape(parent.file)): \(Plural.count(changes.put, "row")) new or changed, "
          + "\(changes.gone) deleted; to restore it you need that backup"
          + "\(info.depth == 1 ? "" : " and \(info.depth - 1) before it")"
      )
    }
    if let rotation = report.rotation { RotationRenderer.print(rotation, verbose: verbose, isDryRun: false) }
  }
}

/// Renders what happens to older backups, for people.
private enum RotationRenderer {
  static func print(_ rotation: BackupRotation.Report, verbose: Bool, isDryRun: Bool) {
    let removed = rotation.removed.count
    Terminal.report(
      "  \(isDryRun ? "would keep" : "kept") \(Plural.count(rotation.kept.count, isDryRun ? "older backup" : "backup"))"
        + ", \(isDryRun ? "would remove" : "removed") \(removed)"
        + (removed > 0 ? " (\(Figures.bytes(rotation.freed)))" : ""))
    if verbose || isDryRun {
      for path in rotation.removed {
        Terminal.report("    \(isDryRun ? "would remove" : "removed") \(TerminalEscaping.escape(path))")
      }
    }
    if verbose, isDryRun {
      for kept in rotation.kept {
        Terminal.report("    would keep \(TerminalEscaping.escape(kept.path)) (\(kept.reason))")
      }
    }
    if rotation.others > 0 {
      Terminal.report(
        "  ignored: \(Plural.count(rotation.others, "backup")) of a library with the same name in "
          + "another location")
    }
    let damaged = Set(rotation.damaged)
    for left in rotation.left where !damaged.contains(left.path) {
      Terminal.report("  ignored: \(TerminalEscaping.escape("\(left.path): \(left.reason)"))")
    }
  }

  /// Warns of damaged older backups, even with --quiet.
  static func warn(_ rotation: BackupRotation.Report, isDryRun: Bool) {
    let damaged = Set(rotation.damaged)
    for left in rotation.left where damaged.contains(left.path) {
      Terminal.report("warning: \(TerminalEscaping.escape("\(left.path): \(left.reason)")); not counted for retention")
    }
    guard !damaged.isEmpty else { return }
    Terminal.report(
      "\(isDryRun ? "" : "The new backup is complete. ")Check the disk, and move the damaged backups elsewhere.")
  }
}

/// The report of `backup --dry-run`.
struct BackupPlanReport: Report {
  let command = "backup"
  let status: ExitStatus
  let dryRun = true
  let library, target, name: String
  let origin: String?
  let since, fullBecause, madeFolder: String?
  @IfPresent var brokenChain: BackupReport.Broken?
  @IfPresent var rotation: BackupReport.Rotation?
  @TextOnly var plan: LibraryBackup.Plan

  init(_ plan: LibraryBackup.Plan, of backup: LibraryBackup) {
    (status, library, target, name, origin) = (plan.status, backup.library, plan.path, backup.name, plan.origin)
    (since, fullBecause, madeFolder) = (plan.since, plan.fullBecause, plan.madeFolder)
    brokenChain = plan.broken.map { BackupReport.Broken(path: $0.path, reason: $0.reason) }
    rotation = plan.rotation.map(BackupReport.Rotation.init)
    self.plan = plan
  }

  func render(_ output: OutputOptions) {
    if let broken = plan.broken { Terminal.report("warning: \(TerminalEscaping.escape(broken.reason))") }
    if !output.quiet {
      if plan.broken == nil, let reason = fullBecause {
        Terminal.report("Would make a full backup, because \(TerminalEscaping.escape(reason)).")
      }
      let since = since.map { " with the changes since \(TerminalEscaping.escape($0))" } ?? ", a full backup"
      Terminal.report(
        "Would back up \(TerminalEscaping.escape(library)) to \(TerminalEscaping.escape(target))\(since).")
      if let rotation = plan.rotation { RotationRenderer.print(rotation, verbose: output.verbose, isDryRun: true) }
      Terminal.report("Nothing was written or removed (--dry-run).")
    }
    if let rotation = plan.rotation { RotationRenderer.warn(rotation, isDryRun: true) }
  }
}

extension BackupInfo {
  /// The number of records of each kind, in the order of the index.
  var countsByKind: Members<Int> { Members(counts.map { ($0.kind, $0.number) }) }
}
