import FleetKit

/// The result of checking a folder of backups, as reported by `verify` and `backups --check`.
struct FolderCheckReport: Encodable {
  struct Alternative: Encodable {
    let path: String
    let takenAt: Timestamp

    init(_ backup: FolderVerification.Alternative) { (path, takenAt) = (backup.path, backup.takenAt) }
  }

  struct File: Encodable {
    let path, state: String
    let reason, culprit: String?
    @IfPresent var before: Alternative?
    @IfPresent var after: Alternative?

    init(_ file: FolderVerification.File) {
      (path, state, reason, culprit) = (file.path, file.state.rawValue, file.reason, file.culprit)
      (before, after) = (file.before.map(Alternative.init), file.after.map(Alternative.init))
    }
  }

  struct Newest: Encodable {
    let library: String
    let backup: Alternative
  }

  let folder, level: String
  let status: ExitStatus
  let files: [File]
  let newestRestorable: [Newest]
  let findings: FindingsReport
  let seconds: Seconds

  init(_ report: FolderVerification.Report) {
    (folder, level, status) = (report.folder, report.level.rawValue, report.status)
    files = report.files.map(File.init)
    newestRestorable = report.newest.map { Newest(library: $0.library, backup: Alternative($0.backup)) }
    (findings, seconds) = (FindingsReport(report.findings), Seconds(report.seconds))
  }
}

/// Renders the check of a folder of backups, for people.
enum FolderCheckRenderer {
  /// Prints each file that is not sound with the backups that can be restored instead, then a summary of the folder.
  static func print(_ report: FolderVerification.Report, _ output: OutputOptions) {
    let name = TerminalEscaping.escape(report.folder)
    for file in report.files {
      switch file.state {
      case .sound:
        if output.verbose { Terminal.report("\(TerminalEscaping.escape(file.path)) is sound.") }
      case .other:
        if output.verbose { Terminal.report("\(TerminalEscaping.escape(file.path)) is not a pack.") }
      default:
        if !output.quiet || file.state != .unfinished { complain(file) }
      }
    }
    if output.quiet { return }
    let backups = report.files.filter { ![.other, .unfinished].contains($0.state) }
    let sound = backups.count { $0.state == .sound }
    let all = sound == backups.count
    let how =
      switch report.level {
      case .structure: "checked names and sizes, but no checksums"
      case .content: "checked every checksum"
      case .restore: "restored and compared each"
      }
    Terminal.report(
      "\(name): \(sound) of \(backups.count) backup\(backups.count == 1 ? "" : "s") can be restored; \(how), in "
        + "\(Figures.duration(report.seconds)).")
    for newest in report.newest where !all || output.verbose {
      Terminal.report(
        "  \(TerminalEscaping.escape(newest.library)): the newest is \(TerminalEscaping.escape(newest.backup.path)) of "
          + newest.backup.takenAt.wholeSeconds)
    }
    if report.newest.isEmpty, !backups.isEmpty { Terminal.complain("No backup in this folder can be restored.") }
  }

  private static func complain(_ file: FolderVerification.File) {
    let state =
      switch file.state {
      case .cutOff: "CUT OFF"
      case .damaged: "DAMAGED"
      case .unrestorable: "NOT RESTORABLE"
      case .newer: "from a newer FleetKit"
      default: "unfinished"
      }
    Terminal.complain(
      "\(TerminalEscaping.escape(file.path)) is \(state)\(file.reason.map { ": " + TerminalEscaping.escape($0) } ?? "")"
    )
    let choices = [("before", file.before), ("after", file.after)].compactMap { word, backup in
      backup.map { "\(word) it: \(TerminalEscaping.escape($0.path)) of \($0.takenAt.wholeSeconds)" }
    }
    if !choices.isEmpty { Terminal.complain("   can be restored: " + choices.joined(separator: "; ")) }
  }
}
