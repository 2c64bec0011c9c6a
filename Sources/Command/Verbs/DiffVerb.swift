import ArgumentParser
import FleetKit

/// `fleetkit diff`.
struct DiffVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare the content of two libraries or files.",
    discussion: """
      Records are matched by kind and id and compared member by member. Different spellings of a value are equal. \
      The exit status is 0 if both have the same content, 1 if they differ, 3 if some records could not be read.

      EXAMPLES
        fleetkit diff anyfleet.sqlite backup.jsonl
        fleetkit diff old.sqlite new.sqlite --type checklist
        fleetkit diff mine.json theirs.json --content-only
            ignore ids, times and status
      """)

  @Argument(help: "A library, bundle, or folder.", completion: .file())
  var left: String

  @Argument(help: "Another.", completion: .file())
  var right: String

  @Flag(name: .long, help: "Match records by their content; ignore ids, times and status.")
  var contentOnly = false

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup(title: "Sources") var clock: ClockOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let context = RunContext(reading: reading.options, now: clock.time)
    var comparison = Comparison(
      left: try SourceList([left], format: source.fromFormat),
      right: try SourceList([right], format: source.fromFormat))
    try TableOptionValidation.check(
      reading.options, SourceList(entries: comparison.left.entries + comparison.right.entries))
    comparison.selection = selectors.selection
    comparison.contentOnly = contentOnly
    let difference = try comparison.run(context: context)
    try output.print(DifferenceReport(difference, left: left, right: right, context: context))
    if !output.json { ExplanationRenderer.print(context) }
    if difference.unreadable > 0 {
      if !output.quiet { SummaryRenderer.findings(context.findings, verbose: output.verbose) }
      Terminal.say(
        "\(Plural.count(difference.unreadable, "record")) could not be read, so the comparison is incomplete.")
      throw ExitCode(ExitStatus.partial.rawValue)
    }
    if !difference.isEmpty { throw ExitCode(ExitStatus.findings.rawValue) }
  }
}
