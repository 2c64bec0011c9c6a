import Diagnostics
import JSONText

/// A section has at most 25 steps.
///
/// People lose their place in a long list. `.fleetkit.yml` can change the limit.
///
/// ```json bad /content_data/sections/0/items
/// {"content_type": "checklist", "title": "Stores", "content_data": {"sections": [{"title": "Everything", "items": [
///   {"title": "a"}, {"title": "b"}, {"title": "c"}, {"title": "d"}, {"title": "e"}, {"title": "f"}, {"title": "g"},
///   {"title": "h"}, {"title": "i"}, {"title": "j"}, {"title": "k"}, {"title": "l"}, {"title": "m"}, {"title": "n"},
///   {"title": "o"}, {"title": "p"}, {"title": "q"}, {"title": "r"}, {"title": "s"}, {"title": "t"}, {"title": "u"},
///   {"title": "v"}, {"title": "w"}, {"title": "x"}, {"title": "y"}, {"title": "z"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Stores", "content_data": {"sections": [
///   {"title": "Drinks", "items": [{"title": "Water, 60 l"}]}, {"title": "Bread", "items": [{"title": "Rusks"}]}]}}
/// ```
struct NoEndlessSection: Rule {
  static let code = DiagnosticCode(
    "LNT0210", "long-section", .note, "A section has too many steps.",
    why: "people lose their place in a long list", fix: "split the section at a natural pause")

  private let most: Int

  init(limits: RuleLimits) { most = limits.sectionSteps }

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for section in item.sections where section.steps.count > most {
      report.finding(
        "the section \(section.title.quoted) has \(Plural.count(section.steps.count, "step")); "
          + "at most \(most) are easy to follow",
        at: section.items ?? section.node)
    }
  }
}
