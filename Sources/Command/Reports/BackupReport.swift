import FleetKit

/// The report of `backup`.
struct BackupReport: Report {
  struct Changes: Encodable { let put, gone: Int }

  struct Rotation: Encodable {
    let kept, freed, others: Int
    let removed, damaged: [String]
    let left: [BackupRotation.Left]
  }

  let command = "backup"
  let status = ExitStatus.success
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
  @IfPresent var rotation: Rotation?
  let findings: FindingsReport
  @TextOnly var text: (report: LibraryBackup.Report, proof: BackupProof.Result?, log: DiagnosticLog, isPiped: Bool)

  init(
    _ report: LibraryBackup.Report, library: String, proof: BackupProof.Result?, context: RunContext, isPiped: Bool
  ) {
    let info = report.info
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
    rotation = report.rotation.map {
      Rotation(
        kept: $0.kept.count, freed: $0.freed, others: $0.others, removed: $0.removed, damaged: $0.damaged,
        left: $0.left)
    }
    findings = FindingsReport(context.findings)
    text = (report, proof, context.findings, isPiped)
  }

  func render(_ output: OutputOptions) {
    if !output.quiet {
      say(verbose: output.verbose)
      if let proof = text.proof { Terminal.say(ProofText.backupLine(proof)) }
    }
    if let rotation = text.report.rotation { warn(rotation) }
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
    if let reason = report.fullBecause { Terminal.say("A full backup, because \(TerminalText.escape(reason)).") }
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
    guard let rotation = report.rotation else { return }
    let removed = rotation.removed.count
    Terminal.say(
      "  kept \(Plural.count(rotation.kept.count, "backup")), removed \(removed)"
        + (removed > 0 ? " (\(Figures.bytes(rotation.freed)))" : ""))
    if verbose { for path in rotation.removed { Terminal.say("    removed \(TerminalText.escape(path))") } }
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
  private func warn(_ rotation: BackupRotation.Report) {
    let damaged = Set(rotation.damaged)
    for left in rotation.left where damaged.contains(left.path) {
      Terminal.say("warning: \(TerminalText.escape("\(left.path): \(left.reason)")); it takes nobody's place")
    }
    guard !damaged.isEmpty else { return }
    Terminal.say("The new backup is whole. Look at the disk, and move what is damaged away.")
  }
}

extension BackupInfo {
  /// The number of records of each kind, in the order of the index.
  var countsByKind: Members<Int> { Members(counts.map { ($0.kind, $0.number) }) }
}
