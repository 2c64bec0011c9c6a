import Diagnostics

/// Steps are not numbered by hand.
///
/// The app numbers steps itself, and typed numbers become wrong as soon as a step is moved. `--fix` removes them if all
/// steps in a section are numbered from 1 on. If only some steps are numbered, the section has one finding.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "1. Check the oil"}, {"title": "2) Check the belts"}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Двигатель", "content_data": {"sections": [{"title": "Холодный", "items": [
///   {"title": "Масло"}, {"title": "1. Ремни"}, {"title": "2. Шланги"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Stores", "content_data": {"sections": [{"title": "Bread", "items": [
///   {"title": "12 loaves"}, {"title": "2.5 kg rusks"}, {"title": "1 l oil"}, {"title": "16. channel on the VHF"}]}]}}
/// ```
struct NoTypedNumbers: Rule {
  static let code = DiagnosticCode(
    "LNT0212", "typed-number", .note, "A step's title begins with a typed number.",
    why: "the app numbers steps itself, and a typed number becomes wrong as soon as a step is moved",
    fix: "delete the number")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for section in item.sections {
      var numbered = 0
      var first: Int?
      var isConsecutive = true
      for index in section.steps {
        guard let title = item.steps[index].title, let (number, _) = Self.prefix(title.bytes.span) else { continue }
        if first == nil { first = index }
        numbered += 1
        isConsecutive = isConsecutive && number == numbered
      }
      // A single number may belong to the text: “16. channel”.
      guard numbered > 1, let first else { continue }
      if isConsecutive, numbered == section.steps.count {
        for index in section.steps { addFinding(item.steps[index], report) }
      } else if let title = item.steps[first].title {
        report.finding(
          "\(numbered) of \(section.steps.count) steps in the section \(section.title.quoted) begin with a number",
          at: title.node, fix: "delete the numbers")
      }
    }
  }

  private func addFinding(_ step: ItemOutline.Step, _ report: RuleReport) {
    guard let title = step.title, let (number, length) = Self.prefix(title.bytes.span) else { return }
    report.finding(
      "the step \(title.quoted) begins with the number \(number)", at: title.node, in: 0..<length,
      edit: .text(String(decoding: title.bytes[length...], as: UTF8.self)))
  }

  /// Returns the number that a title begins with (`1. ` or `12) `), and its length in bytes including the blanks.
  private static func prefix(_ bytes: Span<UInt8>) -> (number: Int, length: Int)? {
    var at = 0
    var number = 0
    while at < bytes.count, at < 4, (0x30...0x39).contains(bytes[at]) {
      number = number * 10 + Int(bytes[at] - 0x30)
      at += 1
    }
    guard (1...3).contains(at), at < bytes.count, bytes[at] == UInt8(ascii: ".") || bytes[at] == UInt8(ascii: ")")
    else { return nil }
    at += 1
    let blank = at
    while at < bytes.count, bytes[at] == 0x20 { at += 1 }
    // Some text must remain, and digits after the point would be a fraction.
    guard at > blank, at < bytes.count else { return nil }
    return (number, at)
  }
}
