import Content
import Diagnostics
import JSONText

/// A charter does not end before it begins.
///
/// ```json bad /end_date
/// [{"kind": "charter", "name": "Ionian", "start_date": "2026-06-13T15:00:00.000Z",
///   "end_date": "2026-06-06T07:00:00.000Z"}]
/// ```
///
/// ```json good
/// [{"kind": "charter", "name": "One day", "start_date": "2026-06-13T00:00:00.000Z",
///   "end_date": "2026-06-13T00:00:00.000Z"},
///  {"kind": "charter", "name": "Not planned yet", "start_date": null, "end_date": null}]
/// ```
struct CharterEndsAfterItsStart: Rule {
  static let code = DiagnosticCode(
    "LNT0801", "charter-ends-before-start", .error, "A charter ends before it begins.",
    why: "the app lists the charter as past before it has begun", fix: "correct one of the dates")

  init(limits: RuleLimits) {}

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    guard kind == .charter, let start = record.member("start_date"), let end = record.member("end_date"),
      start.kind == .string, end.kind == .string, let from = Timestamp.parse(start.inner.span)?.0,
      let to = Timestamp.parse(end.inner.span)?.0, to < from
    else { return }
    report.finding("the charter ends on \(to.day), before it begins on \(from.day)", at: end)
  }
}

extension Timestamp {
  /// The date and time for messages, such as `2026-01-05 10:11`.
  fileprivate var day: String { String(columnText.prefix(16)) }
}
