import Diagnostics
import JSONText

/// Sections, steps and cards are in the order of their `sortOrder`.
///
/// The app shows the list in its stored order and ignores the numbers. If the numbers give a different order, that
/// order was probably intended.
///
/// ```json bad /content_data/sections/0/items/1/sortOrder
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Belts", "sortOrder": 2}, {"title": "Oil", "sortOrder": 1}, {"title": "Start", "sortOrder": 0}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Oil", "sortOrder": 10}, {"title": "Belts", "sortOrder": 20}, {"title": "Start", "sortOrder": 20}]}]}}
/// ```
struct SortOrderFollowsPlace: Rule {
  static let code = DiagnosticCode(
    "LNT0217", "sort-order-ignored", .note, "The order of the sortOrder numbers differs from the order of the list.",
    why: "the app shows the list in its stored order", fix: "move the entries, or renumber them from 0")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    checkOrder("section", item.sections.indices, { item.sections[$0].node }, { item.sections[$0].title.quoted }, report)
    for section in item.sections {
      checkOrder("step", section.steps, { item.steps[$0].node }, { item.steps[$0].title.quoted }, report)
    }
    checkOrder("card", item.cards.indices, { item.cards[$0].node }, { item.cards[$0].front.quoted }, report)
  }

  /// Reports the first entry that is too far back in the list. Entries after it are not reported.
  private func checkOrder(
    _ what: String, _ range: Range<Int>, _ node: (Int) -> JSONNode, _ name: (Int) -> String, _ report: RuleReport
  ) {
    var before = Int.min
    for index in range {
      guard let value = Self.sortOrder(node(index)), let order = value.plainInteger else { continue }
      if order < before {
        return report.finding(
          "the \(what) \(name(index)) has the sortOrder \(order) and comes after \(before)", at: value)
      }
      before = order
    }
  }

  private static func sortOrder(_ object: JSONNode) -> JSONNode? {
    guard object.kind == .object else { return nil }
    // The canonical form writes this member last, so usually no search is needed.
    let end = Int(object.token.next)
    if end - object.index > 2, object.at(end - 1).kind == .number, object.at(end - 2).equals("sortOrder") {
      return object.at(end - 1)
    }
    return object.member("sortOrder")
  }
}
