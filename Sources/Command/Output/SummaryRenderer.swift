import FleetKit

/// Renders the parts of summaries that several verbs have in common, for people.
enum SummaryRenderer {
  /// Prints findings: each kind once, the worst first, and findings that need no action on one line.
  /// - Parameter isChanged: whether a file changed since an earlier run that reported its findings; nil if there was no
  ///   such run.
  static func findings(_ log: DiagnosticLog, verbose: Bool, isChanged: ((String) -> Bool)? = nil) {
    guard log.total > 0 else { return }
    let renderer = TextRenderer(colour: Terminal.usesColour)
    // The recognized columns decide what is read, so they are shown even without -v.
    if !verbose { headers(log, isChanged) }
    if verbose {
      let sorted = log.kept.inFileOrder().enumerated().sorted {
        ($1.element.severity.rawValue, $0.offset) < ($0.element.severity.rawValue, $1.offset)
      }
      for finding in sorted { Terminal.report(renderer.render(finding.element)) }
      let hidden = log.total - sorted.count
      Terminal.report(
        "Findings: \(renderer.summary(of: log))" + (hidden > 0 ? " (\(hidden) not shown; --json counts them)" : "")
          + "\n")
      return
    }
    // Errors are shown in every run until they are corrected.
    let shown =
      log.groups().filter { $0.kind.severity == .error }
      + log.groups(where: isChanged).filter { $0.kind.severity < .error }
    for group in shown where group.kind.severity > .note { Terminal.report(renderer.render(group)) }
    func count(_ severity: Severity) -> Int {
      shown.reduce(0) { $0 + ($1.kind.severity == severity ? $1.count : 0) }
    }
    if let strays = shown.first(where: { $0.kind.code == .foreignFile }) {
      let names = strays.kept.prefix(shownStrays).map { TerminalEscaping.shellQuoted($0.place.file) }
      let more = strays.count - names.count
      Terminal.report(
        "Skipped, because \(strays.count == 1 ? "it is" : "they are") not content: \(names.joined(separator: ", "))"
          + (more > 0 ? " and \(more) more" : "") + "\n")
    }
    let known = log.total - shown.reduce(0) { $0 + $1.count }
    var parts = [Severity.error, .warning].compactMap { severity in
      count(severity) > 0 ? Severity.summary { $0 == severity ? count(severity) : 0 } : nil
    }
    let notes = count(.note)
    if notes > 0 { parts.append("\(notes) note\(notes == 1 ? "" : "s") that need\(notes == 1 ? "s" : "") no action") }
    if known > 0 { parts.append("\(known) in files unchanged since their last import") }
    let isAll = known == 0 && notes == 0 && shown.allSatisfy { $0.count == 1 }
    let hint = isAll ? "" : " (-v shows \(log.total == 1 ? "it" : "all"))"
    Terminal.report("Findings: " + parts.joined(separator: ", ") + hint + "\n")
  }

  private static let shownHeaders = 4
  private static let shownStrays = 8

  /// Prints how the headers of tables were recognized.
  private static func headers(_ log: DiagnosticLog, _ isChanged: ((String) -> Bool)?) {
    let found = log.kept.filter { $0.code == .columnsRead && isChanged?($0.place.file) ?? true }
    for finding in found.prefix(shownHeaders) {
      let table = finding.place.member.map { finding.place.file + "!" + $0 } ?? finding.place.file
      Terminal.report(TerminalEscaping.escape("\(table): \(finding.message)"))
    }
    if found.count > shownHeaders { Terminal.report("… and \(found.count - shownHeaders) more tables (-v shows all)") }
    if !found.isEmpty { Terminal.report("") }
  }

  /// Prints losses, by reason.
  static func losses(_ log: LossLog, verbose: Bool) {
    guard log.total > 0 else { return }
    Terminal.report("Losses: \(log.total)" + (verbose ? "" : " (-v lists them)"))
    for (reason, count) in log.byReason { Terminal.report("  \(count) × \(TerminalEscaping.escape(reason.text))") }
    if verbose {
      for loss in log.kept {
        Terminal.report(
          "    \(TerminalEscaping.escape("\(loss.kind.name) \(loss.id)\(loss.field): \(loss.reason.text)"))")
      }
    }
    Terminal.report("")
  }

