import FleetKit

/// What an import says of the steps and cards that it changed.
enum StepChangeText {
  /// For people: how many, and which of them where somebody wants to know.
  static func say(_ log: StepChangeLog, verbose: Bool) {
    guard log.total > 0 else { return }
    if let line = line("Sections", log.sections) { Terminal.say(line) }
    if let line = line("Steps", log.steps) { Terminal.say(line) }
    if let line = line("Cards", log.cards) { Terminal.say(line) }
    guard verbose else { return }
    for entry in log.entries {
      let what = "\(entry.change.rawValue)\(entry.isSection ? " section" : "") '\(TerminalText.escape(entry.title))'"
      let new = entry.newTitle.map { " → '\(TerminalText.escape($0))'" } ?? ""
      Terminal.say("  \(TerminalText.escape(entry.itemTitle)): \(what)\(new)")
    }
    if log.leftOut > 0 { Terminal.say("  … and \(log.leftOut) more") }
  }

  private static func line(_ name: String, _ counts: [StepChangeLog.Change: Int]) -> String? {
    let parts = StepChangeLog.Change.allCases.compactMap { change in
      counts[change].map { "\($0) \(change.rawValue)" }
    }
    return parts.isEmpty ? nil : "\(name): \(parts.joined(separator: ", "))"
  }

  /// For machines.
  static func json(_ log: StepChangeLog, _ json: inout JSONBuilder) {
    for (name, counts) in [("sections", log.sections), ("steps", log.steps), ("cards", log.cards)] {
      json.object(name) { json in
        for change in StepChangeLog.Change.allCases { json.number(change.rawValue, counts[change, default: 0]) }
      }
    }
    json.array("step_changes") { json in
      for entry in log.entries {
        json.object { json in
          json.string("item", entry.item)
          json.string("item_title", entry.itemTitle)
          json.string("part", entry.isSection ? "section" : entry.isCard ? "card" : "step")
          json.string("id", entry.id)
          json.string("change", entry.change.rawValue)
          json.string("title", entry.title)
          if let new = entry.newTitle { json.string("new_title", new) }
        }
      }
    }
    json.number("step_changes_left_out", log.leftOut)
  }
}
