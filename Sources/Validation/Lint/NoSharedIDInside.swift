import Diagnostics
import JSONText

/// Within an item, every section, step and card has a unique id.
///
/// The ticks of an execution refer to step ids, and learning progress refers to card ids. Copying a step in a JSON
/// editor also copies its id.
///
/// ```json bad /content_data/sections/1/items/0/id
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "Below", "items": [{"id": "3F2A0001-0000-4000-8000-000000000002", "title": "Seacocks open"}]},
///   {"title": "On deck", "items": [{"id": "3F2A0001-0000-4000-8000-000000000002", "title": "Fenders on deck"}]}]}}
/// ```
///
/// ```json bad /content_data/cards/1/id
/// {"content_type": "flashcard_deck", "title": "Lights", "content_data": {"cards": [
///   {"id": "3F2A0001-0000-4000-8000-000000000002", "front": "Two red lights?", "back": "Not under command"},
///   {"id": "3F2A0001-0000-4000-8000-000000000002", "front": "White over red?", "back": "Pilot"}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
///   {"title": "Below", "items": [{"title": "Seacocks open"}, {"title": "Seacocks open"}]}]}}
/// ```
struct NoSharedIDInside: Rule {
  static let code = DiagnosticCode(
    "LNT0102", "shared-id-inside", .error, "Two sections, steps or cards in an item have the same id.",
    why: "ticking one also ticks the other, and reviews of one card count for both",
    fix: "give the second one a new id, or remove its id to have a new one derived")

  private var repeats = RepeatFinder()

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    checkIDs("section", item.sections.indices, { item.sections[$0].id }, { item.sections[$0].title.quoted }, report)
    checkIDs("step", item.steps.indices, { item.steps[$0].id }, { item.steps[$0].title.quoted }, report)
    checkIDs("card", item.cards.indices, { item.cards[$0].id }, { item.cards[$0].front.quoted }, report)
  }

  private mutating func checkIDs(
    _ what: String, _ range: Range<Int>, _ id: (Int) -> JSONNode?, _ name: (Int) -> String, _ report: RuleReport
  ) {
    repeats.find(
      range, number: { RecordKey(id($0))?.number },
      same: { left, right in
        guard let left = RecordKey(id(left)), let right = RecordKey(id(right)) else { return false }
        return left == right
      },
      found: { index, first in
        guard let node = id(index) else { return }
        report.finding("the \(what)s \(name(first)) and \(name(index)) have the same id", at: node)
      })
  }
}
