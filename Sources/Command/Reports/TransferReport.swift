import FleetKit

/// The figures of a run, which every report of one begins with.
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

  /// Prints it where the data does not go: standard output may be the target.
  func print(_ output: OutputOptions) throws {
    guard output.json, text.target == "-" else {
      try output.print(self)
      // The report goes to a program; standard error gives the reason for the status 3.
      if output.json, !output.quiet { sayWhatIsMissing() }
      return
    }
    Terminal.say(try ReportEncoder.encode(self))
  }

  /// What was lost or rejected, in a line each.
  private func sayWhatIsMissing() {
    if let lost = SummaryText.partsLost(text.summary) { Terminal.say(lost) }
    if let rejected = SummaryText.rejected(text.summary.tally, dryRun: text.dryRun) { Terminal.say(rejected) }
    for path in text.summary.rejectsPaths { Terminal.say(path) }
  }

  func render(_ output: OutputOptions) {
    let (summary, name, dryRun, ids) = text
    ExplanationText.print(summary.context)
    if !output.quiet {
      SummaryText.findings(summary.context.findings, verbose: output.verbose)
      SummaryText.losses(summary.context.losses, verbose: output.verbose)
      SummaryText.tally(summary.tally)
      let target = name == "-" ? "standard output" : name
      let time = Figures.duration(summary.seconds)
      let notes = summary.notes.map { " \(Plural.count($0, "note"))," } ?? ""
      let total = summary.tally.total
      let isUpToDate = summary.notes != nil && total.created + total.updated == 0 && name != "-"
      Terminal.say(
        dryRun
          ? "Nothing was written (--dry-run); it would have been \(target), after \(time)."
          : (isUpToDate ? "Nothing to change in " : "Wrote ")
            + "\(TerminalText.escape(target)),\(notes) \(Figures.bytes(summary.bytesWritten)), in \(time).")
      if let proof = summary.proof { Terminal.say(ProofText.line(proof)) }
      sent?.render(target: target)
      NoteIDFlag.say(ids)
      sayWhatIsMissing()
    } else {
      for path in summary.rejectsPaths { Terminal.say(path) }
    }
  }
}

/// What was sent to DynamoDB.
struct UploadReport: Encodable {
  private let tables: [DynamoDBUpload.Outcome.Table]
  private let sessionsKept: Int

  init(_ outcome: DynamoDBUpload.Outcome) { (tables, sessionsKept) = (outcome.tables, outcome.sessionsKept) }

  /// Prints it for people.
  /// - Parameter target: the folder with the requests.
  func render(target: String) {
    for table in tables {
      let count = table.items == table.total ? "\(table.items)" : "\(table.items) of \(table.total)"
      Terminal.say("Sent \(count) item\(table.total == 1 ? "" : "s") to '\(table.table)'.")
    }
    if sessionsKept > 0 {
      Terminal.say(
        "Not sent: \(Plural.count(sessionsKept, "practice session")), only written to "
          + "\(TerminalText.escape(target)) (--sessions-table NAME sends them).")
    }
  }
}
