import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit fork`.
struct ForkVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fork",
    abstract: "Copy a public item into a library, with a credit to its author.",
    discussion: """
      The copy is private, has its own ids, and names the original's author and public id. The registry counts \
      copies, but not who made them. The command refuses an item if its author does not allow copies, or if the \
      library already has a copy of it.

      EXAMPLES
        fleetkit fork fire-on-board-0D0939BC --into anyfleet.sqlite \\
            --registry https://sail.example.org
        fleetkit fork fire-on-board-0D0939BC --into anyfleet.sqlite --registry URL \\
            --title "Fire on Anna"
        fleetkit fork fire-on-board-0D0939BC --into anyfleet.sqlite --registry URL \\
            --again
      """)

  @Argument(help: ArgumentHelp("The public id of the original.", valueName: "public-id"))
  var publicID: String

  @Option(name: .long, help: ArgumentHelp("The library to copy into.", valueName: "library"), completion: .file())
  var into: String

  @Option(name: .long, help: "The title of the copy, instead of the original's.")
  var title: String?

  @Flag(name: .long, help: "Create the library if it does not exist.")
  var create = false

  @Flag(name: .long, help: "Make another copy even if the library already has one.")
  var again = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed or counted.")
  var dryRun = false

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    // A missing library does not belong to a registry.
    let isThere = FileManager.default.fileExists(atPath: into)
    if !isThere, !create { throw LibraryFork.missing(into, publicID) }
    let connection = try registry.connection(for: isThere ? into : nil)
    let client = try connection.client()
    var fork = LibraryFork(of: publicID, into: into, from: client, at: connection.address.text)
    fork.title = title
    fork.createsLibrary = create
    fork.isAgain = again
    fork.isDryRun = dryRun
    let report = try client.untilInterrupted { try fork.run(now: RunContext.currentTime) }
    try output.print(CopyReport(report, library: into))
  }
}

/// The report of `fork`.
struct CopyReport: Report {
  let command = "fork"
  let status = ExitStatus.success
  let library: String
  let dryRun: Bool
  let run: Int64?
  let publicID: String
  let author: String?
  let id, title: String
  let contentType: ContentType
  let counted: Bool
  let countProblem: String?

  init(_ report: ForkReport, library: String) {
    (self.library, dryRun, run, publicID) = (library, report.run == nil, report.run, report.original)
    (author, id, title, contentType) = (report.author, report.id, report.title, report.contentType)
    (counted, countProblem) = (report.isCounted, report.countProblem)
  }

  func render(_ output: OutputOptions) {
    guard !output.quiet else { return }
    let author = author.map { " by \(TerminalEscaping.escape($0))" } ?? ""
    let name = TerminalEscaping.escape(library)
    let title = TerminalEscaping.escape(title)
    guard run != nil else {
      return Terminal.report("Nothing was changed (--dry-run): '\(title)'\(author) can be copied into \(name).")
    }
    let original = TerminalEscaping.escape(publicID)
    Terminal.report("Copied \(original)\(author) into \(name) as '\(title)', private, with the id \(id).")
    if let problem = countProblem {
      Terminal.report("note: the copy was not counted by the registry: \(TerminalEscaping.escape(problem))")
    }
  }

}
