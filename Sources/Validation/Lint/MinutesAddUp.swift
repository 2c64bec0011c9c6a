import Diagnostics
import JSONText

/// If a title states how long a task takes, the minutes of its steps agree with that time.
///
/// The rule checks titles of checklists and sections, and the beginning of descriptions: “10-minute engine check”,
/// “Уборка (15 минут)”, “Takes 2 hours.”. The steps may take up to a fifth longer. A shorter sum is reported only if
/// every step has minutes and the sum is less than half of the stated time.
///
/// ```json bad /title
/// {"content_type": "checklist", "title": "5-minute engine check", "content_data": {"sections": [{"title": "Cold",
///   "items": [{"title": "Oil", "estimatedMinutes": 5}, {"title": "Belts", "estimatedMinutes": 5}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/title
/// {"content_type": "checklist", "title": "Сдача яхты", "content_data": {"sections": [{"title": "Уборка (60 минут)",
///   "items": [{"title": "Мусор", "estimatedMinutes": 5}, {"title": "Посуда", "estimatedMinutes": 10}]}]}}
/// ```
///
/// ```json bad /description
/// {"content_type": "checklist", "title": "Engine", "description": "Takes 10 minutes. Do it daily.",
///  "content_data": {"sections": [{"title": "Cold", "items": [{"title": "Oil", "estimatedMinutes": 30}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "First 10 minutes after grounding", "description": "Call 30 min ahead.",
///  "content_data": {"sections": [{"title": "10–15 min", "items": [{"title": "Position", "estimatedMinutes": 45}]},
///   {"title": "За 5 минут до выхода", "items": [{"title": "Мотор", "estimatedMinutes": 15}]},
///   {"title": "Galley (10 min)", "items": [{"title": "Gas", "estimatedMinutes": 11}, {"title": "Fridge"}]}]}}
/// ```
struct MinutesAddUp: Rule {
  static let code = DiagnosticCode(
    "LNT0206", "minutes-do-not-add-up", .warning,
    "The minutes of the steps do not add up to the time that a title states.",
    why: "the crew plans too little time, or wonders what is missing",
    fix: "correct the stated time, or the steps' minutes")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard !item.steps.isEmpty else { return }
    checkMinutes(item.title, isProse: false, item, item.steps.indices, report)
    checkMinutes(item.description, isProse: true, item, item.steps.indices, report)
    for section in item.sections { checkMinutes(section.title, isProse: false, item, section.steps, report) }
  }

  private func checkMinutes(
    _ text: OutlineText?, isProse: Bool, _ item: ItemOutline, _ steps: Range<Int>, _ report: RuleReport
  ) {
    guard let text, let stated = DurationPhrase(in: text.bytes.span, isProse: isProse) else { return }
    var sum = 0
    var isComplete = true
    for index in steps {
      if let minutes = item.steps[index].minutes?.plainInteger, minutes > 0 {
        sum += minutes
      } else {
        isComplete = false
      }
    }
    guard sum > 0 else { return }
    let isTooMuch = sum > stated.minutes + max(1, stated.minutes / 5)
    let isTooLittle = isComplete && sum * 2 < stated.minutes
    guard isTooMuch || isTooLittle else { return }
    let words = String(decoding: text.bytes[stated.range], as: UTF8.self)
    report.finding(
      "the steps take \(Plural.count(sum, "minute")), not “\(words)”", at: text.node, in: stated.range,
      label: "the steps take \(sum) min")
  }
}
