import FleetKit

/// The report of `verify`.
struct VerificationReport: Report {
  struct File: Encodable {
    let path: String
    let status: ExitStatus
    let level: String
    let kind: String?
    let payloadFiles, payloadBytes: Int
    @IfPresent var library: String?
    @IfPresent var takenAt: Timestamp?
    @IfPresent var incremental: Bool?
    @IfPresent var name: String?
    @IfPresent var version: String??
    @IfPresent var records: Int?
    @IfPresent var restored: Int?
    @IfPresent var attachments: Int?
    @IfPresent var chain: Int?
    let findings: FindingsReport
    @IfPresent var error: FailureReport.Reason?
    let seconds: Seconds

    init(_ report: PackVerification.Report) {
      (path, status, level) = (report.path, report.status, report.level.rawValue)
      kind =
        switch report.kind {
        case .bag: "bag"
        case .pack(let profile): profile.rawValue
        case .backup: "backup"
        case nil: nil
        }
      (payloadFiles, payloadBytes) = (report.files, report.bytes)
      (library, takenAt) = (report.backup?.name, report.backup?.takenAt)
      (incremental, name) = (report.backup?.isIncremental, report.pack?.name)
      version = report.pack.map { $0.version?.text }
      (records, restored) = (report.records, report.compared)
      attachments = report.compared.map { _ in report.media }
      chain = report.chain > 0 ? report.chain : nil
      findings = FindingsReport(report.findings)
      (error, seconds) = (report.failure.map(FailureReport.Reason.init), Seconds(report.seconds))
    }
  }

  let command = "verify"
  let status: ExitStatus
  let files: [File]
  @IfPresent var folders: [FolderCheckReport]?

  init(_ reports: [PackVerification.Report], _ folders: [FolderVerification.Report], _ status: ExitStatus) {
    (self.status, files) = (status, reports.map(File.init))
    self.folders = folders.isEmpty ? nil : folders.map(FolderCheckReport.init)
  }

  /// Prints the result for one file as soon as the file has been verified.
  static func print(_ report: PackVerification.Report, _ output: OutputOptions) {
    let name = TerminalEscaping.escape(report.path)
    let renderer = TextRenderer(colour: Terminal.usesColour)
    let shown = output.verbose ? report.findings.kept : Array(report.findings.kept.prefix(20))
    for finding in shown where !output.quiet || finding.severity == .error { Terminal.say(renderer.render(finding)) }
    let more = report.findings.total - shown.count
    if more > 0, !output.quiet { Terminal.say("… and \(more) more\(output.verbose ? "" : " (-v shows them)")\n") }
    if let failure = report.failure {
      Terminal.complain("fleetkit: " + TerminalEscaping.escape(failure.sentences))
    }
    guard report.status == .success else {
      if report.failure == nil {
        Terminal.complain("\(name) is NOT SOUND: \(wrong(report)); checked: \(what(report))")
      }
      return
    }
    if !output.quiet { Terminal.say("\(name) is sound: \(what(report))") }
  }

  /// Prints the last line. The results for the files have already been printed.
  func render(_ output: OutputOptions) {
    if !output.quiet, files.count > 1, status != .success {
      Terminal.say("At least one of the \(files.count) files is not sound.")
    }
  }

  private static func wrong(_ report: PackVerification.Report) -> String {
    let count = report.findings.count(.error)
    return count == 1 ? "1 mismatch" : "\(count) mismatches"
  }

  /// Lists exactly what was checked.
  private static func what(_ report: PackVerification.Report) -> String {
    var parts: [String] = []
    let files = "\(Plural.count(report.files, "file"))"
    let size = Figures.bytes(report.bytes)
    switch report.level {
    case .structure: parts.append("\(files) listed, \(size), checksums not checked")
    case .content, .restore: parts.append("every checksum of \(files), \(size)")
    }
    switch report.kind {
    case .backup:
      if let info = report.backup {
        parts.append(
          "\(info.isIncremental ? "incremental" : "full") backup of \(TerminalEscaping.escape(info.name)), "
            + info.takenAt.wholeSeconds)
      }
    case .pack:
      if let pack = report.pack {
        parts.append(
          "\(TerminalEscaping.escape(pack.name)) \(pack.version.map { "\($0)" } ?? "")".trimmed)
      }
    case .bag: parts.append("a bag but not a pack, so there is nothing to restore")
    case nil: break
    }
    if let compared = report.compared {
      parts.append("\(Plural.count(compared, "record")) restored and compared")
      if report.chain > 1 { parts.append("assembled from \(report.chain) backups") }
      if report.media > 0 { parts.append("\(Plural.count(report.media, "attachment"))") }
    } else if let records = report.records {
      parts.append("\(Plural.count(records, "record")) in its index")
    }
    return parts.joined(separator: "; ") + "; in \(Figures.duration(report.seconds))."
  }

}

extension String {
  fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}
