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
