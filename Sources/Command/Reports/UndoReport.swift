import FleetKit

/// The report of `undo`.
struct UndoReport: Report {
  let command = "undo"
  let status: ExitStatus
  let library: String
  let undone: Int64
  let undoneCommand: String
  let run: Int64?
  let dryRun, refused: Bool
  let removed, putBack: [String: Int]
  let media: Int
  let changed: [UndoRun.ChangedRecord]
  let seconds: Seconds
  @TextOnly var text: (report: UndoRun.Report, undo: UndoRun)

  init(_ report: UndoRun.Report, _ undo: UndoRun) {
    (status, library, undone, undoneCommand) = (report.status, undo.library, undo.id, report.command)
    (run, dryRun, refused) = (report.run, undo.dryRun, report.isRefused)
    (removed, putBack, media) = (report.removed, report.putBack, report.media)
    (changed, seconds) = (report.changed, Seconds(report.seconds))
    text = (report, undo)
  }

  /// The number of changed records that are named without -v.
  private static let named = 20

  func render(_ output: OutputOptions) {
    let (report, undo) = text
    let library = TerminalEscaping.escape(undo.library)
    if report.isRefused || !output.quiet {
      let shown = output.verbose ? report.changed.count : Self.named
      for record in report.changed.prefix(shown) {
        let title = record.title.map { " “\(TerminalEscaping.escape($0))”" } ?? ""
        Terminal.say("  \(word(record.kind)) \(TerminalEscaping.escape(record.id))\(title): \(what(record.what))")
      }
      if report.changed.count > shown { Terminal.say("  and \(report.changed.count - shown) more (-v names all)") }
    }
    if report.isRefused {
      let count = report.changed.count
      return Terminal.complain(
        "fleetkit: undo run \(undo.id) of '\(library)': \(why(report)); nothing was changed. "
          + "To skip \(count == 1 ? "it" : "them") and undo the rest, use --skip-changed.")
    }
    if output.quiet { return }
    let removed = list(report.removed)
    let back = list(report.putBack)
    let time = Figures.duration(report.seconds)
    if removed.isEmpty, back.isEmpty {
      Terminal.say("No records of \(library) \(undo.dryRun ? "would be" : "were") changed, in \(time).")
    } else {
      let parts = [removed.isEmpty ? nil : "\(removed) removed", back.isEmpty ? nil : "\(back) put back"].compactMap {
        $0
      }
      Terminal.say(
        "Run \(undo.id) (\(TerminalEscaping.escape(report.command))) \(undo.dryRun ? "would be" : "was") undone: "
          + "\(parts.joined(separator: ", ")), in \(time).")
    }
    if report.media > 0 {
      Terminal.say(
        "Also removes \(report.media) attachment\(report.media == 1 ? "" : "s") that nothing uses any more.")
    }
    if !report.changed.isEmpty {
      Terminal.say("\(why(report)); \(report.changed.count == 1 ? "it is left unchanged" : "they are left unchanged").")
    }
    if undo.dryRun { return Terminal.say("Nothing was changed (--dry-run).") }
    if let run = report.run { Terminal.say("This is run \(run); to undo it, run 'fleetkit undo \(run)'.") }
  }

  /// Returns why records cannot be undone: `2 records were changed since, and 1 record is needed by newer records`.
  private func why(_ report: UndoRun.Report) -> String {
    let needed = report.changed.filter { $0.what == .needed }.count
    let changed = report.changed.count - needed
    let parts = [
      changed == 0 ? nil : "\(changed) record\(changed == 1 ? " was" : "s were") changed since",
      needed == 0 ? nil : "\(needed) record\(needed == 1 ? " is" : "s are") needed by newer records",
    ]
    return parts.compactMap { $0 }.joined(separator: ", and ")
  }

  /// Renders counts by kind: `2 items and 1 charter`.
  private func list(_ counts: [String: Int]) -> String {
    let parts = counts.sorted { $0.key < $1.key }.map { Plural.count($0.value, word($0.key)) }
    guard let last = parts.last else { return "" }
    return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
  }

  private func word(_ kind: String) -> String { TerminalEscaping.escape(kind.replacing("_", with: " ")) }

  private func what(_ obstacle: UndoObstacle) -> String {
    switch obstacle {
    case .changed: "changed since"
    case .deleted: "deleted since"
    case .madeAnew: "recreated since"
    case .needed: "needed by newer records"
    }
  }
}
