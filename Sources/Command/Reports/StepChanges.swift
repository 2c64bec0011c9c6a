import FleetKit

/// Renders the steps and cards that an import changed.
enum StepChangeRenderer {
  /// Prints the number of changes and lists them. If there are many changes, they are listed only with `verbose`.
  /// - Parameter isOutlined: whether the changed items were already named.
  static func say(_ log: StepChangeLog, verbose: Bool, isOutlined: Bool) {
    guard log.total > 0 else { return }
    if let line = line("Sections", log.sections) { Terminal.say(line) }
    if let line = line("Steps", log.steps) { Terminal.say(line) }
    if let line = line("Cards", log.cards) { Terminal.say(line) }
    if isOutlined, !verbose { return }
    guard verbose || log.leftOut == 0 && log.entries.count <= Self.few else { return Terminal.say(items(log)) }
    for entry in log.entries {
      let what =
        "\(entry.change.rawValue)\(entry.isSection ? " section" : "") '\(TerminalEscaping.escape(entry.title))'"
      let new = entry.newTitle.map { " → '\(TerminalEscaping.escape($0))'" } ?? ""
      Terminal.say("  \(TerminalEscaping.escape(entry.itemTitle)): \(what)\(new)")
    }
    if log.leftOut > 0 { Terminal.say("  … and \(log.leftOut) more") }
  }

  /// The number of changes that are listed without -v.
  private static let few = 8

  /// Names the items that have changes, by title.
  private static func items(_ log: StepChangeLog) -> String {
    var seen: Set<String> = []
    let titles = log.entries.filter { seen.insert($0.item).inserted }.map {
      "'\(TerminalEscaping.escape($0.itemTitle))'"
    }
    let shown = titles.prefix(3).joined(separator: ", ")
    let others = titles.count - 3
    let rest = others > 0 ? " and \(Plural.count(others, "other item"))" : ""
    return "  In \(shown)\(rest); -v lists the changes."
  }

  private static func line(_ name: String, _ counts: [StepChangeLog.Change: Int]) -> String? {
    let parts = StepChangeLog.Change.allCases.compactMap { change in
      counts[change].map { "\($0) \(change.rawValue)" }
    }
    return parts.isEmpty ? nil : "\(name): \(parts.joined(separator: ", "))"
  }
}

/// The part of an import's report about steps and cards.
struct StepChangesReport: Encodable {
  private struct Entry: Encodable {
    let item, itemTitle, part, id, change, title: String
    @IfPresent var newTitle: String?
  }

  private let sections, steps, cards: Members<Int>
  private let stepChanges: [Entry]
  private let stepChangesLeftOut: Int

  init(_ log: StepChangeLog) {
    func counts(_ counts: [StepChangeLog.Change: Int]) -> Members<Int> {
      Members(StepChangeLog.Change.allCases.map { ($0.rawValue, counts[$0, default: 0]) })
    }
    (sections, steps, cards) = (counts(log.sections), counts(log.steps), counts(log.cards))
    stepChanges = log.entries.map {
      Entry(
        item: $0.item, itemTitle: $0.itemTitle, part: $0.isSection ? "section" : $0.isCard ? "card" : "step",
        id: $0.id, change: $0.change.rawValue, title: $0.title, newTitle: $0.newTitle)
    }
    stepChangesLeftOut = log.leftOut
  }
}
