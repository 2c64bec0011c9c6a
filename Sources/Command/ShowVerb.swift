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

  /// Returns the failure for several matching records, which names the first of them. Records with the same id are
  /// listed with their places.
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

/// Renders a record for people, on a terminal.
enum ItemRenderer {
  static func render(_ root: JSONValue) -> String {
    var lines: [String] = []
    let title = (root["title"] ?? root["name"])?.string ?? root["kind"]?.string ?? ""
    lines.append(safe(title))
    lines.append(String(repeating: "─", count: min(70, max(4, Table.width(of: title)))))
    lines += facts(root)
    if let text = root["description"]?.string, !text.isEmpty { lines += [""] + indented(text, "") }
    if let data = root["content_data"], !data.isNull { lines += body(data) }
    if root["kind"]?.string == "item", root["content_data"]?.isNull ?? true {
      lines += ["", "(no body: the app lists this item but cannot open it)"]
    }
    if let raw = root["extras"]?["raw"]?.members, !raw.isEmpty {
      let names = raw.map { safe($0.name) }.joined(separator: ", ")
      lines += ["", "Recovered from damaged content; the record keeps the original of \(names) (shown with --json)."]
    }
    if let states = root["item_states"] { lines += ticks(states) }
    return lines.joined(separator: "\n")
  }

  private static func facts(_ root: JSONValue) -> [String] {
    var lines: [String] = []
    func fact(_ label: String, _ value: String?) {
      guard let value, !value.isEmpty else { return }
      lines.append("  \(label)\(String(repeating: " ", count: max(1, 12 - label.count)))\(safe(value))")
    }
    fact("id", root["id"].map { $0.string ?? $0.text })
    fact("type", root["content_type"]?.string ?? root["kind"]?.string)
    fact("tags", root["tags"]?.elements.compactMap(\.string).joined(separator: ", "))
    for name in [
      "language", "visibility", "sync_status", "public_id", "boat_name", "location", "start_date", "end_date",
      "checklist_id", "charter_id", "content_id", "operation", "last_error", "created_at", "updated_at",
    ] { fact(name.replacing("_", with: " "), root[name]?.string) }
    return lines
  }

  private static func body(_ data: JSONValue) -> [String] {
    var lines: [String] = []
    for section in data["sections"]?.elements ?? [] {
      lines += ["", "## " + safe(section["title"]?.string ?? "")]
      if let text = section["description"]?.string { lines += indented(text, "   ") }
      for item in section["items"]?.elements ?? [] { lines += step(item) }
    }
    for card in data["cards"]?.elements ?? [] {
      lines.append("")
      lines += indented(card["front"]?.string ?? "", "   ", first: "Q: ")
      lines += indented(card["back"]?.string ?? "", "   ", first: "A: ")
    }
    if let markdown = data["markdown"]?.string {
      lines.append("")
      lines += markdown.split(separator: "\n", omittingEmptySubsequences: false).map { safe(String($0)) }
    }
    return lines
  }

  private static func step(_ item: JSONValue) -> [String] {
    var marks: [String] = []
    if item["isRequired"]?.bool ?? false { marks.append("required") }
    if item["isOptional"]?.bool ?? false { marks.append("optional") }
    if let minutes = item["estimatedMinutes"]?.integer { marks.append("\(minutes) min") }
    let suffix = marks.isEmpty ? "" : "  (\(marks.joined(separator: ", ")))"
    var lines = ["  ☐ " + safe(item["title"]?.string ?? "") + suffix]
    if let text = item["itemDescription"]?.string { lines += indented(text, "    ") }
    return lines
  }

  private static func ticks(_ states: JSONValue) -> [String] {
    let done = states.members.filter { $0.value["checked"]?.bool ?? false }.count
    var lines = ["", "\(done) of \(states.members.count) ticked"]
    for (id, state) in states.members {
      let mark = state["checked"]?.bool ?? false ? "☑" : "☐"
      let note = state["notes"]?.string.map { " — " + safe($0) } ?? ""
      lines.append("  \(mark) \(safe(id)) \(state["checkedAt"]?.string ?? "")\(note)")
    }
    return lines
  }

  /// Splits `text` into lines and indents them.
  private static func indented(_ text: String, _ margin: String, first: String? = nil) -> [String] {
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    return lines.enumerated().map { index, line in
      (index == 0 ? first ?? margin : line.isEmpty ? "" : margin) + safe(String(line))
    }
  }

  private static func safe(_ text: String) -> String { TerminalEscaping.escape(text) }
}
