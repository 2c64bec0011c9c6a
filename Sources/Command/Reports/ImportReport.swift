import FleetKit

/// The report of verbs that write records into a library: `import`, `apply`, `restore --into`.
struct ImportReport: Report {
  private struct Outcome: Encodable {
    let run: Int64?
    let createdLibrary: Bool
    let merged: Int
    let conflicts, replaced: String?
    @IfPresent var originals: String?
    let keptBeside, publishedChanged, publishedRestored: Int

    init(_ report: LibraryImport.Report, dryRun: Bool) {
      (run, createdLibrary) = (dryRun ? nil : report.run, report.isNew && !dryRun)
      (merged, conflicts, replaced) = (report.merged, report.conflicts, report.replaced)
      (originals, keptBeside) = (report.originals, report.keptBeside)
      (publishedChanged, publishedRestored) = (report.publishedChanged, report.publishedRestored)
    }
  }

  @Inlined private var head: RunReportHead
  @Inlined private var outcome: Outcome
  @Inlined private var stepChanges: StepChangesReport
  @Inlined private var ids: NoteIDsReport?
  /// The file of the plan that was written, or that was applied.
  @IfPresent private var plan: String?
  @TextOnly private var text: Text

  /// Values that only the text report needs.
  private struct Text {
    let verb, into: String
    let dryRun: Bool
    let report: LibraryImport.Report
    let ids: NoteIDs?
    /// The rejects file that was imported again; nil for other sources.
    let retried: String?
    /// The changes, in groups; nil if they are not reported.
    let outline: PlanOutline?
  }

  init(
    _ report: LibraryImport.Report, verb: String, into: String, dryRun: Bool, ids: NoteIDs? = nil,
    retried: String? = nil, outline: PlanOutline? = nil, plan: String? = nil
  ) {
    head = RunReportHead(report.summary, command: verb, target: into, dryRun: dryRun)
    outcome = Outcome(report, dryRun: dryRun)
    stepChanges = StepChangesReport(report.stepChanges)
    self.ids = ids.map(NoteIDsReport.init)
    self.plan = plan
    text = Text(
      verb: verb, into: into, dryRun: dryRun, report: report, ids: ids, retried: retried, outline: outline)
  }

  func render(_ output: OutputOptions) {
    let (verb, into, dryRun, report) = (text.verb, text.into, text.dryRun, text.report)
    let summary = report.summary
    ExplanationRenderer.print(summary.context)
    if !output.quiet {
      // A file with rejects was not imported completely, so it counts as changed.
      let failed = Set(
        summary.context.findings.groups().lazy.filter { $0.kind.severity == .error }
          .flatMap { $0.kept.map(\.place.file) })
      SummaryRenderer.findings(summary.context.findings, verbose: output.verbose) {
        failed.contains($0) || !report.isKnown($0)
      }
      SummaryRenderer.losses(summary.context.losses, verbose: output.verbose)
      if let outline = text.outline {
        PlanRenderer.print(outline, verbose: output.verbose, isRestore: verb == "restore")
      }
      SummaryRenderer.tally(summary.tally)
      StepChangeRenderer.print(report.stepChanges, verbose: output.verbose, isOutlined: text.outline != nil)
      if report.merged > 0 {
        Terminal.report(
          report.merged == 1
            ? "1 record was merged: it has the changes of both the library and the source."
            : "\(report.merged) records were merged: they have the changes of both the library and the source.")
      }
      let leftOut = summary.context.findings.counts[.publicationLeftOut, default: 0]
      if leftOut > 0 {
        Terminal.report(
          leftOut == 1
            ? "1 record is published in its source; it was imported as private."
            : "\(leftOut) records are published in their source; they were imported as private.")
      }
      if report.keptBeside > 0 {
        let what = report.keptBeside == 1 ? "1 record" : "\(report.keptBeside) records"
        Terminal.report(
          "\(what) cannot be stored in the app's database: kept next to the library, not visible in the app.")
      }
      let time = Figures.duration(summary.seconds)
      let name = TerminalEscaping.escape(into)
      let total = summary.tally.total
      if dryRun {
        if let plan, verb == "import" {
          let file = TerminalEscaping.escape(plan)
          Terminal.report("Nothing was changed. The plan for \(name) was written to \(file), in \(time).")
          Terminal.report("To apply it, run 'fleetkit apply \(file)' before anything changes.")
        } else if verb == "apply" {
          Terminal.report("Nothing was changed (--dry-run); the plan is still valid for \(name). Checked in \(time).")
        } else {
          Terminal.report("Nothing was changed (--dry-run); \(name) would be changed. Checked in \(time).")
        }
      } else if total.created + total.updated == 0, !report.isNew {
        Terminal.report(Self.unchanged(name, summary.tally) + ", in \(time).")
      } else {
        let privacy = report.publishedRestored == 0 ? " Nothing became public." : ""
        Terminal.report("\(report.isNew ? "Created" : "Changed") \(name) in \(time).\(privacy)")
        if let text = PublicationRenderer.restored(report.publishedRestored) { Terminal.report(text) }
        if report.publishedChanged > 0 {
          let what =
            report.publishedChanged == 1 ? "1 published item was" : "\(report.publishedChanged) published items were"
          Terminal.report(
            "\(what) changed. The published copies stay unchanged until you run 'fleetkit update \(name) --changed' "
              + "and 'fleetkit sync', or the app sends them.")
        }
      }
      if let proof = summary.proof { Terminal.report(ProofRenderer.importLine(proof)) }
      NoteIDFlag.print(text.ids)
      if let replaced = report.replaced {
        Terminal.report("The overwritten versions are kept in \(TerminalEscaping.escape(replaced))")
      }
      if let originals = report.originals {
        Terminal.report("The originals of damaged values are kept in \(TerminalEscaping.escape(originals))")
      }
      if let lost = SummaryRenderer.partsLost(summary) { Terminal.report(lost) }
      if let conflicts = report.conflicts {
        Terminal.report("The conflicts are listed with both versions in \(TerminalEscaping.escape(conflicts))")
      }
      if let retried = text.retried, !dryRun {
        let rows = summary.tally.rows
        let (left, all) = rows.isEmpty ? (total.rejected, total.read) : (rows.rejected, rows.read)
        let name = TerminalEscaping.escape(retried)
        Terminal.report(
          left == 0
            ? "Everything in \(name) was imported; you can delete the file."
            : "Of \(name), \(all - left) \(all - left == 1 ? "was" : "were") imported and "
              + "\(left) remain\(left == 1 ? "s" : "")."
        )
      }
      if let rejected = SummaryRenderer.rejected(summary.tally, dryRun: dryRun, canRetry: true) {
        Terminal.report(rejected)
      }
    }
    for path in summary.rejectsPaths { Terminal.report(path) }
  }

