import ArgumentParser
import FleetKit

/// `fleetkit show`.
struct ShowVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one item in full.",
    discussion: """
      EXAMPLES
        fleetkit show anyfleet.sqlite 3A473796
        fleetkit show anyfleet.sqlite --title 'man over*'
        fleetkit show anyfleet.sqlite 3A473796 --json        print the JSON
      """)

  @Argument(help: ArgumentHelp("A library or bundle.", valueName: "src"), completion: .file())
  var source: String

  @Argument(
    help: ArgumentHelp("An id, the first characters of one, or a title or part of one.", valueName: "item"))
  var item: String?

  @OptionGroup(title: "Sources") var options: SourceOptions
  @OptionGroup(title: "Sources") var clock: ClockOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if item == nil, selectors.selection == nil {
      throw ValidationError("Name an item by its id, the first characters of its id, or its title.")
    }
  }

  func run() throws {
    let context = RunContext(reading: reading.options, now: clock.time)
    let sources = try SourceList([source], format: options.fromFormat)
    try TableOptionValidation.check(reading.options, sources)
    let found = try matches(sources, context)
    ExplanationRenderer.print(context)
    guard let record = found.first else {
      throw RunFailure(
        .failed, "show '\(source)': no matching record", advice: "To list the records, run: fleetkit list \(source)")
    }
    guard found.count == 1 else { throw Self.severalMatch(found, in: source) }
    if output.json { return Terminal.print(record.json) }
    Terminal.print(ItemRenderer.render(try record.document().root))
  }

  /// Returns the failure if several records match, with the first of them. Records with the same id are listed with
  /// their places.
  private static func severalMatch(_ found: [Record], in source: String) -> RunFailure {
    let shareID = Set(found.map(\.id)).count < found.count
    var names = found.prefix(mostListed).map { record in
      "\(record.id) \(record.title)" + (shareID ? " (\(record.place()))" : "")
    }
    if found.count > mostListed { names.append("…") }
    return RunFailure(
      .usage, "show '\(source)': \(found.count) records match: \(names.joined(separator: " · "))",
      advice: shareID
        ? "Some have the same id: name the file of one, or select it with --path." : "Give more characters of the id.")
  }

  private static let mostListed = 6

  private func matches(_ sources: SourceList, _ context: RunContext) throws -> [Record] {
    var byID: [Record] = []
    var byTitle: [Record] = []
    var byPart: [Record] = []
    var titles = Selection()
    titles.titles = item.map { [$0] } ?? []
    var parts = Selection()
    parts.titles = item.map { ["*\($0)*"] } ?? []
    let selection = selectors.selection
    try RecordScan(sources: sources).run(context: context) { record in
      if let selection, !selection.takes(record) { return }
      guard let item else { return byID.append(record) }
      let id = record.id.uppercased()
      if id == item.uppercased() || item.count >= 4 && id.hasPrefix(item.uppercased()) {
        byID.append(record)
      } else if titles.takes(record) {
        byTitle.append(record)
      } else if parts.takes(record) {
        byPart.append(record)
      }
    }
    return [byID, byTitle].first { !$0.isEmpty } ?? byPart
  }
}
