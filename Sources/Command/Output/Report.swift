import ArgumentParser
import FleetKit

/// The result of a verb: encoded for `--json`, rendered for people.
///
/// `docs/reports` has a schema for each report. Members keep their names and order from version to version.
protocol Report: Encodable {
  /// Prints the report for people.
  func render(_ output: OutputOptions)
}

extension OutputOptions {
  /// Prints a report in the requested form.
  func print(_ report: some Report) throws {
    if json { Terminal.print(try ReportEncoder.encode(report)) } else { report.render(self) }
  }
}

/// A duration in seconds, encoded with three decimals.
struct Seconds: Encodable {
  let value: Double

  init(_ value: Double) { self.value = value }

  func encode(to encoder: any Encoder) throws { try ((value * 1000).rounded() / 1000).encode(to: encoder) }
}

/// The report of a failed run.
struct FailureReport: Encodable {
  struct Reason: Encodable {
    let message: String
    let advice: String?

    init(_ failure: RunFailure) { (message, advice) = (failure.message, failure.advice) }
  }

  let status: ExitStatus
  let error: Reason

  init(_ failure: RunFailure) { (status, error) = (failure.status, Reason(failure)) }
}

/// The options for how much a verb prints, and in which form.
struct OutputOptions: ParsableArguments {
  @Flag(name: .long, help: "Print the result as JSON on standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only errors and the paths of rejected records.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Show every finding and loss in full.")
  var verbose = false
}

/// The flag `--yes`. Verbs that never ask also accept it as a hidden flag, because scripts pass it to every verb.
struct ConfirmationOptions: ParsableArguments {
  @Flag(name: .long, help: "Answer yes to every question (for scripts).")
  var yes = false
}

/// Findings: the counts, and the listed findings in full.
struct FindingsReport: Encodable {
  let total, errors, warnings, notes: Int
  @IfPresent var codes: Members<Int>?
  /// The number of findings that are counted but not listed.
  @IfPresent var hidden: Int?
  let items: [FindingJSON]

  init(_ log: DiagnosticLog) {
    (total, errors, warnings, notes) = (log.total, log.count(.error), log.count(.warning), log.count(.note))
    codes = Members(log.counts) { $0.id }
    items = log.kept.inFileOrder().map { FindingJSON($0) }
  }

  init(_ summary: ReportSummary, items: [Diagnostic]) {
    total = summary.total
    (errors, warnings) = (summary.severities[.error, default: 0], summary.severities[.warning, default: 0])
    notes = summary.severities[.note, default: 0]
    hidden = summary.hidden
    self.items = items.map { FindingJSON($0) }
  }
}

/// Losses: the count for each reason, and the first of each in full.
struct LossesReport: Encodable {
  struct Reason: Encodable {
    let reason: String
    let count: Int
  }

  let total: Int
  let reasons: [Reason]
  let items: [Loss]

  init(_ log: LossLog) {
    total = log.total
    reasons = log.byReason.map { Reason(reason: $0.reason.text, count: $0.count) }
    items = log.kept
  }
}

/// The outcome of the records of a kind.
struct TallyReport: Encodable {
  let read, created, updated, unchanged, rejected: Int
  let skipped: Members<Int>

  init(_ tally: KindTally) {
    (read, created, updated, unchanged) = (tally.read, tally.created, tally.updated, tally.unchanged)
    rejected = tally.rejected
    skipped = Members(tally.skipped) { $0.text }
  }

  /// Every kind, in the order of the tally.
  static func kinds(_ tally: Tally) -> Members<TallyReport> {
    Members(tally.order.map { ($0.name, TallyReport(tally[$0])) })
  }
}

/// The result of reading the target back.
struct ProofReport: Encodable {
  let proved: Bool
  @Inlined var proof: ProofSummary

  init(_ proof: ProofSummary) {
    proved = proof.holds
    self.proof = proof
  }
}

/// How a note was classified, and why.
struct ExplanationReport: Encodable {
  struct Reason: Encodable {
    let text: String
    let weight: Int
    @IfPresent var line: Int?
  }

  let file, takenFor: String
  let certainty: Int
  let reasons: [Reason]

  /// The explanations of a run; nil unless they were requested.
  static func all(_ context: RunContext) -> [ExplanationReport]? {
    guard context.reading.explains else { return nil }
    return context.explanations.all.map { explanation in
      ExplanationReport(
        file: explanation.file, takenFor: explanation.takenFor, certainty: explanation.certainty,
        reasons: explanation.reasons.map { Reason(text: $0.text, weight: $0.weight, line: $0.line) })
    }
  }
}
