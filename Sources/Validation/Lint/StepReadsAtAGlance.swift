import Diagnostics
import JSONText

/// A step's title has at most 120 characters, so that it can be read at a glance.
///
/// Crews read checklists on a moving deck, with wet glasses. Explanations belong in the details, which open with a tap.
/// `.fleetkit.yml` can change the limit. In a Markdown link or picture, only the words in square brackets count.
/// [markup-in-plain-text](markup-in-plain-text.md) reports the link or picture itself.
///
/// ```json bad /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Anchoring", "content_data": {"sections": [{"title": "Drop", "items": [
///   {"title": "Lower the anchor to the bottom and pay out the chain while the boat drops back slowly, then set it with the engine astern at idle, and later at half throttle"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Якорь", "content_data": {"sections": [{"title": "Отдача", "items": [
///   {"title": "При отходе назад травить: цепи — не меньше четырёх глубин, каната с цепью — шести"},
///   {"title": "Прочитать [инструкцию](https://example.org/manuals/anchors/windlass/2026/how-to-use-the-windlass-of-this-boat-safely.html)"}]}]}}
/// ```
struct StepReadsAtAGlance: Rule {
  static let code = DiagnosticCode(
    "LNT0205", "long-step", .warning, "A step's title is too long to be read at a glance.",
    why: "the crew loses its place while reading the step on deck",
    fix: "keep the action in the title, and move the rest into the details")

  private let most: Int

  init(limits: RuleLimits) { most = limits.glanceCharacters }

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for step in item.steps {
      // A character has at least one byte.
      guard let title = step.title, title.bytes.count > most else { continue }
      let count = InlineLink.readCharacters(title)
      guard count > most else { continue }
      report.finding(
        "the step \(title.quoted) has \(Plural.count(count, "character")); at most \(most) can be read at a glance",
        at: title.node,
        fix: step.details?.saysNothing ?? true ? "keep the action, and move the rest into itemDescription" : nil
      )
    }
  }
}
