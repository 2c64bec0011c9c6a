import Diagnostics

/// Every section and step of a published item has a title.
///
/// ```json bad /content_data/sections/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "", "items": [{"title": "Seacocks open"}, {"title": " \t\u00A0"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Отход", "content_data": {"sections": [
///   {"title": "Внизу", "items": [{"title": "Кингстоны открыты"}]}]}}
/// ```
struct RequireTitlesInside: Rule {
  static let code = DiagnosticCode(
    "PUB0110", "untitled-part", .error, "A section or step has no title.",
    why: "others would see an empty line and would not know what to do",
    fix: "write the title, or delete the section or step")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for (number, section) in item.sections.enumerated() {
      if section.title?.saysNothing ?? true {
        report.finding("section \(number + 1) has no title", at: section.title?.node ?? section.node)
      }
      for index in section.steps where item.steps[index].title?.saysNothing ?? true {
        let step = item.steps[index]
        report.finding(
          "step \(index - section.steps.lowerBound + 1) of the section \(section.title.quoted) has no title",
          at: step.title?.node ?? step.node)
      }
    }
  }
}
