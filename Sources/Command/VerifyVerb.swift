import ArgumentParser
import FleetKit

/// `fleetkit verify`.
struct VerifyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify that packs, backups and other bags are complete and unchanged.",
    discussion: """
      Verifies every bag (BagIt 0.97 or 1.0), packed or as a folder, made by any program. For FleetKit's own packs it \
      also verifies the index of items; for backups, every record's hash and the backups that it needs. --restore \
      restores a backup to a temporary folder and compares every record with the index, the only proof that a restore \
      works. In a folder of backups, each file is verified with its chain. For each one that cannot be restored, the \
      nearest restorable backups before and after it are named.

      EXAMPLES
        fleetkit verify nightly.fleetpack
            check every checksum
        fleetkit verify nightly.fleetpack --restore
            restore it, and compare every record
        fleetkit verify backups/
            every backup and chain in a folder, and leftovers of killed runs
        fleetkit verify backups/*.fleetpack --structure
            a quick check of many

      EXIT STATUS
        0  sound
        5  mismatch
        2  a file cannot be read, or was refused
        6  a newer FleetKit is needed
      """)

  @Argument(
    help: ArgumentHelp(
      "Packs, backups, folders of backups, or folders that are bags; - for standard input.", valueName: "file"),
    completion: .file())
  var files: [String]

  @Flag(help: "How much is verified.")
  var level: Level = .content

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  /// The flags that select the levels.
  enum Level: String, EnumerableFlag {
    case structure
    case content
    case restore

    static func help(for value: Level) -> ArgumentHelp? {
      switch value {
      case .structure: "Check names, listings and sizes only, no checksums."
      case .content: "Check every checksum and the indexes (default)."
      case .restore: "Also restore to a temporary folder and compare every record."
      }
    }
  }

  func run() throws {
    var status = ExitStatus.success
    var reports: [PackVerification.Report] = []
    let pipe = files.contains("-") ? try PipedFile(reading: 0) : nil
    var folders: [FolderVerification.Report] = []
    for file in files {
      let isPiped = file == "-"
      if !isPiped, FolderVerification.applies(to: file) {
        let folder = try verifyFolder(file)
        status = status.combined(with: folder.status)
        folders.append(folder)
        if !output.json { FolderCheckRenderer.print(folder, output) }
        continue
      }
      var verification = PackVerification(
        isPiped ? pipe?.path ?? file : file, level: BackupLevel(rawValue: level.rawValue) ?? .content)
      verification.onProgress = output.quiet ? nil : Progress("").steps
      var report = try verification.run()
      if isPiped { report.path = "standard input" }
      Progress.clear()
      status = status.combined(with: report.status)
      reports.append(report)
      if !output.json { VerificationReport.print(report, output) }
    }
    withExtendedLifetime(pipe) {}
    try output.print(VerificationReport(reports, folders, status))
    throw ExitCode(status.rawValue)
  }

  private func verifyFolder(_ folder: String) throws -> FolderVerification.Report {
    var verification = FolderVerification(folder, level: BackupLevel(rawValue: level.rawValue) ?? .content)
    verification.onProgress = output.quiet ? nil : Progress("").steps
    let report = try verification.run()
    Progress.clear()
    return report
  }
}

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
    for finding in shown where !output.quiet || finding.severity == .error { Terminal.report(renderer.render(finding)) }
    let more = report.findings.total - shown.count
    if more > 0, !output.quiet { Terminal.report("… and \(more) more\(output.verbose ? "" : " (-v shows them)")\n") }
    if let failure = report.failure {
      Terminal.complain("fleetkit: " + TerminalEscaping.escape(failure.sentences))
    }
    guard report.status == .success else {
      if report.failure == nil {
        Terminal.complain("\(name) is NOT SOUND: \(wrong(report)); checked: \(what(report))")
      }
      return
    }
    if !output.quiet { Terminal.report("\(name) is sound: \(what(report))") }
  }

  /// Prints the last line. The results for the files have already been printed.
  func render(_ output: OutputOptions) {
    if !output.quiet, files.count > 1, status != .success {
      Terminal.report("At least one of the \(files.count) files is not sound.")
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
