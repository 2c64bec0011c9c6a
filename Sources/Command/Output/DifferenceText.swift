import FleetKit

/// Differences in words and as JSON.
enum DifferenceText {
  private static let shown = 20

  static func print(_ difference: Difference, left: String, right: String, verbose: Bool) {
    let counts = difference.counts
    if difference.isEmpty {
      Terminal.print("Equal: \(TerminalText.escape(left)) and \(TerminalText.escape(right)) say the same.\n")
      var table = Table(["records", "equal"], rightAligned: [1])
      let kinds = difference.equalByKind.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }
      for (kind, count) in kinds { table.add([kind.plural, "\(count)"]) }
      table.rule()
      table.add(["total", "\(counts.equal)"])
      for line in table.lines(width: Terminal.width) { Terminal.print(line) }
      return
    }
    let most = verbose ? Int.max : shown
    list("-", difference.onlyLeft, counts.onlyLeft, "only in \(left)", most)
    list("+", difference.onlyRight, counts.onlyRight, "only in \(right)", most)
    for change in difference.changed.prefix(most) {
      Terminal.print("~ \(name(change))")
      for field in change.fields.prefix(verbose ? Int.max : 8) {
        Terminal.print("    \(TerminalText.escape(field.pointer.isEmpty ? "/" : field.pointer))")
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
      "\n\(counts.onlyLeft) only in \(TerminalText.escape(left)), \(counts.onlyRight) only in "
        + "\(TerminalText.escape(right)), \(counts.changed) changed, \(counts.equal) equal")
  }

  private static func list(_ mark: String, _ changes: [RecordChange], _ count: Int, _ what: String, _ most: Int) {
    for change in changes.prefix(most) { Terminal.print("\(mark) \(name(change))") }
    let more = count - min(changes.count, most)
    if more > 0 { Terminal.print("  and \(more) more \(TerminalText.escape(what)) (-v shows more)") }
  }

  private static func name(_ change: RecordChange) -> String {
    TerminalText.escape("\(change.type.replacing("_", with: " ")) \(change.id) \(change.title)")
  }

  private static func value(_ text: String?) -> String {
    guard let text else { return "(nothing)" }
    let cut = text.count > 160 ? String(text.prefix(160)) + "…" : text
    return TerminalText.escape(cut)
  }

  static func json(_ difference: Difference, left: String, right: String, context: RunContext) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "diff")
      json.string("left", left)
      json.string("right", right)
      json.bool("equal", difference.isEmpty)
      json.number("unreadable", difference.unreadable)
      json.object("counts") { json in
        json.number("only_left", difference.counts.onlyLeft)
        json.number("only_right", difference.counts.onlyRight)
        json.number("changed", difference.counts.changed)
        json.number("equal", difference.counts.equal)
      }
      for (name, changes) in [
        ("only_left", difference.onlyLeft), ("only_right", difference.onlyRight), ("changed", difference.changed),
      ] {
        json.array(name) { json in for change in changes { self.change(change, &json) } }
      }
      if let all = ExplanationReport.all(context) { json.raw("explanations", SummaryJSON.text(all)) }
    }
    return json.result
  }

  private static func change(_ change: RecordChange, _ json: inout JSONBuilder) {
    json.object { json in
      json.string("kind", change.kind.name)
      json.string("type", change.type)
      json.string("id", change.id)
      json.string("title", change.title)
      guard !change.fields.isEmpty else { return }
      json.array("fields") { json in
        for field in change.fields {
          json.object { json in
            json.string("pointer", field.pointer)
            json.raw("left", field.left ?? "null")
            json.raw("right", field.right ?? "null")
          }
        }
      }
    }
  }
}
