import FleetKit

/// The figures of a run, which are the first members of every run's report.
struct RunReportHead: Encodable {
  private let command: String
  private let status: ExitStatus
  private let target: String
  private let dryRun: Bool
  private let bytes: Int
  @IfPresent private var notes: Int?
  private let seconds: Seconds
  private let kinds: Members<TallyReport>
  private let total: TallyReport
  @IfPresent private var rows: RowTally?
  private let balances: Bool
  private let losses: LossesReport
  private let findings: FindingsReport
  @IfPresent private var proof: ProofReport?
  private let rejects: String?
  @IfPresent private var rejectsFiles: [String]?
  @IfPresent private var explanations: [ExplanationReport]?

  init(_ summary: RunSummary, command: String, target: String, dryRun: Bool) {
    let tally = summary.tally
    (self.command, status, self.target, self.dryRun) = (command, summary.status, target, dryRun)
    (bytes, notes, seconds) = (summary.bytesWritten, summary.notes, Seconds(summary.seconds))
    (kinds, total, balances) = (TallyReport.kinds(tally), TallyReport(tally.total), tally.balances)
    rows = tally.rows.isEmpty ? nil : tally.rows
    (losses, findings) = (LossesReport(summary.context.losses), FindingsReport(summary.context.findings))
    proof = summary.proof.map(ProofReport.init)
    rejects = summary.rejectsPath
    rejectsFiles = summary.rejectsPaths.count > 1 ? summary.rejectsPaths : nil
    explanations = ExplanationReport.all(summary.context)
  }
}

/// The report of `convert`, of `export`, and of a migration to an older schema.
struct TransferReport: Report {
  @Inlined private var head: RunReportHead
  @Inlined private var ids: NoteIDsReport?
  @IfPresent private var sent: UploadReport?
  @TextOnly private var text: (summary: RunSummary, target: String, dryRun: Bool, ids: NoteIDs?)

  init(
    _ summary: RunSummary, command: String, target: String, dryRun: Bool, ids: NoteIDs? = nil,
    sent: DynamoDBUpload.Outcome? = nil
  ) {
    self.sent = sent.map(UploadReport.init)
    head = RunReportHead(summary, command: command, target: target, dryRun: dryRun)
    self.ids = ids.map(NoteIDsReport.init)
    text = (summary, target, dryRun, ids)
  }

  /// Prints the report to the stream that does not receive the data, because standard output may be the target.
  func print(_ output: OutputOptions) throws {
    guard output.json, text.target == "-" else {
      try output.print(self)
      // A program reads the report, so standard error names the reason for status 3.
      if output.json, !output.quiet { printMissing() }
      return
    }
    Terminal.report(try ReportEncoder.encode(self))
  }

  /// Prints what was lost or rejected, one line each.
  private func printMissing() {
    if let lost = SummaryRenderer.partsLost(text.summary) { Terminal.report(lost) }
    if let rejected = SummaryRenderer.rejected(text.summary.tally, dryRun: text.dryRun) { Terminal.report(rejected) }
    for path in text.summary.rejectsPaths { Terminal.report(path) }
  }

  func render(_ output: OutputOptions) {
    let (summary, name, dryRun, ids) = text
    ExplanationRenderer.print(summary.context)
    if !output.quiet {
      SummaryRenderer.findings(summary.context.findings, verbose: output.verbose)
      SummaryRenderer.losses(summary.context.losses, verbose: output.verbose)
      SummaryRenderer.tally(summary.tally)
      let target = name == "-" ? "standard output" : name
      let time = Figures.duration(summary.seconds)
      let notes = summary.notes.map { " \(Plural.count($0, "note"))," } ?? ""
      let total = summary.tally.total
      let isUpToDate = summary.notes != nil && total.created + total.updated == 0 && name != "-"
      Terminal.report(
        dryRun
          ? "Nothing was written (--dry-run); \(target) would be written. Checked in \(time)."
          : (isUpToDate ? "Already up to date: " : "Wrote ")
            + "\(TerminalEscaping.escape(target)),\(notes) \(Figures.bytes(summary.bytesWritten)), in \(time).")
      if let proof = summary.proof { Terminal.report(ProofRenderer.line(proof)) }
      sent?.render(target: target)
      NoteIDFlag.print(ids)
      printMissing()
    } else {
      for path in summary.rejectsPaths { Terminal.report(path) }
    }
  }
}

