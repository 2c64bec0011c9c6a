import Diagnostics
import JSONText

/// A single step takes at most two hours.
///
/// A longer time is usually a mistake: seconds instead of minutes, or an extra digit. If the time is correct, the step
/// should be a checklist of its own. Work on the boat takes longer, so a step in a maintenance checklist may take four
/// times as long. `.fleetkit.yml` can change the limit.
///
/// ```json bad /content_data/sections/0/items/0/estimatedMinutes
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Oil", "estimatedMinutes": 300}]}]}}
/// ```
///
/// ```json good
/// [{"content_type": "checklist", "title": "Spring", "content_data": {"checklistType": "maintenance", "sections": [
///   {"title": "Under the waterline", "items": [{"title": "Antifouling, two coats", "estimatedMinutes": 300}]}]}},
///  {"content_type": "checklist", "title": "Provisions", "content_data": {"sections": [
///   {"title": "Market", "items": [{"title": "Fruit for the week", "estimatedMinutes": 120}]}]}}]
/// ```
struct NoEndlessStep: Rule {
  static let code = DiagnosticCode(
    "LNT0208", "endless-step", .warning, "A single step takes too long.",
    why: "the time that the app shows for the checklist is not credible",
    fix: "correct the minutes, or split the step")

  private let most: Int

  init(limits: RuleLimits) { most = limits.checklistMinutes }

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    let most = item.checklistType?.equals("maintenance") ?? false ? most * 4 : most
    for step in item.steps {
      guard let node = step.minutes, let minutes = node.plainInteger, minutes > most else { continue }
      report.finding(
        "the step \(step.title.quoted) takes \(Plural.count(minutes, "minute")); "
          + "more than \(most) is unusual for one step",
        at: node)
    }
  }
}
