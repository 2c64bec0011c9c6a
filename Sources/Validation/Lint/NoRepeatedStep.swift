import Diagnostics

/// A section contains every step only once.
///
/// Steps are the same if their titles and details differ only in case, blanks and punctuation. The same title with
/// different details is allowed, such as “Check the oil” for the port and the starboard engine. The same step in
/// another section is also allowed, because gas may be turned off in the morning and in the evening.
///
/// ```json bad /content_data/sections/0/items/2/title
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [
///   {"title": "Cold", "items": [{"title": "Check the oil"}, {"title": "Coolant"}, {"title": "Check the oil!"}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Двигатель", "content_data": {"sections": [
///   {"title": "Холодный", "items": [{"title": "Щёлочь — долить"}, {"title": "щелочь долить"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Engines", "content_data": {"sections": [
///   {"title": "Cold", "items": [{"title": "Check the oil", "itemDescription": "Port"},
///     {"title": "Check the oil", "itemDescription": "Starboard"}, {"title": "Spare fuse 10 A"},
///     {"title": "Spare fuse 1.0 A"}]}]}}
/// ```
struct NoRepeatedStep: Rule {
  static let code = DiagnosticCode(
    "LNT0204", "repeated-step", .warning, "A section has the same step twice.",
    why: "the crew does not know whether to do the step twice, or ticks one and forgets the other",
    fix: "delete one of the steps, or describe in the details how they differ")

  private var repeats = RepeatFinder()

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for section in item.sections {
      repeats.find(
        section.steps, quick: { FoldedBytes.beginning((item.steps[$0].title?.bytes ?? Self.nothing).span) },
        number: { index in
          let step = item.steps[index]
          return step.title.flatMap { FoldedBytes.hash($0.bytes.span, then: step.details) }
        },
        same: { first, second in Self.same(item.steps[first], item.steps[second]) },
        found: { index, first in
          guard let title = item.steps[index].title else { return }
          report.finding(
            "the step \(title.quoted) is already in the section \(section.title.quoted)", at: title.node,
            label: "the same as step \(first - section.steps.lowerBound + 1)")
        })
    }
  }

  private static func same(_ left: ItemOutline.Step, _ right: ItemOutline.Step) -> Bool {
    guard let first = left.title, let second = right.title, FoldedBytes.same(first.bytes.span, second.bytes.span) else {
      return false
    }
    return FoldedBytes.same((left.details?.bytes ?? nothing).span, (right.details?.bytes ?? nothing).span)
  }

  private static var nothing: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: nil, count: 0) }
}
