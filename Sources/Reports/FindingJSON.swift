import Diagnostics

/// The one JSON form of a finding, in every report and summary.
///
/// `record` and `title` are null when there is none. What belongs to only some places (`line`, `table` …) is left out
/// where it does not apply. Places and sentences are whole; titles end with `…` after 2000 characters.
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

  /// - Parameter kind: the value of `kind`, the first member; nil leaves it out.
  package init(_ finding: Diagnostic, kind: String? = nil) {
    let place = finding.place
    (code, name, severity) = (finding.code.id, finding.code.name, finding.severity.description)
    (message, why, fix) = (finding.message, finding.why, finding.fix)
    (self.place, file, pointer) = (place.description, place.file, place.pointer)
    (record, title) = (finding.record.map(ReportText.cut), finding.title.map(ReportText.cut))
    self.kind = kind
    (member, line, column, endColumn) = (place.member, place.line, place.column, place.endColumn)
    (table, id, tableColumn) = (place.row?.table, place.row?.id, place.row?.column)
  }
}
