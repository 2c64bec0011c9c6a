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
      if let proof = text.proof { Terminal.say(ProofText.backupLine(proof)) }
    }
    // What must be heard however quiet a run is.
    if output.quiet, let broken = text.report.broken { Terminal.say("warning: \(TerminalText.escape(broken.reason))") }
    if text.report.broken != nil {
      Terminal.say("This backup is full and whole. Check the disk, and move what is damaged away.")
    }
    if let rotation = text.report.rotation { RotationText.warn(rotation, isDryRun: false) }
  }

  private func say(verbose: Bool) {
    let report = text.report
    let target = text.isPiped ? "standard output" : report.path
    SummaryText.findings(text.log, verbose: verbose)
    let info = report.info
    for path in report.damagedMedia {
      Terminal.say("warning: '\(TerminalText.escape(path))' is not what its name says; it is not in the backup")
    }
    if info.unreadable > 0 {
      Terminal.say(
        "warning: \(Plural.count(info.unreadable, "record")) cannot be read and "
          + "\(info.unreadable == 1 ? "is" : "are") not in the index; the snapshot holds what there is of them.")
    }
    if let folder = report.madeFolder { Terminal.say("Made the folder \(TerminalText.escape(folder))") }
    if let parent = report.parentElsewhere {
      Terminal.say(
        "warning: the backup that it needs, '\(TerminalText.escape(parent))', lies in another folder; both must lie in "
          + "one to be restored")
    }
    if report.broken == nil, let reason = report.fullBecause {
      Terminal.say("A full backup, because \(TerminalText.escape(reason)).")
    }
    let counts = info.counts.map { Figures.count($0.number, RecordKind($0.kind)) }.joined(separator: ", ")
    Terminal.say(
      "Backed up \(TerminalText.escape(info.library)) to \(TerminalText.escape(target)): "
        + "\(counts.isEmpty ? "no records" : TerminalText.escape(counts)); "
        + "\(Figures.bytes(report.bytes)) in \(Figures.duration(report.seconds))")
    if let parent = info.parent, let changes = report.changes {
      Terminal.say(
        "  changes since \(TerminalText.escape(parent.file)): \(Plural.count(changes.put, "row")) new or changed, \(changes.gone) gone; "
          + "it needs \(info.depth == 1 ? "that backup" : "that backup and \(info.depth - 1) before it") to be restored"
      )
    }
    if let rotation = report.rotation { RotationText.say(rotation, verbose: verbose, isDryRun: false) }
  }
}

/// What becomes of older backups, for people.
private enum RotationText {
  static func say(_ rotation: BackupRotation.Report, verbose: Bool, isDryRun: Bool) {
    let removed = rotation.removed.count
    Terminal.say(
      "  \(isDryRun ? "would keep" : "kept") \(Plural.count(rotation.kept.count, isDryRun ? "older backup" : "backup")), "
        + "\(isDryRun ? "would remove" : "removed") \(removed)"
        + (removed > 0 ? " (\(Figures.bytes(rotation.freed)))" : ""))
    if verbose || isDryRun {
      for path in rotation.removed {
        Terminal.say("    \(isDryRun ? "would remove" : "removed") \(TerminalText.escape(path))")
      }
    }
    if verbose, isDryRun {
      for kept in rotation.kept { Terminal.say("    would keep \(TerminalText.escape(kept.path)) (\(kept.reason))") }
    }
    if rotation.others > 0 {
      Terminal.say(
        "  left alone: \(Plural.count(rotation.others, "backup")) of the same name, of a library in "
          + "another place")
    }
    let damaged = Set(rotation.damaged)
    for left in rotation.left where !damaged.contains(left.path) {
      Terminal.say("  left alone: \(TerminalText.escape("\(left.path): \(left.reason)"))")
    }
  }

  /// What must be heard however quiet a run is: older backups that were found damaged.
  static func warn(_ rotation: BackupRotation.Report, isDryRun: Bool) {
    let damaged = Set(rotation.damaged)
    for left in rotation.left where damaged.contains(left.path) {
      Terminal.say("warning: \(TerminalText.escape("\(left.path): \(left.reason)")); it takes nobody's place")
    }
    guard !damaged.isEmpty else { return }
    Terminal.say("\(isDryRun ? "" : "The new backup is whole. ")Look at the disk, and move what is damaged away.")
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
    if let broken = plan.broken { Terminal.say("warning: \(TerminalText.escape(broken.reason))") }
    if !output.quiet {
      if plan.broken == nil, let reason = fullBecause {
        Terminal.say("It would be a full backup, because \(TerminalText.escape(reason)).")
      }
      let since = since.map { " with the changes since \(TerminalText.escape($0))" } ?? ", a full backup"
      Terminal.say(
        "Would back up \(TerminalText.escape(library)) to \(TerminalText.escape(target))\(since).")
      if let rotation = plan.rotation { RotationText.say(rotation, verbose: output.verbose, isDryRun: true) }
      Terminal.say("Nothing was written and nothing was removed (--dry-run).")
    }
    if let rotation = plan.rotation { RotationText.warn(rotation, isDryRun: true) }
  }
}

extension BackupInfo {
  /// The number of records of each kind, in the order of the index.
  var countsByKind: Members<Int> { Members(counts.map { ($0.kind, $0.number) }) }
}
