import FleetKit

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
