import FleetKit

/// Renders what an import does to a library, grouped and abbreviated.
enum PlanRenderer {
  /// The maximum number of lines without -v.
  private static let limit = 20

  /// The number of records of a group that are named.
  static func named(_ output: OutputOptions) -> Int { output.verbose ? 1000 : 3 }

  /// Prints the outline on standard error.
  /// - Parameter isRestore: whether the records are restored from a backup.
  static func say(_ outline: PlanOutline, verbose: Bool, isRestore: Bool = false) {
    let lines = lines(outline, verbose: verbose, words: isRestore ? restoreWords : words)
    if lines.isEmpty { return }
    let shown = verbose || lines.count <= limit ? lines : Array(lines.prefix(limit - 1)) + ["… (-v shows all)"]
    for line in shown { Terminal.say(line) }
    Terminal.say("")
  }

  private static func lines(_ outline: PlanOutline, verbose: Bool, words: [String: String]) -> [String] {
    outline.groups.flatMap { group -> [String] in
      let noun = group.count == 1 ? group.noun.one : group.noun.many
      let head = "\(words[group.action] ?? group.action) \(group.count) \(noun)"
      let rest = group.count - group.entries.count
      let more = rest > 0 ? "and \(rest) more" : nil
      let entries = group.entries.map { entry($0, verbose: verbose) }
      if !verbose, group.entries.allSatisfy(\.details.isEmpty) {
        return ["\(head): " + entries.joined(separator: ", ") + (more.map { " … \($0)" } ?? "")]
      }
      if entries.count == 1, rest == 0 { return ["\(head): \(entries[0])"] }
      return ["\(head):"] + entries.map { "  " + $0 } + (more.map { ["  … \($0)"] } ?? [])
    }
  }

  private static let words = [
    "create": "Create", "update": "Update", "beside": "Keep next to the library", "conflict": "Conflict in",
    "reject": "Reject", "keep": "Keep the library's", "gone": "No longer in the source, kept", "rename": "Recognize",
  ]

  private static let restoreWords = words.merging(
    ["create": "Restore", "update": "Revert"], uniquingKeysWith: { $1 })

  /// Renders a record and its changes: `Engine (step "Check oil", description; and 2 more)`.
  private static func entry(_ entry: PlanOutline.Entry, verbose: Bool) -> String {
    let name = TerminalEscaping.escape(cut(entry.name, 60))
    if entry.details.isEmpty { return name }
    // An item and its document have some fields in common; each of these is shown only once.
    var seen = Set<String>()
    let all = entry.details.filter { seen.insert($0).inserted }
    let shown = verbose ? all : Array(all.prefix(2))
    let rest = all.count - shown.count
    let details =
      shown.map { TerminalEscaping.escape(verbose ? $0 : cut($0, 120)) } + (rest > 0 ? ["and \(rest) more"] : [])
    return "\(name) (\(details.joined(separator: "; ")))"
  }

  private static func cut(_ text: String, _ length: Int) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > length else { return text }
    return String(String.UnicodeScalarView(scalars.prefix(length - 1))) + "…"
  }
}
