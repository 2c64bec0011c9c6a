import Content
import Foundation
import JSONText
import Merging
import TestSupport
import Testing

/// For any content of the records, a merge terminates and produces valid JSON.
@Suite struct MergeHostileTests {
  private func item(_ document: String, type: String = "checklist") -> String {
    "{\"kind\":\"item\",\"id\":\"A\",\"content_type\":\"\(type)\",\"title\":\"T\",\"content_data\":\(document)}"
  }

  private static let lists = [
    "null", "[]", "5", "\"x\"", "{}", "[5]", "[null]", "[[]]", #"[{"title":"no id"}]"#, #"[{"id":7}]"#, #"[{"id":""}]"#,
    #"[{"id":"s","title":"S","items":null}]"#, #"[{"id":"s","title":"S","items":{}}]"#,
    #"[{"id":"s","title":"S","items":[{"id":"a"},{"id":"a"}]}]"#, #"[{"id":"s"},{"id":"s"}]"#,
    #"[{"id":"s","items":[{"id":"a"}]},{"id":"t","items":[{"id":"a"}]}]"#,
    #"[{"id":"s","title":"S","items":[{"id":"a","title":"A","sortOrder":9223372036854775807}],"sortOrder":-1}]"#,
    #"[{"id":"s","title":"S","title":"again","items":[{"id":"a","title":"A","title":"B"}]}]"#,
    #"[{"id":"s","title":["S"],"items":[{"id":"a","title":{"x":1},"tags":[1],"itemDescription":7}]}]"#,
    #"[{"id":"s","title":"S","items":[{"id":"a","title":"\ud83d\ude00","tags":["x","x"]}]},{"id":"t","items":[]}]"#,
    #"[{"id":"t","title":"T","sortOrder":1e400},{"id":"s","title":"S2","items":[{"id":"b"},{"id":"a","title":"Z"}]}]"#,
  ]

