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
      Terminal.report(
        "\(Plural.count(difference.unreadable, "record")) could not be read, so the comparison is incomplete.")
      throw ExitCode(ExitStatus.partial.rawValue)
    }
    if !difference.isEmpty { throw ExitCode(ExitStatus.findings.rawValue) }
  }
}

/// The report of `diff`.
struct DifferenceReport: Report {
  struct Counts: Encodable { let onlyLeft, onlyRight, changed, equal: Int }

  struct Field: Encodable {
    let pointer: String
    let left, right: RawJSON?
  }

  struct Change: Encodable {
    let kind: RecordKind
    let type, id, title: String
    @IfPresent var fields: [Field]?

    init(_ change: RecordChange) {
      (kind, type, id, title) = (change.kind, change.type, change.id, change.title)
      guard !change.fields.isEmpty else { return }
      fields = change.fields.map {
        Field(pointer: $0.pointer, left: $0.left.map(RawJSON.init), right: $0.right.map(RawJSON.init))
      }
    }
  }

  let command = "diff"
  let left, right: String
  let equal: Bool
  let unreadable: Int
  let counts: Counts
  let onlyLeft, onlyRight, changed: [Change]
  @IfPresent var explanations: [ExplanationReport]?
  @TextOnly var difference: Difference

  init(_ difference: Difference, left: String, right: String, context: RunContext) {
    (self.left, self.right, equal, unreadable) = (left, right, difference.isEmpty, difference.unreadable)
    let counts = difference.counts
    self.counts = Counts(
      onlyLeft: counts.onlyLeft, onlyRight: counts.onlyRight, changed: counts.changed, equal: counts.equal)
    onlyLeft = difference.onlyLeft.map(Change.init)
    onlyRight = difference.onlyRight.map(Change.init)
    changed = difference.changed.map(Change.init)
    explanations = ExplanationReport.all(context)
    self.difference = difference
  }

  private static let shown = 20

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let verbose = output.verbose
    if difference.isEmpty {
      Terminal.print(
        "Equal: \(TerminalEscaping.escape(left)) and \(TerminalEscaping.escape(right)) have the same content.\n")
      var table = Table(["records", "equal"], rightAligned: [1])
      let kinds = difference.equalByKind.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }
      for (kind, count) in kinds { table.add([kind.plural, "\(count)"]) }
      table.rule()
      table.add(["total", "\(counts.equal)"])
      for line in table.lines(width: Terminal.width) { Terminal.print(line) }
      return
    }
    let most = verbose ? Int.max : Self.shown
    list("-", difference.onlyLeft, counts.onlyLeft, "only in \(left)", most)
    list("+", difference.onlyRight, counts.onlyRight, "only in \(right)", most)
    for change in difference.changed.prefix(most) {
      Terminal.print("~ \(name(change))")
      for field in change.fields.prefix(verbose ? Int.max : 8) {
        Terminal.print("    \(TerminalEscaping.escape(field.pointer.isEmpty ? "/" : field.pointer))")
        Terminal.print("      - \(value(field.left))")
        Terminal.print("      + \(value(field.right))")
      }
      if !verbose, change.fields.count > 8 { Terminal.print("    and \(change.fields.count - 8) more members (-v)") }
    }
    if counts.changed > min(most, difference.changed.count) {
      Terminal.print(
        "  and \(counts.changed - min(most, difference.changed.count)) more changed records (-v shows more)")
    }
    Terminal.print(
      "\n\(counts.onlyLeft) only in \(TerminalEscaping.escape(left)), \(counts.onlyRight) only in "
        + "\(TerminalEscaping.escape(right)), \(counts.changed) changed, \(counts.equal) equal")
  }

  private func list(_ mark: String, _ changes: [RecordChange], _ count: Int, _ what: String, _ most: Int) {
    for change in changes.prefix(most) { Terminal.print("\(mark) \(name(change))") }
    let more = count - min(changes.count, most)
    if more > 0 { Terminal.print("  and \(more) more \(TerminalEscaping.escape(what)) (-v shows more)") }
  }

  private func name(_ change: RecordChange) -> String {
    TerminalEscaping.escape("\(change.type.replacing("_", with: " ")) \(change.id) \(change.title)")
  }

  private func value(_ text: String?) -> String {
    guard let text else { return "(nothing)" }
    let cut = text.count > 160 ? String(text.prefix(160)) + "…" : text
    return TerminalEscaping.escape(cut)
  }
}