  /// Returns why a library was not changed.
  private static func unchanged(_ name: String, _ tally: Tally) -> String {
    let total = tally.total
    if total.read + tally.rows.read == 0 { return "Nothing to import; \(name) was not changed" }
    let hasAll = total.unchanged == total.read && tally.rows.rejected == 0
    return hasAll ? "\(name) is already up to date" : "\(name) was not changed"
  }
}

/// The report of `import --resume` for a run that had finished its work before it was interrupted.
struct NothingToResumeReport: Report {
  let command = "import"
  let status = ExitStatus.success
  let target: String
  let run: Int64
  let settled = true

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    Terminal.report(
      "\(TerminalEscaping.escape(target)) is already up to date with run \(run); the run is now marked as done.")
  }
}

/// Renders the steps and cards that an import changed.
enum StepChangeRenderer {
  /// Prints the number of changes and lists them. If there are many changes, they are listed only with `verbose`.
  /// - Parameter isOutlined: whether the changed items were already named.
  static func print(_ log: StepChangeLog, verbose: Bool, isOutlined: Bool) {
    guard log.total > 0 else { return }
    if let line = line("Sections", log.sections) { Terminal.report(line) }
    if let line = line("Steps", log.steps) { Terminal.report(line) }
    if let line = line("Cards", log.cards) { Terminal.report(line) }
    if isOutlined, !verbose { return }
    guard verbose || log.leftOut == 0 && log.entries.count <= Self.few else { return Terminal.report(items(log)) }
    for entry in log.entries {
      let what =
        "\(entry.change.rawValue)\(entry.isSection ? " section" : "") '\(TerminalEscaping.escape(entry.title))'"
      let new = entry.newTitle.map { " → '\(TerminalEscaping.escape($0))'" } ?? ""
      Terminal.report("  \(TerminalEscaping.escape(entry.itemTitle)): \(what)\(new)")
    }
    if log.leftOut > 0 { Terminal.report("  … and \(log.leftOut) more") }
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

/// Renders what an import does to a library, grouped and abbreviated.
enum PlanRenderer {
  /// The maximum number of lines without -v.
  private static let limit = 20

  /// The number of records of a group that are named.
  static func named(_ output: OutputOptions) -> Int { output.verbose ? 1000 : 3 }

  /// Prints the outline on standard error.
  /// - Parameter isRestore: whether the records are restored from a backup.
  static func print(_ outline: PlanOutline, verbose: Bool, isRestore: Bool = false) {
    let lines = lines(outline, verbose: verbose, words: isRestore ? restoreWords : words)
    if lines.isEmpty { return }
    let shown = verbose || lines.count <= limit ? lines : Array(lines.prefix(limit - 1)) + ["… (-v shows all)"]
    for line in shown { Terminal.report(line) }
    Terminal.report("")
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

/// Renders how a run changed the publication of records.
enum PublicationRenderer {
  /// Returns a sentence about records that were restored as published; nil if `count` is 0.
  static func restored(_ count: Int) -> String? {
    if count == 0 { return nil }
    let what = count == 1 ? "1 record is marked as published" : "\(count) records are marked as published"
    return what + ", as in the source. This may be outdated; to check it with the registry, run 'fleetkit pull'."
  }
}
