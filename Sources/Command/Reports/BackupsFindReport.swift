import FleetKit

/// The report of `backups find`.
struct BackupsFindReport: Report {
  struct Backup: Encodable {
    let path: String
    let takenAt: Timestamp

    init(_ file: BackupFile) { (path, takenAt) = (file.path, file.info.takenAt) }
  }

  struct Version: Encodable {
    let title: String?
    let sha256: String
    let backups: Int
    let first, last: Backup

    init(_ version: BackupSearch.Version) {
      (title, sha256, backups) = (version.title, version.sha256, version.count)
      (first, last) = (Backup(version.first), Backup(version.last))
    }
  }

  struct Record: Encodable {
    let kind, id, library: String
    let versions: [Version]
    let goneSince: Backup?

    init(_ record: BackupSearch.History) {
      (kind, id, library) = (record.kind, record.id, record.library)
      (versions, goneSince) = (record.versions.map(Version.init), record.goneSince.map(Backup.init))
    }
  }

  struct Unreadable: Encodable { let path, reason: String }

  let command = "backups find"
  let status: ExitStatus
  let folder, wanted: String
  let backups: Int
  let records: [Record]
  let unreadable: [Unreadable]
  @TextOnly var report: BackupSearch.Report

  init(_ report: BackupSearch.Report, wanted: String, folder: String) {
    (status, self.folder, self.wanted, backups) = (report.status, folder, wanted, report.backups)
    records = report.records.map(Record.init)
    unreadable = report.unreadable.map { Unreadable(path: $0.path, reason: $0.reason) }
    self.report = report
  }

  func render(_ output: OutputOptions) {
    for record in report.records {
      let title = record.versions.last?.title.map { " '\(TerminalEscaping.escape($0))'" } ?? ""
      Terminal.print(
        "\(record.kind)\(title), \(TerminalEscaping.escape(record.id)), in \(TerminalEscaping.escape(record.library)):")
      var table = Table(["from (UTC)", "to", "backups", "title", "newest"], rightAligned: [2])
      for version in record.versions {
        table.add([
          time(version.first), version.count == 1 ? "" : time(version.last), "\(version.count)",
          TerminalEscaping.escape(version.title ?? ""), TerminalEscaping.escape(version.last.name),
        ])
      }
      for line in table.lines(width: Terminal.width, flexible: 3) { Terminal.print(line) }
      if let gone = record.goneSince {
        Terminal.print("  no longer in the backup of \(time(gone))")
      }
    }
    if report.records.isEmpty {
      Terminal.complain(
        "fleetkit: find '\(TerminalEscaping.escape(wanted))': not found in \(backups) backup\(backups == 1 ? "" : "s") "
          + "in '\(TerminalEscaping.escape(folder))'")
    } else if !output.quiet, let last = report.records.first?.versions.last?.last.path,
      let id = report.records.first?.id
    {
      Terminal.say(
        "To restore a record, run: fleetkit restore \(TerminalEscaping.shellQuoted(last)) --into LIBRARY --id "
          + TerminalEscaping.shellQuoted(id))
    }
    for file in report.unreadable {
      Terminal.complain("warning: not searched: \(TerminalEscaping.escape(file.reason))")
    }
  }

  private func time(_ file: BackupFile) -> String { String(file.info.takenAt.columnText.dropLast(4)) }
}
