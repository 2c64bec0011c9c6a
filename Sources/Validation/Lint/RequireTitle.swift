import Diagnostics

/// Items, sections and steps have titles.
///
/// ```json bad /title /content_data/sections/0/title /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": " ", "content_data": {"sections": [
///   {"title": "", "items": [{"title": "\u00A0"}, {"title": "Seacocks open"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Отход", "content_data": {"sections": [
///   {"title": "Внизу", "items": [{"title": "Кингстоны открыты"}]}]}}
/// ```
struct RequireTitle: Rule {
  static let code = DiagnosticCode(
    "LNT0211", "blank-title", .warning, "A title is blank.",
    why: "the app shows an empty line, and the crew does not know what to tick",
    fix: "write the title, or delete the section or step")
  static let yieldsTo = [TitleFits.code, RequireTitlesInside.code]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    if let title = item.title, title.saysNothing { report.finding("the item’s title is blank", at: title.node) }
    for (number, section) in item.sections.enumerated() {
      if let title = section.title, title.saysNothing {
        report.finding("the title of section \(number + 1) is blank", at: title.node)
      }
      for index in section.steps {
        guard let title = item.steps[index].title, title.saysNothing else { continue }
        let step = index - section.steps.lowerBound + 1
        report.finding("the title of step \(step) in the section \(section.title.quoted) is blank", at: title.node)
      }
    }
  }
}
