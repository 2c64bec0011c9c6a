import Content
import Diagnostics
import JSONText
import TestSupport
import Testing
import Validation

/// Rules never trap and never take long, whatever the content is.
@Suite struct HostileListTests {
  private static let codes = RuleSet.codes.map(\.id).filter {
    $0.hasPrefix("PUB01") || $0.hasPrefix("LNT01") || $0.hasPrefix("LNT02") || $0.hasPrefix("LNT07")
      || $0.hasPrefix("LNT08")
  }

  /// Runs all rules. As in a report, only the first findings of each code are created in full.
  private func run(_ text: String) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    let run = try RuleRun(
      [text], rules: Self.codes,
      wants: { code, _, _ in
        counts[code.id, default: 0] += 1
        return (counts[code.id] ?? 0) <= 5
      })
    #expect(run.rejected == 0)
    return counts
  }

  @Test(.timeLimit(.minutes(1))) func tenThousandSectionsAndSteps() throws {
    let sections = String(repeating: #"{"title":"","items":[]},"#, count: 10_000).dropLast()
    let empty = try run(#"{"content_type":"checklist","title":"x","content_data":{"sections":[\#(sections)]}}"#)
    // Lint does not report these values, because the publishing rules report the same problem.
    #expect(empty["PUB0109"] == 10_000 && empty["PUB0110"] == 10_000)
    #expect(empty["LNT0202"] == nil && empty["LNT0211"] == nil)

    let same = Array(
      repeating: #"{"title":"Oil","itemDescription":"oil","isOptional":true,"isRequired":true}"#, count: 10_000)
    let steps = try run(Made.checklist(same))
    #expect(steps["LNT0204"] == 9_999 && steps["LNT0216"] == 10_000 && steps["LNT0210"] == 1)

    let cards = Array(repeating: #"{"front":" a ","back":"A"}"#, count: 10_000).joined(separator: ",")
    let deck = try run(#"{"content_type":"flashcard_deck","title":"xyz","content_data":{"cards":[\#(cards)]}}"#)
    #expect(deck["LNT0701"] == 10_000 && deck["LNT0702"] == 9_999)
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      " ", "1", "1 ", "1. ", "1 min ", "1 ч ", "(", "(5 min", "5 min)", "-", "— ", "\u{A0}", "Ё", "mob ", "👨‍👩‍👧",
      "\u{301}", "\\u0000",
      "\\n", "1\u{2013}",
    ])
  func itemsOfAMegabyteOfText(_ piece: String) throws {
    let text = String(repeating: piece, count: 120_000 / piece.utf8.count)
    let step = #"{"title":"\#(text)","itemDescription":"\#(text)!","estimatedMinutes":5}"#
    let checklist =
      #"{"content_type":"checklist","title":"\#(text)","description":"\#(text)","content_data":{"checklistType":"\#(text)","#
      + #""sections":[{"title":"\#(text)","items":[\#(step),\#(step)]}]}}"#
    let card = #"{"front":"\#(text)","back":"\#(text)"}"#
    let deck = #"{"content_type":"flashcard_deck","title":"\#(text)","content_data":{"cards":[\#(card),\#(card)]}}"#
    let counts = try run("[\(checklist),\(deck)]")
    // A string of blanks is too short, and all other strings are too long.
    #expect(counts["PUB0103"] == 2)
  }

  /// A payload may contain any values. They are replaced by other values, thousands of times.
  @Test func payloadsOfAnySortAreJudgedAndNeverTrap() throws {
    let sound = PublishRuleTests.payload
    let document = try JSONDocument(parsing: sound)
    var spans: [Range<Int>] = []
    func collect(_ value: JSONValue) {
      spans.append(value.span)
      value.elements.forEach(collect)
      value.members.forEach { collect($0.value) }
    }
    collect(document.root)
    let others = [
      "null", "0", "-1", "1e999", "\"\"", "\" \"", "\"\\u0000\"", "[]", "{}", "[null]", "[[]]", "{\"\":null}", "true",
      "\"2026-13-45T99:99:99Z\"", "{\"sections\":[1,null,[],{}]}", "{\"cards\":[{\"review\":5},7]}",
      "9223372036854775808",
    ]
    let bytes = Array(sound.utf8)
    var random = SeededRandom(seed: 11)
    for _ in 0..<1500 {
      let span = random.pick(spans)
      let other = random.pick(others)
      let text = String(
        decoding: bytes[..<span.lowerBound] + Array(other.utf8) + bytes[span.upperBound...], as: UTF8.self)
      let changed = try JSONDocument(parsing: text).root
      for problem in PublishCheck.problems(inPayload: changed) {
        #expect(changed.at(problem.pointer) != nil, "\(problem.message) at \(problem.pointer): \(text)")
      }
    }
  }

  @Test func aPayloadThatNobodyCanLookAtIsNotPassed() throws {
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    let payload = try JSONDocument(parsing: #"{"title":\#(deep)}"#).root
    let problems = PublishCheck.problems(inPayload: payload, rules: PublishCheck.askedByEveryVersion)
    #expect(problems.count == 1)
  }
}
