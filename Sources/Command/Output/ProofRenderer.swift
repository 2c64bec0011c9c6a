import FleetKit

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
    for finding in failure.differences { Terminal.say(renderer.render(finding)) }
    let rest = failure.summary.differences - failure.differences.count
    if rest > 0 { Terminal.say("… and \(rest) more") }
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
