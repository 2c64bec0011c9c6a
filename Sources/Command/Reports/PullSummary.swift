import FleetKit

/// The report of `pull` and of `update --take remote`.
struct PullSummary: Report {
  struct Item: Encodable {
    let id: String?
    let publicID, title, outcome: String
    let reason: String?

    init(_ entry: PullReport.Entry) {
      (id, publicID, title) = (entry.id, entry.publicID, entry.title)
      (outcome, reason) = PullSummary.words(entry.outcome)
    }
  }

  let command: String
  let status: ExitStatus
  let library: String
  let dryRun: Bool
  let run: Int64?
  let owned, unchanged, markedSynced, unpublishedBefore, notSelected, droppedUpdates: Int
  let items: [Item]
  let conflicts, replaced: String?
  let rejects: [String]
  @TextOnly var report: PullReport

  /// - Parameter command: the verb that was at work.
  init(_ report: PullReport, command: String, library: String) {
    (self.command, status, self.library) = (command, report.status, library)
    (dryRun, run, owned, unchanged) = (report.isDryRun, report.run, report.owned, report.unchanged)
    (markedSynced, unpublishedBefore) = (report.settled, report.gone)
    (notSelected, droppedUpdates) = (report.unselected, report.dropped)
    items = report.entries.map(Item.init)
    (conflicts, replaced, rejects) = (report.conflicts, report.replaced, report.rejects)
    self.report = report
  }

  func render(_ output: OutputOptions) {
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

  fileprivate static func words(_ outcome: PullReport.Outcome) -> (String, String?) {
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
}
