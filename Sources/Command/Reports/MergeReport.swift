import FleetKit

/// The report of `merge`, and its conflict page.
struct MergeReport: Report {
  struct Conflict: Encodable {
    let kind: RecordKind
    let id, title, pointer, label: String
    let place: String?
    let base, ours, theirs: RawJSON?

    init(_ conflict: FileConflict) {
      (kind, id, title) = (conflict.kind, conflict.id, conflict.title)
      (pointer, label) = (conflict.conflict.pointer, conflict.conflict.label)
      place = (conflict.ours ?? conflict.theirs)?.description
      let sides = conflict.conflict
      (base, ours, theirs) = (
        sides.base.map(RawJSON.init), sides.ours.map(RawJSON.init), sides.theirs.map(RawJSON.init)
      )
    }
  }

  let command = "merge"
  let to: String
  let clean, keepsTyping: Bool
  let bytes: Int
  let counts: FileMergeReport.Counts
  let conflictCount: Int
  let conflicts: [Conflict]
  @TextOnly var text: (report: FileMergeReport, name: String)

  /// - Parameter name: the path of the file in its repository.
  init(_ report: FileMergeReport, to: String, name: String?) {
    (self.to, clean, keepsTyping) = (to, report.isClean, report.keepsTyping)
    (bytes, counts, conflictCount) = (report.size, report.counts, report.conflictCount)
    conflicts = report.conflicts.map(Conflict.init)
    text = (report, name ?? to)
  }

  private static let shown = 20

  func render(_ output: OutputOptions) {
    let (report, target, quiet, verbose) = (text.report, text.name, output.quiet, output.verbose)
    if !quiet { Terminal.say("Merged \(TerminalEscaping.escape(target)): \(words(report.counts)).") }
    if report.conflictCount == 0 { return }
    if report.isSettled {
      if !quiet { Terminal.say("\(Plural.count(report.conflictCount, "conflict")) resolved with the side you chose.") }
      return
    }
    let most = verbose ? Int.max : Self.shown
    for conflict in report.conflicts.prefix(most) {
      Terminal.say("conflict: " + TerminalEscaping.escape(Self.headline(conflict)))
      if quiet { continue }
      Terminal.say("    base:   " + value(conflict.conflict.base, verbose))
      Terminal.say("    ours:   " + value(conflict.conflict.ours, verbose))
      Terminal.say("    theirs: " + value(conflict.conflict.theirs, verbose))
    }
    let more = report.conflictCount - min(most, report.conflicts.count)
    if more > 0 { Terminal.say("and \(Plural.count(more, "more conflict"))\(verbose ? "" : " (-v shows more)")") }
    Terminal.say(
      "\(Plural.count(report.conflictCount, "conflict")): \(TerminalEscaping.escape(target)) has our side of "
        + "\(report.conflictCount == 1 ? "it" : "them"); everything else was merged.")
  }

  private func words(_ counts: FileMergeReport.Counts) -> String {
    let parts = [
      (counts.same, "unchanged"), (counts.fromOurs, "changed by ours"), (counts.fromTheirs, "changed by theirs"),
      (counts.merged, "changed by both"), (counts.addedByOurs, "added by ours"),
      (counts.addedByTheirs, "added by theirs"), (counts.deleted, "deleted"),
      (counts.conflicting, "in conflict"),
    ]
    let nonzero = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return nonzero.isEmpty ? "no records" : nonzero.joined(separator: ", ")
  }

  /// Returns the heading of a conflict: `checklists/fire.md:12:3: checklist "Fire", section "Engine", step "Oil",
  /// title`.
  private static func headline(_ conflict: FileConflict) -> String {
    let place = (conflict.ours ?? conflict.theirs).map { $0.description + ": " } ?? ""
    let title = conflict.title.isEmpty ? conflict.id : "\"\(conflict.title)\""
    return "\(place)\(title): \(conflict.conflict.label)"
  }

  private func value(_ text: String?, _ verbose: Bool) -> String {
    guard let text else { return "(nothing)" }
    let scalars = text.unicodeScalars
    let isLong = !verbose && scalars.count > 160
    return TerminalEscaping.escape(isLong ? String(String.UnicodeScalarView(scalars.prefix(160))) + "…" : text)
  }

  /// Returns the conflicts as Markdown.
  static func page(_ report: FileMergeReport, name: String) -> String {
    var page = "# Conflicts in \(TerminalEscaping.escape(name))\n"
    for conflict in report.conflicts {
      page += "\n## \(TerminalEscaping.escape(headline(conflict)))\n"
      for (side, text) in [
        ("base", conflict.conflict.base), ("ours", conflict.conflict.ours), ("theirs", conflict.conflict.theirs),
      ] {
        page += "\n\(side):\n\n" + block(text ?? "(nothing)") + "\n"
      }
    }
    let more = report.conflictCount - report.conflicts.count
    return more > 0 ? page + "\nand \(more) more\n" : page
  }

  /// Returns a text as an indented block, which no line of the text can end.
  private static func block(_ text: String) -> String {
    let plain = (try? JSONDocument(parsing: text).root.string) ?? text
    return plain.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "    " + TerminalEscaping.escape(String($0)) }.joined(separator: "\n")
  }
}
