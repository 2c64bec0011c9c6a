import Diagnostics

/// If a step's title ends with a time in brackets, the step's minutes agree with it.
///
/// Titles like “Warm up the engine (5 min)” come from lists that were typed before steps had minutes.
///
/// ```json bad /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Warm up (5 min)", "estimatedMinutes": 15}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Двигатель", "content_data": {"sections": [{"title": "Перед выходом",
///   "items": [{"title": "Прогреть [5 минут]", "estimatedMinutes": 1}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Warm up (5 min)", "estimatedMinutes": 5}, {"title": "Let it idle (10 min)"},
///   {"title": "Call the base (10 min before arrival)", "estimatedMinutes": 2},
///   {"title": "Keep flat if in the water > 10 min", "estimatedMinutes": 3}]}]}}
/// ```
struct StepTitleAgreesWithMinutes: Rule {
  static let code = DiagnosticCode(
    "LNT0209", "step-minutes-differ", .warning, "A step's title and its minutes state different times.",
    why: "the crew reads one duration, but the app counts a different one",
    fix: "remove the time from the title, or correct one of the two")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for step in item.steps {
      guard let title = step.title, let last = title.bytes.last,
        last == UInt8(ascii: ")") || last == UInt8(ascii: "]"), let minutes = step.minutes?.plainInteger,
        let stated = Self.bracketed(title.bytes.span), stated.minutes != minutes
      else { continue }
      report.finding(
        "the step \(title.quoted) has \(minutes) in estimatedMinutes", at: title.node, in: stated.range,
        label: "estimatedMinutes is \(minutes)")
    }
  }

  /// Returns the time in brackets at the end of a title.
  private static func bracketed(_ bytes: Span<UInt8>) -> DurationPhrase? {
    // The brackets contain a time and little else, so the last 40 bytes are enough.
    let start = max(0, bytes.count - 40)
    let end = bytes.extracting(droppingFirst: start)
    guard let open = end.lastIndex(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }),
      open + 1 < end.count - 1, let found = DurationPhrase(in: end.extracting((open + 1)..<(end.count - 1)))
    else { return nil }
    return found.moved(by: start + open + 1)
  }
}
