import ArgumentParser
import FleetKit

/// `fleetkit backups`.
struct BackupsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backups",
    abstract: "List the backups in a folder: when, of which library, how large, and what each of them needs.",
    discussion: """
      Reads only what each backup says about itself, so a folder of thousands is listed at once; whether every byte \
      is still there, 'fleetkit verify' says. An incremental backup needs those before it: one whose parent is missing \
      is marked, because it cannot be restored.

      With --check every byte is read, of every file and of every chain: what can be restored, what is cut off or \
      damaged, what killed runs left, and what can be restored instead.

      EXAMPLES
        fleetkit backups backups/
        fleetkit backups backups/ --check
            read every byte: which of them can be restored?
        fleetkit backups backups/ --library anyfleet
            one library's only
        fleetkit backups backups/ --json   for a script that watches over them
        fleetkit backups find MOB backups/
            which backups still have it, and what was it like when?

      EXIT STATUS
        0  listed, whatever it found
        2  the folder cannot be read
        5  with --check: a backup cannot be restored
        6  with --check: one is newer than this FleetKit
      """,
    subcommands: [BackupsListVerb.self, BackupsFindVerb.self], defaultSubcommand: BackupsListVerb.self)
}

/// `fleetkit backups DIR`.
struct BackupsListVerb: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the backups in a folder.")

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var folder: String

  @Option(name: .long, help: "Only backups of the library of this name.")
  var library: String?

  @Flag(name: .long, help: "Read every backup and every chain, and show which of them can be restored.")
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
    abstract: "Find which backups still have a record, and what it was like when.",
    discussion: """
      Backups one after another in which the record is the same are one line. What it was called may have changed: all \
      versions of a record are shown if one of its titles matches.

      EXAMPLES
        fleetkit backups find 'Man overboard' backups/
        fleetkit backups find 'mob*' backups/
        fleetkit backups find 3F2504E0 backups/ --library anyfleet

      EXIT STATUS
        0  found
        2  no backup has it
        5  some backups could not be searched; they are named
      """)

  @Argument(help: ArgumentHelp("A title or a part of it, * and ? are wildcards; or an id.", valueName: "title|id"))
  var wanted: String

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var folder: String

  @Option(name: .long, help: "Only backups of the library of this name.")
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
