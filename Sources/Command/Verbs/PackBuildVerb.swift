import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack build`.
struct PackBuildVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Build a content pack: checked, without what is personal, the same bytes for the same content.",
    discussion: """
      pack.yml says who publishes what: version, publisher and licence must be there; name, description, languages \
      and select may be. Where --config does not name it, it lies in the folder that is packed.

      Content is held against the schemas and the rules of publishing while it is packed; one error, and nothing is \
      built. Checklists, guides, decks and the attachments that they use go in. What concerns only their maker stays \
      out and is counted: pins, how well cards are known, publication and sync, accounts, charters and the rest.

      The end of FILE says how it is packed: .fleetpack, .zip, .tar.gz, or / for a folder.

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
        4   the target is there, or nothing is to go in
        5   the bytes of an attachment do not match its checksum
        64  wrong usage or pack.yml
      """)

  @Argument(
    help: ArgumentHelp("Libraries, bundles, vaults, or folders of them.", valueName: "src"), completion: .file())
  var sources: [String]

  @Option(name: .long, help: ArgumentHelp("What the pack says about itself: a pack.yml.", valueName: "file"))
  var config: String?

  @Option(name: .long, help: ArgumentHelp("The new pack.", valueName: "file"), completion: .file())
  var to: String

  @Option(
    name: .long,
    help: ArgumentHelp("The file of the version before, so that this one carries on its history.", valueName: "file"),
    completion: .file())
  var previous: String?

  @Flag(name: .long, help: "Replace the file if it is there already.")
  var overwrite = false

  @Flag(name: .long, help: "Do everything except the last step: nothing is written.")
  var dryRun = false

  @Option(name: .long, help: "Show at most this many findings, 0 for all. Counts and exit status stay the same.")
  var maxFindings: Int?

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if let maxFindings, maxFindings < 0 { throw ValidationError("--max-findings takes 0 or more, not \(maxFindings).") }
  }

  func run() throws {
    let plan = try PackBuildPlan(self)
    let report = plan.makeReport()
    let outcome = try plan.build.run(
      report: report, context: RunContext(dryRun: dryRun, reading: reading.options, now: RunContext.currentTime))
    Progress.clear()
    for failure in outcome.validation.failures {
      Terminal.complain("fleetkit: " + TerminalText.escape(failure.sentences))
    }
    try output.print(PackBuildReport(outcome, target: to, dryRun: dryRun, findings: plan.collected))
    if outcome.status != .success { throw ExitCode(outcome.status.rawValue) }
  }
}
