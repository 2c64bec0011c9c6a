import Diagnostics

/// Reports findings for scripts: one JSON object a line, `"kind":"finding"`, and last one with `"kind":"summary"`.
///
/// A finding has the members that it has in the summaries of other verbs (`FindingJSON`). A report without the last
/// line was cut off.
public final class JSONLinesReport: FindingReport {
  private let output: ReportOutput

  /// Makes a report.
  public init(_ options: ReportOptions, to sink: @escaping ReportSink) { output = ReportOutput(options, to: sink) }

  /// Nothing stands before the findings.
  public func begin() throws {}

  /// Writes one line.
  public func add(_ finding: Diagnostic) throws {
    var json = JSONBuilder()
    FindingJSON.write(finding, kind: "finding", to: &json)
    try output.write(json.result + "\n")
  }

  /// Writes the last line.
  public func end(_ summary: ReportSummary) throws {
    var json = JSONBuilder()
    json.object { json in
      json.string("kind", "summary")
      json.number("total", summary.total)
      json.number("errors", summary.severities[.error, default: 0])
      json.number("warnings", summary.severities[.warning, default: 0])
      json.number("notes", summary.severities[.note, default: 0])
      json.object("codes") { json in
        for (code, count) in summary.codes.sorted(by: { $0.key.id < $1.key.id }) { json.number(code.id, count) }
      }
      json.number("hidden", summary.hidden)
      json.number("baseline", summary.baseline)
      json.number("files", summary.files)
      json.number("files_with_findings", summary.filesWithFindings)
      json.number("records", summary.records)
      json.string("fail_on", summary.failOn?.description ?? "none")
      json.number("status", Int(summary.status))
    }
    try output.write(json.result + "\n")
    try output.flush()
  }
}
