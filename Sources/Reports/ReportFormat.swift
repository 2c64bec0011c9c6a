/// The formats that findings can be reported in.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// For people: every finding with its line of source text.
  case text
  /// For scripts: one JSON object a line, the last one a summary.
  case jsonl
  /// For code scanning: SARIF 2.1.0.
  case sarif
  /// For test reports of CI systems: JUnit XML.
  case junit
  /// For GitHub Actions: workflow commands that annotate a change.
  case github

  /// Makes a report in this format that writes to `sink`.
  public func makeReport(_ options: ReportOptions, to sink: @escaping ReportSink) -> any FindingReport {
    switch self {
    case .text: TextReport(options, to: sink)
    case .jsonl: JSONLinesReport(options, to: sink)
    case .sarif: SARIFReport(options, to: sink)
    case .junit: JUnitReport(options, to: sink)
    case .github: GitHubReport(options, to: sink)
    }
  }
}
