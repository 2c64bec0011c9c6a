import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit lineage`.
struct LineageVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lineage",
    abstract: "Show the lineage of an item: the original, every intermediate copy, and the item itself.",
    discussion: """
      Name an item by its public id, or an item of a library with --id. For an item that is not public, the lineage of \
      its original is shown.

      EXAMPLES
        fleetkit lineage fire-on-board-0D0939BC --registry https://sail.example.org
        fleetkit lineage anyfleet.sqlite --id 43A324AA
            use the registry that the library belongs to
      """)

  @Argument(help: ArgumentHelp("A public id; with --id, a library.", valueName: "public-id"), completion: .file())
  var name: String

  @Option(name: .long, help: "The item of the library: its id, or the first characters of it.")
  var id: String?

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    if id == nil, FileManager.default.fileExists(atPath: name) {
      throw RunFailure(
        .usage, "show the lineage of '\(name)': it is a file, and --id is missing",
        advice: "Run: fleetkit lineage '\(name)' --id ID. To list the ids, run: fleetkit list \(name)")
    }
    let origin = try id.map { try ItemOrigin(of: $0, in: name) }
    if let origin, origin.question == nil {
      return try output.print(OriginalItemReport(id: origin.id, title: origin.title))
    }
    let connection = try registry.connection(for: id == nil ? nil : name)
    let client = try connection.client()
    let lineage = try client.untilInterrupted {
      try RegistryLineage(of: origin?.question ?? name, from: client, at: connection.address.text)
    }
    try output.print(LineageReport(lineage, origin, asked: origin?.question ?? name))
  }
}
