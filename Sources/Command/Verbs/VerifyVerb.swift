import ArgumentParser
import FleetKit

/// `fleetkit verify`.
struct VerifyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Prove that packs, backups and other bags are what they were when they were made.",
    discussion: """
      Works on every bag (BagIt 0.97 or 1.0), packed or as a folder, whoever made it. Of our own packs more is known: \
      the index of items, of a backup every record's hash and the backups that it needs. --restore puts a backup back \
      into a temporary place and compares every record with the index, which is the only proof that a restore works. \
      Of a folder of backups each file is verified, with the chain that it needs; for each that cannot be restored, the backups before and after it that can be are named.

      EXAMPLES
        fleetkit verify nightly.fleetpack
            every checksum
        fleetkit verify nightly.fleetpack --restore
            really restore it, and compare every record
        fleetkit verify backups/
            every backup and chain of a folder, and what killed runs left
        fleetkit verify backups/*.fleetpack --structure
            a quick look at many

      EXIT STATUS
        0  sound
        5  something does not match
        2  it cannot be read, or is refused
        6  it is newer than this FleetKit
      """)

  @Argument(
    help: ArgumentHelp(
      "Packs, backups, folders of backups, or folders that are bags; - for a pipe.", valueName: "file"),
    completion: .file())
  var files: [String]

  @Flag(help: "How much is proved.")
  var level: Level = .content

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  /// The levels as flags.
  enum Level: String, EnumerableFlag {
    case structure
    case content
    case restore

    static func help(for value: Level) -> ArgumentHelp? {
      switch value {
      case .structure: "Names, listings and sizes; no checksum."
      case .content: "Every checksum, and the indexes (the default)."
      case .restore: "Restore to a temporary place and compare every record."
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
        if !output.json { FolderText.print(folder, output) }
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
