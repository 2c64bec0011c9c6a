import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack build`.
struct PackBuildVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Build a content pack: checked, reproducible, and without personal data.",
    discussion: """
      pack.yml describes the pack: version, publisher and licence are required; name, description, languages \
      and select are optional. Without --config it is read from the folder that is packed.

      Content is checked against the schemas and the publish rules; if there is an error, no pack is built. The same \
      content gives the same bytes. Checklists, guides, decks and their attachments are included. Personal data is \
      left out and counted: pins, card progress, publication and sync state, accounts, charters and the rest.

      The extension of FILE selects the archive type: .fleetpack, .zip, .tar.gz, or / for a folder.

      EXAMPLES
        fleetkit pack build vault/ --to first-charter.fleetpack
        fleetkit pack build anyfleet.sqlite --config pack.yml --tag safety \\
            --to safety.fleetpack
        fleetkit pack build vault/ --previous first-charter-1.1.0.fleetpack \\
            --to first-charter-1.2.0.fleetpack

      EXIT STATUS
        0   built
        1   findings, nothing built
        2   failed, nothing built
        4   the target exists, or there is no content
        5   the bytes of an attachment do not match its checksum
        64  wrong usage or pack.yml
      """)

  @Argument(
    help: ArgumentHelp("Libraries, bundles, vaults, or folders of them.", valueName: "src"), completion: .file())
  var sources: [String]

  @Option(name: .long, help: ArgumentHelp("The description of the pack (pack.yml).", valueName: "file"))
  var config: String?

  @Option(name: .long, help: ArgumentHelp("The new pack.", valueName: "file"), completion: .file())
  var to: String

  @Option(
    name: .long,
    help: ArgumentHelp("The file of the previous version, which this pack follows.", valueName: "file"),
    completion: .file())
  var previous: String?

  @Flag(name: .long, help: "Replace an existing file.")
  var overwrite = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @Option(name: .long, help: "Show at most this many findings, 0 for all. Does not affect counts or the exit status.")
  var maxFindings: Int?

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if let maxFindings, maxFindings < 0 {
      throw ValidationError("--max-findings must be 0 or more, not \(maxFindings).")
    }
  }

  func run() throws {
    let plan = try PackBuildPlan(self)
    let report = plan.makeReport()
    let outcome = try plan.build.run(
      report: report, context: RunContext(dryRun: dryRun, reading: reading.options, now: RunContext.currentTime))
    Progress.clear()
    for failure in outcome.validation.failures {
      Terminal.complain("fleetkit: " + TerminalEscaping.escape(failure.sentences))
    }
    try output.print(PackBuildReport(outcome, target: to, dryRun: dryRun, findings: plan.collected))
    if outcome.status != .success { throw ExitCode(outcome.status.rawValue) }
  }
}
