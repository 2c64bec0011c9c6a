import ArgumentParser
import FleetKit

/// `fleetkit backups`.
struct BackupsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backups",
    abstract: "List the backups in a folder with their times, libraries, sizes and parents.",
    discussion: """
      Reads only the header of each backup, so that a folder of thousands is listed quickly. To check that every byte \
      is intact, use 'fleetkit verify'. An incremental backup needs the backups before it. One whose parent is \
      missing is marked, because it cannot be restored.

      With --check every byte of every file and chain is read. The result lists the backups that can be \
      restored, truncated and damaged files, leftovers of killed runs, and the backups that can be restored instead.

      EXAMPLES
        fleetkit backups backups/
        fleetkit backups backups/ --check
            read every byte to find which backups can be restored
        fleetkit backups backups/ --library anyfleet
            only backups of one library
        fleetkit backups backups/ --json   for a monitoring script
        fleetkit backups find MOB backups/
            which backups have the item, in which versions

      EXIT STATUS
        0  listed, with or without problems
        2  the folder cannot be read
        5  with --check: a backup cannot be restored
        6  with --check: a backup needs a newer FleetKit
      """,
    subcommands: [BackupsListVerb.self, BackupsFindVerb.self], defaultSubcommand: BackupsListVerb.self)
}

/// `fleetkit backups DIR`.
struct BackupsListVerb: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the backups in a folder.")

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var folder: String

  @Option(name: .long, help: "Only backups of the library with this name.")
  var library: String?

  @Flag(name: .long, help: "Read every backup and chain completely, and show which backups can be restored.")
  var check = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let content = try BackupFolder(folder, library: library)
    guard check else { return try output.print(BackupsReport(content)) }
    var verification = FolderVerification(folder)
    verification.library = library
    verification.onProgress = output.quiet ? nil : Progress("").steps
    let found = try verification.run()
    Progress.clear()
    try output.print(BackupsReport(content, check: found))
    throw ExitCode(found.status.rawValue)
  }
}

/// `fleetkit backups find WHAT DIR`.
struct BackupsFindVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find the backups that contain a record, and its versions.",
    discussion: """
      Consecutive backups with the same version of the record are shown on one line. If any title of a record matches, \
      all its versions are shown, even under other titles.

      EXAMPLES
        fleetkit backups find 'Man overboard' backups/
        fleetkit backups find 'mob*' backups/
        fleetkit backups find 3F2504E0 backups/ --library anyfleet

      EXIT STATUS
        0  found
        2  no backup contains the record
        5  some backups could not be searched; they are listed
      """)

  @Argument(help: ArgumentHelp("A title or part of one (* and ? are wildcards), or an id.", valueName: "title|id"))
  var wanted: String

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var folder: String

  @Option(name: .long, help: "Only backups of the library with this name.")
  var library: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    var search = BackupSearch(folder, for: wanted)
    search.library = library
    search.onProgress = output.quiet ? nil : Progress("").steps
    let report = try search.run()
    Progress.clear()
    try output.print(BackupsFindReport(report, wanted: wanted, folder: folder))
    throw ExitCode(report.status.rawValue)
  }
}
