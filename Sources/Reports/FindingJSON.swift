import Diagnostics

/// The one JSON form of a finding, in every report and summary.
///
/// `record` and `title` are null when there is none. What belongs to only some places (`line`, `table` …) is left out
/// where it does not apply. Places and sentences are whole; titles end with `…` after 2000 characters.
package enum FindingJSON {
  /// Writes a finding as an object.
  /// - Parameter kind: what `kind` says, as the first member; nil leaves it out.
  package static func write(_ finding: Diagnostic, kind: String? = nil, to json: inout JSONBuilder) {
    json.object { json in
      if let kind { json.string("kind", kind) }
      json.string("code", finding.code.id)
      json.string("name", finding.code.name)
      json.string("severity", finding.severity.description)
      json.string("message", finding.message)
      json.string("why", finding.why)
      json.string("fix", finding.fix)
      json.string("place", finding.place.description)
      json.string("file", finding.place.file)
      if let member = finding.place.member { json.string("member", member) }
      if let line = finding.place.line { json.number("line", line) }
      if let column = finding.place.column { json.number("column", column) }
      if let endColumn = finding.place.endColumn { json.number("end_column", endColumn) }
      if let row = finding.place.row {
        json.string("table", row.table)
        json.string("id", row.id)
        if let column = row.column { json.string("table_column", column) }
      }
      json.string("pointer", finding.place.pointer)
      json.string("record", finding.record.map(ReportText.cut))
      json.string("title", finding.title.map(ReportText.cut))
    }
  }
}
