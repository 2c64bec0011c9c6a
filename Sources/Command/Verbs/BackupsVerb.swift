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

      EXAMPLES
        fleetkit backups backups/
        fleetkit backups backups/ --library anyfleet
            one library's only
        fleetkit backups backups/ --json   for a script that watches over them

      EXIT STATUS
        0  listed, whatever it found
        2  the folder cannot be read
      """)

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var folder: String

  @Option(name: .long, help: "Only backups of the library of this name.")
  var library: String?

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    try output.print(BackupsReport(BackupFolder(folder, library: library)))
  }
}
