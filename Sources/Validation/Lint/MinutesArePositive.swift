import Diagnostics

/// A step's minutes are more than zero.
///
/// A step that takes hardly any time needs no minutes.
///
/// ```json bad /content_data/sections/0/items/0/estimatedMinutes /content_data/sections/0/items/1/estimatedMinutes
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Oil", "estimatedMinutes": 0}, {"title": "Belts", "estimatedMinutes": -5}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Oil", "estimatedMinutes": 1}, {"title": "Belts"}, {"title": "Hoses", "estimatedMinutes": null}]}]}}
/// ```
struct MinutesArePositive: Rule {
  static let code = DiagnosticCode(
    "LNT0207", "no-minutes", .warning, "A step takes zero or negative minutes.",
    why: "the time that the app shows for the checklist is wrong",
    fix: "write how many minutes the step takes, or omit estimatedMinutes")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for step in item.steps {
      guard let node = step.minutes, let minutes = node.plainInteger, minutes <= 0 else { continue }
      report.finding("the step \(step.title.quoted) takes \(minutes) minutes", at: node)
    }
  }
}
