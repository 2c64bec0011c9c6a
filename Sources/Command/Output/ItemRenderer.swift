import FleetKit

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

  /// Splits a text into lines and indents them.
  private static func indented(_ text: String, _ margin: String, first: String? = nil) -> [String] {
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    return lines.enumerated().map { index, line in
      (index == 0 ? first ?? margin : line.isEmpty ? "" : margin) + safe(String(line))
    }
  }

  private static func safe(_ text: String) -> String { TerminalEscaping.escape(text) }
}
