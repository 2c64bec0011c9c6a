import FleetKit

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
      say(verbose: output.verbose)
      if let proof = text.proof { Terminal.say(ProofRenderer.backupLine(proof)) }
    }
    // Printed even with --quiet.
    if output.quiet, let broken = text.report.broken {
      Terminal.say("warning: \(TerminalEscaping.escape(broken.reason))")
    }
    if text.report.broken != nil {
      Terminal.say("This backup is full and complete. Check the disk, and move the damaged backups elsewhere.")
    }
    if let rotation = text.report.rotation { RotationRenderer.warn(rotation, isDryRun: false) }
  }

  private func say(verbose: Bool) {
    let report = text.report
    let target = text.isPiped ? "standard output" : report.path
    SummaryRenderer.findings(text.log, verbose: verbose)
    let info = report.info
    for path in report.damagedMedia {
      Terminal.say(
        "warning: '\(TerminalEscaping.escape(path))' does not match the checksum in its name and was left out")
    }
    if info.unreadable > 0 {
      Terminal.say(
        "warning: \(Plural.count(info.unreadable, "record")) cannot be read and "
          + "\(info.unreadable == 1 ? "is" : "are") not in the index; the snapshot contains what is left of them.")
    }
    if let folder = report.madeFolder { Terminal.say("Created the folder \(TerminalEscaping.escape(folder))") }
    if let parent = report.parentElsewhere {
      Terminal.say(
        "warning: this backup needs '\(TerminalEscaping.escape(parent))', which is in another folder; to restore it, "
          + "put both in the same folder")
    }
    if report.broken == nil, let reason = report.fullBecause {
      Terminal.say("Making a full backup, because \(TerminalEscaping.escape(reason)).")
    }
    let counts = info.counts.map { Figures.count($0.number, RecordKind($0.kind)) }.joined(separator: ", ")
    Terminal.say(
      "Backed up \(TerminalEscaping.escape(info.library)) to \(TerminalEscaping.escape(target)): "
        + "\(counts.isEmpty ? "no records" : TerminalEscaping.escape(counts)); "
        + "\(Figures.bytes(report.bytes)) in \(Figures.duration(report.seconds))")
    if let parent = info.parent, let changes = report.changes {
      Terminal.say(
        "  changes since \(TerminalEscaping.escape(parent.file)): \(Plural.count(changes.put, "row")) new or changed, "
          + "\(changes.gone) deleted; to restore it you need that backup"
          + "\(info.depth == 1 ? "" : " and \(info.depth - 1) before it")"
      )
    }
    if let rotation = report.rotation { RotationRenderer.say(rotation, verbose: verbose, isDryRun: false) }
  }
}

/// Renders what happens to older backups, for people.
private enum RotationRenderer {
  static func say(_ rotation: BackupRotation.Report, verbose: Bool, isDryRun: Bool) {
    let removed = rotation.removed.count
    Terminal.say(
      "  \(isDryRun ? "would keep" : "kept") \(Plural.count(rotation.kept.count, isDryRun ? "older backup" : "backup"))"
        + ", \(isDryRun ? "would remove" : "removed") \(removed)"
        + (removed > 0 ? " (\(Figures.bytes(rotation.freed)))" : ""))
    if verbose || isDryRun {
      for path in rotation.removed {
        Terminal.say("    \(isDryRun ? "would remove" : "removed") \(TerminalEscaping.escape(path))")
      }
    }
    if verbose, isDryRun {
      for kept in rotation.kept {
        Terminal.say("    would keep \(TerminalEscaping.escape(kept.path)) (\(kept.reason))")
      }
    }
    if rotation.others > 0 {
      Terminal.say(
        "  ignored: \(Plural.count(rotation.others, "backup")) of a library with the same name in "
          + "another location")
    }
    let damaged = Set(rotation.damaged)
    for left in rotation.left where !damaged.contains(left.path) {
      Terminal.say("  ignored: \(TerminalEscaping.escape("\(left.path): \(left.reason)"))")
    }
  }

  /// Warns of damaged older backups, even with --quiet.
  static func warn(_ rotation: BackupRotation.Report, isDryRun: Bool) {
    let damaged = Set(rotation.damaged)
    for left in rotation.left where damaged.contains(left.path) {
      Terminal.say("warning: \(TerminalEscaping.escape("\(left.path): \(left.reason)")); not counted for retention")
    }
    guard !damaged.isEmpty else { return }
    Terminal.say(
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
    if let broken = plan.broken { Terminal.say("warning: \(TerminalEscaping.escape(broken.reason))") }
    if !output.quiet {
      if plan.broken == nil, let reason = fullBecause {
        Terminal.say("Would make a full backup, because \(TerminalEscaping.escape(reason)).")
      }
      let since = since.map { " with the changes since \(TerminalEscaping.escape($0))" } ?? ", a full backup"
      Terminal.say(
        "Would back up \(TerminalEscaping.escape(library)) to \(TerminalEscaping.escape(target))\(since).")
      if let rotation = plan.rotation { RotationRenderer.say(rotation, verbose: output.verbose, isDryRun: true) }
      Terminal.say("Nothing was written or removed (--dry-run).")
    }
    if let rotation = plan.rotation { RotationRenderer.warn(rotation, isDryRun: true) }
  }
}

extension BackupInfo {
  /// The number of records of each kind, in the order of the index.
  var countsByKind: Members<Int> { Members(counts.map { ($0.kind, $0.number) }) }
}