  /// Prints the numbers of records that were read, created and so on, kind by kind.
  static func tally(_ tally: Tally) {
    let sum = tally.total
    let rows = tally.rows
    var columns: [(String, (KindTally) -> Int)] = [("read", \.read), ("created", \.created)]
    if sum.updated + rows.updated > 0 { columns.append(("updated", \.updated)) }
    if sum.unchanged + rows.unchanged > 0 { columns.append(("unchanged", \.unchanged)) }
    columns.append(("rejected", \.rejected))
    columns.append(("skipped", { $0.skipped.values.reduce(0, +) }))
    var table = Table(["records"] + columns.map(\.0), rightAligned: Set(1...columns.count))
    for kind in tally.order { table.add([kind.plural] + columns.map { "\($0.1(tally[kind]))" }) }
    if tally.order.count != 1 {
      table.rule()
      table.add(["total"] + columns.map { "\($0.1(sum))" })
    }
    if !rows.isEmpty {
      table.rule()
      table.add(["rows"] + columns.map { "\($0.1(KindTally(rows)))" })
    }
    for line in table.lines(width: 110) { Terminal.report(line) }
    for (reason, count) in sum.skipped.sorted(by: { $0.key.text < $1.key.text }) {
      Terminal.report("  skipped \(count): \(TerminalEscaping.escape(reason.text))")
    }
  }

  /// Returns a sentence about parts of damaged text that could not be recovered; nil if all parts were recovered.
  static func partsLost(_ summary: RunSummary) -> String? { partsLost(summary.partsLost) }

  /// Returns this sentence for a given number of lost parts; nil for 0.
  static func partsLost(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    return count == 1
      ? "1 part of damaged text is lost (LIB0110); the rest was recovered."
      : "\(count) parts of damaged text are lost (LIB0110); the rest was recovered."
  }

  /// Returns a sentence about rejects, printed above the paths of their files; nil if nothing was rejected.
  /// - Parameter canRetry: whether the verb accepts corrected rejects.
  static func rejected(_ tally: Tally, dryRun: Bool, canRetry: Bool = false) -> String? {
    let (records, rows) = (tally.total.rejected, tally.rows.rejected)
    var parts: [String] = []
    if rows > 0 { parts.append("\(rows) of \(Plural.count(tally.rows.read, "row"))") }
    if records > 0 { parts.append("\(records) of \(Plural.count(tally.total.read, "record"))") }
    guard !parts.isEmpty else { return nil }
    let isOne = records + rows == 1
    let what = parts.joined(separator: " and ")
    if dryRun { return what + " would be rejected." }
    return what
      + (isOne
        ? " was rejected. It is saved with the reasons, so that you can correct it"
        : " were rejected. They are saved with the reasons, so that you can correct them")
      + (canRetry && rows > 0 ? " and import \(isOne ? "it" : "them") with --retry:" : ":")
  }
}

extension KindTally {
  /// Makes a tally from a table's rows, to print it in the columns of records.
  fileprivate init(_ rows: RowTally) {
    self.init()
    read = rows.read
    created = rows.created
    updated = rows.updated
    unchanged = rows.unchanged
    rejected = rows.rejected
    skipped = [.notSelected: rows.skipped]
  }
}

/// Renders explanations of how notes were classified, for people.
enum ExplanationRenderer {
  /// Prints a run's explanations on standard error, if they were requested.
  static func print(_ context: RunContext) {
    guard context.reading.explains else { return }
    print(context.explanations.all)
  }

  /// Prints explanations on standard error.
  static func print(_ explanations: [Explanation]) {
    for explanation in explanations { Terminal.report(render(explanation)) }
  }

  /// Renders one note: `guides/x.md: practice guide, 97 % sure`, with the reasons and their weights below.
  static func render(_ explanation: Explanation) -> String {
    let name = TerminalEscaping.escape(explanation.file)
    var lines = ["\(name): \(TerminalEscaping.escape(explanation.takenFor)), \(explanation.certainty) % sure"]
    for reason in explanation.reasons {
      let sign = reason.weight > 0 ? "+" : reason.weight < 0 ? "-" : "·"
      let place = reason.line.map { " (line \($0))" } ?? ""
      lines.append("  \(sign) \(TerminalEscaping.escape(reason.text))\(place)")
    }
    return lines.joined(separator: "\n")
  }
}