/// The part of a report about requests sent to DynamoDB.
struct UploadReport: Encodable {
  private let tables: [DynamoDBUpload.Outcome.Table]
  private let sessionsKept: Int

  init(_ outcome: DynamoDBUpload.Outcome) { (tables, sessionsKept) = (outcome.tables, outcome.sessionsKept) }

  /// Prints the result for people.
  /// - Parameter target: the folder with the requests.
  func render(target: String) {
    for table in tables {
      let count = table.items == table.total ? "\(table.items)" : "\(table.items) of \(table.total)"
      Terminal.report("Sent \(count) item\(table.total == 1 ? "" : "s") to '\(table.table)'.")
    }
    if sessionsKept > 0 {
      Terminal.report(
        "Not sent: \(Plural.count(sessionsKept, "practice session")), only written to "
          + "\(TerminalEscaping.escape(target)) (send with --sessions-table NAME).")
    }
  }
}

/// Renders the result of a proof.
enum ProofRenderer {
  /// Returns the last line of a run whose proof succeeded.
  static func line(_ proof: ProofSummary) -> String {
    var text =
      "Proved: \(Figures.count(proof.records, "record")), "
      + "\(Figures.count(proof.fields, "field")) read back; "
    let losses = Figures.count(proof.losses, "loss", "losses")
    let normalised = proof.normalised.values.reduce(0, +)
    let fields = Figures.count(normalised, "field")
    switch (proof.losses, normalised) {
    case (0, 0): text += "no losses, no differences."
    case (0, _): text += "no losses; \(fields) \(normalised == 1 ? "is" : "are") written in the format's own notation."
    case (_, 0) where proof.explained == 0: text += "\(losses), no differences."
    case (_, 0): text += "\(losses) explain\(proof.losses == 1 ? "s" : "") all differences."
    case (_, _): text += "\(losses) and the format's own notation (\(fields)) explain all differences."
    }
    if proof.others > 0 { text += " \(Figures.count(proof.others, "record was", "records were")) already there." }
    return text
  }

  /// Returns the last line of an import whose proof succeeded.
  static func importLine(_ proof: ProofSummary) -> String {
    "Proved: \(Figures.count(proof.records, "record")) written, "
      + "\(Figures.count(proof.fields, "field")) read back; "
      + "\(Figures.count(proof.others, "other record")) untouched; "
      + "nothing from the sources is missing."
  }

  /// Returns the last line of a backup whose proof succeeded.
  static func backupLine(_ result: BackupProof.Result) -> String {
    let proof = result.proof
    let records = Figures.count(proof.records, "record")
    return result.isOfIndexOnly
      ? "Proved: restored to a temporary folder, \(records) match the index. The library was changed meanwhile, so "
        + "it was not compared."
      : "Proved: restored to a temporary folder; \(records), \(Figures.count(proof.fields, "field")), all as in the "
        + "library."
  }

}

/// The report of a verb with a failed proof.
private struct FailedProofReport: Report {
  let command: String
  let status: ExitStatus
  let target: String
  let proof: ProofReport
  let differences: [FindingJSON]
  let error: FailureReport.Reason
  @TextOnly var failure: ProofFailure

  init(_ failure: ProofFailure, verb: String, target: String) {
    (command, status, self.target) = (verb, failure.failure.status, target)
    (proof, error) = (ProofReport(failure.summary), FailureReport.Reason(failure.failure))
    differences = failure.differences.map { FindingJSON($0) }
    self.failure = failure
  }

  func render(_ output: OutputOptions) {
    let renderer = TextRenderer(colour: Terminal.usesColour)
    for finding in failure.differences { Terminal.report(renderer.render(finding)) }
    let rest = failure.summary.differences - failure.differences.count
    if rest > 0 { Terminal.report("… and \(rest) more") }
  }
}

extension ProofRenderer {
  /// Runs `body`. If its proof fails, reports the differences and exits with the proof's status.
  static func reporting<Result>(
    verb: String, target: String, output: OutputOptions, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let failure as ProofFailure {
      Progress.clear()
      try output.print(FailedProofReport(failure, verb: verb, target: target))
      throw failure.failure
    }
  }
}
