import ArgumentParser
import FleetKit

/// `fleetkit inspect`.
struct InspectVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Say what a library or file is, what is in it, and whether it is sound.",
    discussion: """
      Reads everything, checks every page of a library, and reports what the app would silently lose, each \
      finding with its place. Changes nothing. The exit status is 0 when everything can be read, \
      whatever was found, and 3 when some records cannot. Of a content pack or a backup only the head is read, and \
      nothing is verified: 'fleetkit verify' does that.

      EXAMPLES
        fleetkit inspect anyfleet.sqlite
        fleetkit inspect anyfleet.sqlite -v          every finding in full
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
    try TableFit.check(reading.options, list)
    let context = RunContext(reading: reading.options, now: clock.time)
    let survey = try Survey(list, context: context)
    try output.print(survey)
    if survey.rejected > 0 { throw ExitCode(ExitStatus.partial.rawValue) }
  }
}