  @Test func everyListAgainstEveryOther() throws {
    var round = 0
    for base in [nil] + Self.lists.map(Optional.some) {
      for ours in Self.lists {
        for theirs in Self.lists {
          round += 1
          let mine = item("{\"sections\":\(ours)}")
          let merged = try Merge.lines(
            base.map { item("{\"sections\":\($0)}") }, mine, item("{\"sections\":\(theirs)}"),
            choice: round % 3 == 0 ? .theirs : .undecided)
          if base == theirs || ours == theirs { #expect(merged.line == mine) }
          if base == ours { #expect(merged.line == item("{\"sections\":\(theirs)}")) }
        }
      }
    }
  }

  @Test func listsWhoseIdsStandTwiceAreOneConflict() throws {
    let merged = try Merge.lines(
      item(#"{"sections":[]}"#), item(#"{"sections":[{"id":"s"},{"id":"s"}]}"#), item(#"{"sections":[{"id":"t"}]}"#))
    #expect(merged.places == ["/content_data/sections"])
    #expect(merged.text("/content_data/sections") == #"[{"id":"s"},{"id":"s"}]"#)
  }

  @Test func anyJSONIsMerged() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<1000 {
      let values = (0..<3).map { _ in random.json(depth: 4) }
      let kind = random.pick([RecordKind.item, .charter, .execution, .foreign, .syncOperation])
      let wraps = random.below(3)
      func wrap(_ value: String) -> String {
        switch wraps {
        case 0: value
        case 1: item(value, type: random.pick(["checklist", "practice_guide", "flashcard_deck", "x"]))
        default: "{\"id\":\"A\",\"item_states\":\(value),\"tags\":\(value),\"extras\":\(value)}"
        }
      }
      _ = try Merge.lines(
        random.below(4) == 0 ? nil : wrap(values[0]), wrap(values[1]), wrap(values[2]), kind: kind,
        own: random.pick([.ours, .merged]), choice: random.pick([.ours, .theirs, .undecided]))
    }
  }

  @Test func deepValuesAreOneValueFromSomeDepthOn() throws {
    func deep(_ inner: String) -> String {
      "{\"kind\":\"foreign\",\"a\":" + String(repeating: "{\"a\":", count: 400) + inner
        + String(repeating: "}", count: 401)
    }
    let merged = try Merge.lines(
      deep("{\"x\":1,\"y\":1}"), deep("{\"x\":2,\"y\":1}"), deep("{\"x\":1,\"y\":2}"), kind: .foreign)
    #expect(merged.conflicts.count == 1 && merged.line == deep("{\"x\":2,\"y\":1}"))
  }

  @Test func anErrorOfWhoIsAskedStopsTheMerge() throws {
    struct Stopped: Error {}
    let texts = ["1", "2", "3"].map { "{\"kind\":\"foreign\",\"a\":\($0),\"b\":\($0)}" }
    let documents = try texts.map { try JSONDocument(parsing: $0) }
    var asked = 0
    #expect(throws: Stopped.self) {
      try documents[0].withNode(documents[0].root.tokenIndex) { base in
        try documents[1].withNode(documents[1].root.tokenIndex) { ours in
          try documents[2].withNode(documents[2].root.tokenIndex) { theirs in
            _ = try ThreeWayMerge(.foreign).merge(base: base, ours: ours, theirs: theirs) { _ in
              asked += 1
              throw Stopped()
            }
          }
        }
      }
    }
    #expect(asked == 1)
  }

  // MARK: Cost

  /// Returns a checklist of `count` steps, either in sections of a thousand steps or in one section.
  private func large(_ count: Int, perSection: Int, _ change: (Int) -> String?) -> String {
    var sections: [[String]] = []
    for index in 0..<count {
      if index % perSection == 0 { sections.append([]) }
      if let step = change(index) { sections[sections.count - 1].append(step) }
    }
    let text = sections.enumerated().map { index, steps in
      "{\"id\":\"s\(index)\",\"title\":\"S\(index)\",\"items\":[\(steps.joined(separator: ","))],\"sortOrder\":\(index)}"
    }
    return item("{\"sections\":[\(text.joined(separator: ","))]}")
  }

  private func step(_ id: Int, _ title: String) -> String { "{\"id\":\"i\(id)\",\"title\":\"\(title)\"}" }

  @Test(arguments: [100, 1_000_000]) func workGrowsWithTheRecord(perSection: Int) throws {
    let kinds: [(String, (Int, Int) -> String?, (Int, Int) -> String?)] = [
      ("edits", { i, n in step(i, i % 3 == 0 ? "o" : "b") }, { i, n in step(i, i % 3 == 1 ? "t" : "b") }),
      ("conflicts", { i, n in step(i, "o") }, { i, n in step(i, "t") }),
      ("deleted by ours", { i, n in i % 100 == 0 ? step(i, "b") : nil }, { i, n in step(i, "t") }),
      ("deleted by theirs", { i, n in step(i, "o") }, { i, n in nil }),
      ("added", { i, n in step(i + n, "o\(i)") }, { i, n in step(i + 2 * n, "t\(i)") }),
      ("added alike", { i, n in step(i + n, "a") }, { i, n in step(i + 2 * n, "a") }),
      ("turned", { i, n in step(n - 1 - i, "b") }, { i, n in step((i + n / 2) % n, "b") }),
      ("shuffled", { i, n in step((i * 7919) % n, "b") }, { i, n in step((i * 6101) % n, "b") }),
    ]
    for (name, ours, theirs) in kinds {
      let efforts = try [1001, 4001].map { count in
        let merged = try Merge.lines(
          large(count, perSection: perSection) { step($0, "b") },
          large(count, perSection: perSection) { ours($0, count) },
          large(count, perSection: perSection) { theirs($0, count) })
        return merged.outcome.effort
      }
      // Four times the work, and the increase of the logarithm.
      #expect(Double(efforts[1]) < 5.5 * Double(efforts[0]), "\(name): \(efforts)")
      #expect(efforts[1] < 300 * 4001, "\(name): \(efforts)")
    }
  }

  @Test func aHundredThousandStepsAreMerged() throws {
    let count = 100_000
    let merged = try Merge.lines(
      large(count, perSection: count) { step($0, "b") },
      large(count, perSection: count) { step($0, $0 == 7 ? "o" : "b") },
      large(count, perSection: count) { $0 == 9 ? nil : step($0, $0 == 8 ? "t" : "b") })
    #expect(merged.conflicts.isEmpty)
    let steps = merged.document.root.at(try #require(JSONPointer("/content_data/sections/0/items")))?.elements ?? []
    #expect(steps.count == count - 1)
    #expect(steps[6...9].map { $0["title"]?.string } == ["b", "o", "t", "b"])
  }
}
