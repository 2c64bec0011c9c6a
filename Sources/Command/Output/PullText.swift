import FleetKit

/// What came of a pull, for people and as JSON.
struct PullText {
  /// The verb that was at work.
  let command: String
  let library: String
  let output: OutputOptions

  func say(_ report: PullReport) {
    if output.json { return Terminal.print(json(report)) }
    guard !output.quiet else { return report.rejects.forEach { Terminal.say(TerminalText.escape($0)) } }
    sayEntries(of: report)
    Terminal.say(totals(report))
    if report.dropped > 0 {
      Terminal.say(
        report.dropped == 1
          ? "1 update that had failed left the queue: it would have replaced what was pulled."
          : "\(report.dropped) updates that had failed left the queue: they would have replaced what was pulled.")
    }
    if report.settled > 0 {
      Terminal.say(
        report.settled == 1
          ? "1 of the unchanged is exactly what is public, and marked as synced now."
          : "\(report.settled) of the unchanged are exactly what is public, and marked as synced now.")
    }
    let name = TerminalText.escape(library)
    if report.count({ $0 == .merged }) > 0, !report.isDryRun {
      Terminal.say("What was merged is not public yet: 'fleetkit update \(name) --changed' queues it.")
    }
    if report.count({ $0 == .missing }) > 0 { Terminal.say("--all-mine brings in what is not in \(name).") }
    if let page = report.conflicts {
      Terminal.say("Both sides of each conflict are side by side in \(TerminalText.escape(page))")
    }
    if let item = firstConflict(report) {
      Terminal.say(
        "'fleetkit pull \(name) --id \(item) --take local' lets this library win, '--take remote' the registry; "
          + "the rest of the item is merged.")
    }
    if report.isDryRun { Terminal.say("Nothing was changed (--dry-run).") }
    for path in report.rejects { Terminal.say(TerminalText.escape(path)) }
  }

  /// An item of which both sides changed the same thing, for the command that settles it.
  private func firstConflict(_ report: PullReport) -> String? {
    let first = report.entries.first { if case .conflict = $0.outcome { $0.id != nil } else { false } }
    return first?.id.map(TerminalText.escape)
  }

  /// On a new device hundreds of items may be missing, and would drown what happened: more than these are counted.
  private static let mostMissing = 5

  private func sayEntries(of report: PullReport) {
    let missing = report.count { $0 == .missing }
    let listed = missing > Self.mostMissing + 1 ? Self.mostMissing : missing
    var said = 0
    for entry in report.entries {
      if case .missing = entry.outcome {
        said += 1
        guard said <= listed else { continue }
      }
      say(entry)
    }
    if listed < missing { Terminal.say("not here: \(missing - listed) more; --json lists all") }
  }

  private func say(_ entry: PullReport.Entry) {
    let title = TerminalText.escape(entry.title)
    let (word, why) = Self.words(entry.outcome)
    if case .missing = entry.outcome {
      return Terminal.say("not here: \(title) (\(TerminalText.escape(entry.publicID)))")
    }
    Terminal.say("\(word): \(title)" + (why.map { ": \(TerminalText.escape($0))" } ?? ""))
  }

  private func totals(_ report: PullReport) -> String {
    let counts: [(String, (PullReport.Outcome) -> Bool)] = [
      ("taken", { $0 == .taken }), ("merged", { $0 == .merged }), ("created", { $0 == .created }),
      ("made private", { $0 == .withdrawn }), ("not here", { $0 == .missing }),
      ("skipped", { if case .skipped = $0 { true } else { false } }),
      ("in conflict", { if case .conflict = $0 { true } else { false } }),
      ("rejected", { if case .rejected = $0 { true } else { false } }),
    ]
    var parts = counts.compactMap { word, takes in
      let count = report.count(takes)
      return count > 0 ? "\(count) \(word)" : nil
    }
    if report.unchanged > 0 || parts.isEmpty { parts.append("\(report.unchanged) unchanged") }
    if report.gone > 0 { parts.append("\(report.gone) unpublished before") }
    if report.unselected > 0 { parts.append("\(report.unselected) not selected") }
    return "\(report.owned) of yours: " + parts.joined(separator: ", ")
  }

  private static func words(_ outcome: PullReport.Outcome) -> (String, String?) {
    switch outcome {
    case .taken: ("taken", nil)
    case .merged: ("merged", nil)
    case .created: ("created", nil)
    case .withdrawn: ("private", "it was unpublished elsewhere; its content stays")
    case .conflict(let why): ("conflict", why)
    case .rejected(let why): ("rejected", why)
    case .missing: ("missing", nil)
    case .skipped(let why): ("skipped", why)
    }
  }

  // MARK: JSON

  private func json(_ report: PullReport) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", command)
      json.number("status", Int(report.status.rawValue))
      json.string("library", library)
      json.bool("dry_run", report.isDryRun)
      json.number("run", report.run.map { Int(clamping: $0) })
      json.number("owned", report.owned)
      json.number("unchanged", report.unchanged)
      json.number("marked_synced", report.settled)
      json.number("unpublished_before", report.gone)
      json.number("not_selected", report.unselected)
      json.number("dropped_updates", report.dropped)
      json.array("items") { json in
        for entry in report.entries {
          json.object { json in
            let (word, why) = Self.words(entry.outcome)
            json.string("id", entry.id)
            json.string("public_id", entry.publicID)
            json.string("title", entry.title)
            json.string("outcome", word)
            json.string("reason", why)
          }
        }
      }
      json.string("conflicts", report.conflicts)
      json.string("replaced", report.replaced)
      json.array("rejects") { json in
        for path in report.rejects { json.string(nil, path) }
      }
    }
    return json.result
  }
}
