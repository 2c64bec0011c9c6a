import ArgumentParser
import FleetKit

/// `fleetkit inspect`.
struct InspectVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what a library or file is, what it contains, and whether it is sound.",
    discussion: """
      Reads everything, checks every page of a library, and reports content that the app would silently lose, each \
      finding with its place. Changes nothing. The exit status is 0 if everything can be read, even if there are \
      findings, and 3 if some records cannot be read. Of a content pack or a backup only the head is read, and \
      nothing is verified; use 'fleetkit verify' for that.

      EXAMPLES
        fleetkit inspect anyfleet.sqlite
        fleetkit inspect anyfleet.sqlite -v          show every finding in full
        fleetkit inspect anyfleet.sqlite --json      for scripts
      """)

  @Argument(help: ArgumentHelp("A library, a bundle, or a folder of them.", valueName: "src"), completion: .file())
  var sources: [String]

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup(title: "Sources") var clock: ClockOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let list = try SourceList(sources, format: source.fromFormat)
    try TableOptionValidation.check(reading.options, list)
    let context = RunContext(reading: reading.options, now: clock.time)
    let survey = try InspectionReport(list, context: context)
    try output.print(survey)
    if survey.rejected > 0 { throw ExitCode(ExitStatus.partial.rawValue) }
  }
}
