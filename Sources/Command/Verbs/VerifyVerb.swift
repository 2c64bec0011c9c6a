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

  /// The flags of the levels.
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
