import ArgumentParser
import FleetKit

/// `fleetkit list`.
struct ListVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the content of libraries and files.",
    discussion: """
      Lists items; select other kinds with --type. If the source is a content pack, only the index at its head is \
      read, unless a selector needs more; nothing is verified.

      EXAMPLES
        fleetkit list anyfleet.sqlite
        fleetkit list anyfleet.sqlite --tag emergency --type checklist
        fleetkit list anyfleet.sqlite --type charter
      """)

  @Argument(help: ArgumentHelp("Libraries, bundles, or folders of them.", valueName: "src"), completion: .file())
  var sources: [String]

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup(title: "Sources") var clock: ClockOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let context = RunContext(reading: reading.options, now: clock.time)
    let list = try SourceList(sources, format: source.fromFormat)
    try TableOptionValidation.check(reading.options, list)
    let selection = selectors.selection
    var shown: [RecordSummary] = []
    var others: [RecordKind: Int] = [:]
    var rejected = 0
    for entry in list.entries {
      if let index = try PackListing.items(of: entry, selection) {
        shown += index
        continue
      }
      rejected += try RecordScan(sources: list.only(entry)).run(context: context) { record in
        if selection?.takes(record) ?? (record.kind == .item) {
          shown.append(try RecordSummary(record))
        } else if selection == nil {
          others[record.kind, default: 0] += 1
        }
      }
    }
    try output.print(ListReport(records: shown, others: others))
    ExplanationRenderer.print(context)
    if !output.quiet, rejected > 0 { SummaryRenderer.findings(context.findings, verbose: output.verbose) }
    if rejected > 0 { throw ExitCode(ExitStatus.partial.rawValue) }
  }

}

/// The report of `list`: an array.
private struct ListReport: Report {
  let records: [RecordSummary]
  let others: [RecordKind: Int]

  func encode(to encoder: any Encoder) throws { try records.encode(to: encoder) }

  func render(_ output: OutputOptions) {
    let isIndex = !records.isEmpty && records.allSatisfy { $0.figures == nil }
    var table = Table(["id", "type", "title"] + (isIndex ? ["language"] : ["extent", "tags", "changed"]))
    for record in records {
      let head = [
        String(TerminalEscaping.escape(record.id).prefix(8)), record.type.replacing("_", with: " "),
        TerminalEscaping.escape(record.title),
      ]
      let tags = TerminalEscaping.escape(record.shortTags(Terminal.width < 100 ? 12 : 26))
      table.add(
        head
          + (isIndex
            ? [TerminalEscaping.escape(record.language ?? "")]
            : [TerminalEscaping.escape(record.extent), tags, record.day]))
    }
    if !records.isEmpty { for line in table.lines(width: Terminal.width, flexible: 2) { Terminal.print(line) } }
    if output.quiet { return }
    var words = "\(records.count) listed"
    let rest = others.sorted { $0.key.rank < $1.key.rank }.map { Figures.count($0.value, $0.key) }
    if !rest.isEmpty { words += "; also \(rest.joined(separator: ", ")) (--type lists them)" }
    Terminal.report(words)
  }
}

/// Reads the index of a pack, for `list`.
enum PackListing {
  /// Returns the selected items of a pack's index.
  /// - Returns: nil if the source is not a pack with an index, or the selection needs more than an index contains.
  static func items(of entry: SourceList.Entry, _ selection: Selection?) throws -> [RecordSummary]? {
    guard entry.format is ContentPackFormat, selection?.asksForIndexOnly ?? true else { return nil }
    let path = entry.source.path
    guard let info = try PackHead(path).info else { return nil }
    let folder = path.hasSuffix("/") ? path : path + "/"
    return info.items.filter { item in
      selection?.takes(
        item: item.id, type: item.contentType.rawValue, title: item.title, path: "\(folder)data/\(item.path)") ?? true
    }.map(RecordSummary.init)
  }
}
