import Diagnostics

/// Reports findings for scripts, as one JSON object per line. Findings have `"kind":"finding"`, and the last line has
/// `"kind":"summary"`.
///
/// A finding has the same members as in the summaries of other verbs (`FindingJSON`). A report without the last line is
/// truncated.
public final class JSONLinesReport: FindingReport {
  private let output: ReportOutput
  private let encoder = ReportEncoder()

  /// Makes a report.
  public init(_ options: ReportOptions, to sink: @escaping ReportSink) { output = ReportOutput(options, to: sink) }

  /// Writes nothing.
  public func begin() throws {}

  /// Writes one line.
  public func add(_ finding: Diagnostic) throws {
    try output.write(encoder.encode(FindingJSON(finding, kind: "finding")) + "\n")
  }

  /// Writes the last line.
  public func end(_ summary: ReportSummary) throws {
    try output.write(encoder.encode(Summary(summary)) + "\n")
    try output.flush()
  }

  private struct Summary: Encodable {
    let kind = "summary"
    let total, errors, warnings, notes: Int
    let codes: Members<Int>
    let hidden, baseline, files, filesWithFindings, records: Int
    let failOn: String
    let status: Int32

    init(_ summary: ReportSummary) {
      total = summary.total
      (errors, warnings) = (summary.severities[.error, default: 0], summary.severities[.warning, default: 0])
      notes = summary.severities[.note, default: 0]
      codes = Members(summary.codes) { $0.id }
      (hidden, baseline, files) = (summary.hidden, summary.baseline, summary.files)
      (filesWithFindings, records) = (summary.filesWithFindings, summary.records)
      failOn = summary.failOn?.description ?? "none"
      status = summary.status
    }
  }
}

/// The JSON form of a finding. It is the same in every report and summary.
///
/// `record` and `title` are null if missing. Members that apply only to some places (`line`, `table` …) are omitted for
/// other places. Places and sentences are complete; titles end with `…` after 2000 characters.
package struct FindingJSON: Encodable {
  @IfPresent var kind: String?
  let code, name, severity, message, why, fix, place, file: String
  @IfPresent var member: String?
  @IfPresent var line: Int?
  @IfPresent var column: Int?
  @IfPresent var endColumn: Int?
  @IfPresent var table: String?
  @IfPresent var id: String?
  @IfPresent var tableColumn: String?
  let pointer: String
  let record, title: String?

  /// - Parameter kind: the value of `kind`, which is the first member; nil omits the member.
  package init(_ finding: Diagnostic, kind: String? = nil) {
    let place = finding.place
    (code, name, severity) = (finding.code.id, finding.code.name, finding.severity.description)
    (message, why, fix) = (finding.message, finding.why, finding.fix)
    (self.place, file, pointer) = (place.description, place.file, place.pointer)
    (record, title) = (finding.record.map(ReportEscaping.cut), finding.title.map(ReportEscaping.cut))
    self.kind = kind
    (member, line, column, endColumn) = (place.member, place.line, place.column, place.endColumn)
    (table, id, tableColumn) = (place.row?.table, place.row?.id, place.row?.column)
  }
}
