import FleetKit

/// What came of `fleetkit merge`, in words, as JSON, and as a page.
enum FileMergeText {
  private static let shown = 20

  // MARK: In words

  /// Says what was merged, and what is in conflict; all of it beside the data, on standard error.
  static func print(_ report: FileMergeReport, target: String, quiet: Bool, verbose: Bool) {
    if !quiet { Terminal.say("Merged \(TerminalText.escape(target)): \(words(report.counts)).") }
    if report.conflictCount == 0 { return }
    if report.isSettled {
      if !quiet { Terminal.say("\(count(report.conflictCount, "conflict")) settled as you said.") }
      return
    }
    let most = verbose ? Int.max : shown
    for conflict in report.conflicts.prefix(most) {
      Terminal.say("conflict: " + TerminalText.escape(headline(conflict)))
      if quiet { continue }
      Terminal.say("    base:   " + value(conflict.conflict.base, verbose))
      Terminal.say("    ours:   " + value(conflict.conflict.ours, verbose))
      Terminal.say("    theirs: " + value(conflict.conflict.theirs, verbose))
    }
    let more = report.conflictCount - min(most, report.conflicts.count)
    if more > 0 { Terminal.say("and \(count(more, "more conflict"))\(verbose ? "" : " (-v shows more)")") }
    Terminal.say(
      "\(count(report.conflictCount, "conflict")): \(TerminalText.escape(target)) has our side of "
        + "\(report.conflictCount == 1 ? "it" : "them"); everything else is merged.")
  }

  private static func words(_ counts: FileMergeReport.Counts) -> String {
    let parts = [
      (counts.same, "as they were"), (counts.fromOurs, "changed by ours"), (counts.fromTheirs, "changed by theirs"),
      (counts.merged, "changed by both"), (counts.addedByOurs, "added by ours"),
      (counts.addedByTheirs, "added by theirs"), (counts.deleted, "deleted"),
      (counts.conflicting, "in conflict"),
    ]
    let said = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return said.isEmpty ? "nothing is in it" : said.joined(separator: ", ")
  }

  /// `checklists/fire.md:12:3: checklist "Fire", section "Engine", step "Oil", title`.
  private static func headline(_ conflict: FileConflict) -> String {
    let place = (conflict.ours ?? conflict.theirs).map { $0.description + ": " } ?? ""
    let title = conflict.title.isEmpty ? conflict.id : "\"\(conflict.title)\""
    return "\(place)\(title): \(conflict.conflict.label)"
  }

  private static func value(_ text: String?, _ verbose: Bool) -> String {
    guard let text else { return "(nothing)" }
    let scalars = text.unicodeScalars
    let isLong = !verbose && scalars.count > 160
    return TerminalText.escape(isLong ? String(String.UnicodeScalarView(scalars.prefix(160))) + "…" : text)
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  // MARK: As a page

  /// The conflicts as Markdown.
  static func page(_ report: FileMergeReport, name: String) -> String {
    var page = "# Conflicts in \(TerminalText.escape(name))\n"
    for conflict in report.conflicts {
      page += "\n## \(TerminalText.escape(headline(conflict)))\n"
      for (side, text) in [
        ("base", conflict.conflict.base), ("ours", conflict.conflict.ours), ("theirs", conflict.conflict.theirs),
      ] {
        page += "\n\(side):\n\n" + block(text ?? "(nothing)") + "\n"
      }
    }
    let more = report.conflictCount - report.conflicts.count
    return more > 0 ? page + "\nand \(more) more\n" : page
  }

  /// An indented block: whatever stands in the text, it does not end it.
  private static func block(_ text: String) -> String {
    let plain = (try? JSONDocument(parsing: text).root.string) ?? text
    return plain.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "    " + TerminalText.escape(String($0)) }.joined(separator: "\n")
  }

  // MARK: As JSON

  static func json(_ report: FileMergeReport, target: String) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "merge")
      json.string("to", target)
      json.bool("clean", report.isClean)
      json.bool("keeps_typing", report.keepsTyping)
      json.number("bytes", report.size)
      json.object("counts") { json in
        json.number("same", report.counts.same)
        json.number("from_ours", report.counts.fromOurs)
        json.number("from_theirs", report.counts.fromTheirs)
        json.number("merged", report.counts.merged)
        json.number("added_by_ours", report.counts.addedByOurs)
        json.number("added_by_theirs", report.counts.addedByTheirs)
        json.number("deleted", report.counts.deleted)
        json.number("conflicting", report.counts.conflicting)
      }
      json.number("conflict_count", report.conflictCount)
      json.array("conflicts") { json in
        for conflict in report.conflicts { self.conflict(conflict, &json) }
      }
    }
    return json.result
  }

  private static func conflict(_ conflict: FileConflict, _ json: inout JSONBuilder) {
    json.object { json in
      json.string("kind", conflict.kind.name)
      json.string("id", conflict.id)
      json.string("title", conflict.title)
      json.string("pointer", conflict.conflict.pointer)
      json.string("label", conflict.conflict.label)
      json.string("place", (conflict.ours ?? conflict.theirs)?.description)
      json.raw("base", conflict.conflict.base ?? "null")
      json.raw("ours", conflict.conflict.ours ?? "null")
      json.raw("theirs", conflict.conflict.theirs ?? "null")
    }
  }
}
