import FleetKit

/// What a proof says to people and to programs.
enum ProofText {
  /// The line that a proof which held ends with.
  static func line(_ proof: ProofSummary) -> String {
    var text =
      "Proved: \(Figures.count(proof.records, "record")), "
      + "\(Figures.count(proof.fields, "field")) read back; "
    let losses = Figures.count(proof.losses, "loss", "losses")
    let normalised = proof.normalised.values.reduce(0, +)
    let fields = Figures.count(normalised, "field")
    switch (proof.losses, normalised) {
    case (0, 0): text += "no losses, no differences."
    case (0, _): text += "no losses; \(fields) \(normalised == 1 ? "is" : "are") said in the format's own way."
    case (_, 0) where proof.explained == 0: text += "\(losses), no differences."
    case (_, 0): text += "\(losses) explain\(proof.losses == 1 ? "s" : "") all differences."
    case (_, _): text += "\(losses), and the format's own way of saying the same (\(fields)), explain all differences."
    }
    if proof.others > 0 { text += " \(Figures.count(proof.others, "other was", "others were")) there before." }
    return text
  }

  /// The line that an import ends with whose proof held.
  static func importLine(_ proof: ProofSummary) -> String {
    "Proved: \(Figures.count(proof.records, "record")) written, "
      + "\(Figures.count(proof.fields, "field")) read back; "
      + "\(Figures.count(proof.others, "other")) untouched; "
      + "the sources say nothing that the library lacks."
  }

  /// The line that a backup ends with whose proof held.
  static func backupLine(_ result: BackupProof.Result) -> String {
    let proof = result.proof
    let records = Figures.count(proof.records, "record")
    return result.isOfIndexOnly
      ? "Proved: restored into a private place, \(records) as the index says; the library was written to meanwhile, so "
        + "it was not compared itself."
      : "Proved: restored into a private place, \(records), \(Figures.count(proof.fields, "field")), all as in the library."
  }

}

/// The report of a verb whose proof failed.
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

extension ProofText {
  /// Runs `body`; where its proof fails, says what was found and ends with the proof's status.
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
