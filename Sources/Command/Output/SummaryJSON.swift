import FleetKit

/// The machine-readable side of what verbs report.
enum SummaryJSON {
  /// A run's summary.
  /// - Parameter more: adds what only this verb has to say.
  static func run(
    _ summary: RunSummary, verb: String, target: String, dryRun: Bool, more: (inout JSONBuilder) -> Void = { _ in }
  ) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", verb)
      json.number("status", Int(summary.status.rawValue))
      json.string("target", target)
      json.bool("dry_run", dryRun)
      json.number("bytes", summary.bytesWritten)
      if let notes = summary.notes { json.number("notes", notes) }
      json.number("seconds", (summary.seconds * 1000).rounded() / 1000)
      json.object("kinds") { json in
        for kind in summary.tally.order { tally(&json, kind.name, summary.tally[kind]) }
      }
      tally(&json, "total", summary.tally.total)
      if !summary.tally.rows.isEmpty { json.rows(summary.tally.rows) }
      json.bool("balances", summary.tally.balances)
      losses(&json, summary.context.losses)
      findings(&json, summary.context.findings)
      if let proof = summary.proof { json.raw("proof", text(ProofReport(proof))) }
      json.string("rejects", summary.rejectsPath)
      if summary.rejectsPaths.count > 1 {
        json.array("rejects_files") { json in
          for path in summary.rejectsPaths { json.string(nil, path) }
        }
      }
      if let all = ExplanationReport.all(summary.context) { json.raw("explanations", text(all)) }
      more(&json)
    }
    return json.result
  }

  static func tally(_ json: inout JSONBuilder, _ name: String, _ tally: KindTally) {
    json.raw(name, text(TallyReport(tally)))
  }

  static func losses(_ json: inout JSONBuilder, _ log: LossLog) { json.raw("losses", text(LossesReport(log))) }

  static func findings(_ json: inout JSONBuilder, _ log: DiagnosticLog) {
    json.raw("findings", text(FindingsReport(log)))
  }

  static func text(_ value: some Encodable) -> String { (try? ReportEncoder.encode(value)) ?? "null" }
}
