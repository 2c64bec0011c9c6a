import Diagnostics
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing
import Validation

/// The effects of `--fix` on files.
@Suite struct FixRunTests {
  private let scratch = Scratch()

  /// Returns the text of a file, including its byte order mark.
  private func content(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: scratch[name])), as: UTF8.self)
  }

  private func fix(
    _ file: String, _ line: Int, _ column: Int, _ pointer: String, _ edit: Edit, before: String? = nil
  ) throws -> Fix {
    Fix(
      record: Place(file: file, line: line, column: column), pointer: try #require(JSONPointer(pointer)), edit: edit,
      before: before)
  }

  /// Writes a text, edits the record at its beginning, and returns the resulting text.
  private func fixed(_ text: String, _ edits: [(String, Edit)]) throws -> (text: String, reasons: [String?]) {
    let path = try scratch.write("a.json", text)
    let report = try FixRun().run(try edits.map { try fix(path, 1, 1, $0.0, $0.1) })
    #expect(report.failures.isEmpty)
    return (try content("a.json"), report.outcomes.map(\.reason))
  }

  @Test func numbersInQuotesAreFixed() throws {
    func checklist(_ minutes: String...) -> String {
      let steps = minutes.map { #"{"title": "Gas off", "estimatedMinutes":\#($0)}"# }
      return #"{"content_type":"checklist","title":"T","content_data":{"sections":[{"title":"S","items":["#
        + steps.joined(separator: ",\n") + "]}]}}\n"
    }
    let path = try scratch.write("a.json", checklist(#" "15""#, #""5 min""#, #""1.5""#, #""0""#))
    let answer = try Shell.fleetkit("validate", path, "--fix")
    #expect(answer.status == 1, "two of the values need a decision")
    #expect(try content("a.json") == checklist(" 15", #""5 min""#, #""1.5""#, "0"))
  }

  @Test(arguments: [
    // Edited values.
    (#"{"a": "x", "b":"é"}"#, [("/a", Edit.text("ж\"\n\u{1}/"))], #"{"a": "ж\"\n\u0001/", "b":"é"}"#),
    ("{\"a\" :\t1.50 ,\"b\":2}", [("/a", .json("true"))], "{\"a\" :\ttrue ,\"b\":2}"),
    (#"{"a":[1,2]}"#, [("/a", .json("{\n  \"x\": [\r\n1]}"))], #"{"a":{   "x": [  1]}}"#),
    ("\u{FEFF}{\r\n  \"a\": \"x\"\r\n}\r\n", [("/a", .text("y"))], "\u{FEFF}{\r\n  \"a\": \"y\"\r\n}\r\n"),
    (#"{"😀é": {"ж": ["a", "ü"]}}"#, [("/😀é/ж/1", .text("z"))], #"{"😀é": {"ж": ["a", "z"]}}"#),
    (
      #"{"a/b": {"~": "x", "1": "y"}}"#, [("/a~1b/~0", .text("z")), ("/a~1b/1", .text("w"))],
      #"{"a/b": {"~": "z", "1": "w"}}"#
    ),
    // Removed elements and members: the first, a middle one, the last, the only one, several.
    ("[1, 2, 3]", [("/0", .remove)], "[2, 3]"), ("[1, 2, 3]", [("/1", .remove)], "[1, 3]"),
    ("[1, 2, 3]", [("/2", .remove)], "[1, 2]"), ("[ 1 ]", [("/0", .remove)], "[]"),
    ("[1, 2, 3, 4]", [("/3", .remove), ("/2", .remove)], "[1, 2]"),
    ("[1, 2, 3, 4]", [("/0", .remove), ("/1", .remove), ("/3", .remove)], "[3]"),
    ("[1, 2]", [("/1", .remove), ("/0", .remove)], "[]"),
    (#"{"a":1,"b":2}"#, [("/a", .remove)], #"{"b":2}"#), (#"{"a":1 , "b":2}"#, [("/b", .remove)], #"{"a":1}"#),
    (#"{ "a":1 }"#, [("/a", .remove)], "{}"),
    ("[\n  1,\n  2,\n  3\n]\n", [("/1", .remove)], "[\n  1,\n  3\n]\n"),
    ("[\n  1,\n  2,\n  3\n]\n", [("/0", .remove)], "[\n  2,\n  3\n]\n"),
    ("[\n  1,\n  2,\n  3\n]\n", [("/2", .remove)], "[\n  1,\n  2\n]\n"),
    ("{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}", [("/b", .remove)], "{\r\n\t\"a\": 1\r\n}"),
    ("[1\n, 2\n, 3]", [("/1", .remove)], "[1\n, 3]"),
    // Changes and removals together: remaining values change while their neighbours are removed.
    (
      #"[{"a":"x","b":1}, {"a":"y"}, {"a":"z"}]"#, [("/1", .remove), ("/0/b", .remove), ("/2/a", .text("w"))],
      #"[{"a":"x"}, {"a":"w"}]"#
    ),
  ])
  func onlyWhatIsMeantChanges(_ text: String, _ edits: [(String, Edit)], _ expected: String) throws {
    let result = try fixed(text, edits)
    #expect(result.text == expected)
    #expect(result.text.utf8.elementsEqual(expected.utf8))
    #expect(result.reasons.allSatisfy { $0 == nil })
  }

  @Test func editsOfOneValueWaitForTheNextRound() throws {
    let text = #"{"a": {"b": "x", "c": "y"}, "d": [1, 2]}"#
    for (edits, expected) in [
      (
        [("/a/b", Edit.text("1")), ("/a/b", .text("2")), ("/a/c", .text("3"))],
        #"{"a": {"b": "1", "c": "3"}, "d": [1, 2]}"#
      ),
      ([("/a", .remove), ("/a/b", .text("1"))], #"{"d": [1, 2]}"#),
      ([("/a/b", .text("1")), ("/a", .remove)], #"{"a": {"b": "1", "c": "y"}, "d": [1, 2]}"#),
      ([("/d/0", .remove), ("/d/0", .remove), ("/d", .json("[]"))], #"{"a": {"b": "x", "c": "y"}, "d": [2]}"#),
      ([("/d", .json("[]")), ("", .json("{}"))], #"{"a": {"b": "x", "c": "y"}, "d": []}"#),
    ] {
      let result = try fixed(text, edits)
      #expect(result.text == expected)
      let reasons = Set(result.reasons.compactMap { $0 })
      #expect(reasons.count == 1, "\(reasons)")
    }
  }

  @Test(arguments: [
    (#"{"a":1}"#, "/a", Edit.text("x"), nil), (#"{"a":1}"#, "/b", .remove, "'/b'"),
    (#"{"a":[1]}"#, "/a/1", .remove, "'/a/1'"), (#"{"a":1}"#, "/a/b", .remove, "'/a/b'"),
    (#"{"a":1}"#, "", .remove, nil), (#"{"a":1}"#, "/a", .json("{"), "JSON"),
    (#"{"a":1}"#, "/a", .json("1 2"), "JSON"), (#"{"a":"é"}"#, "/a", .text("é"), nil),
    (#"{"a":1}"#, "/a", .json(" 1 "), nil), (#"{"a":1,"a":2}"#, "/a", .remove, "'a'"),
    ("{\"a\":1", "/a", .remove, "JSON"), ("text", "/a", .remove, "JSON"),
    ("{\"a\":01}", "/a", .remove, "JSON"), ("", "/a", .remove, "JSON"),
  ])
  func whatCannotBeMadeIsLeftWithAReason(_ text: String, _ pointer: String, _ edit: Edit, _ name: String?) throws {
    let result = try fixed(text, [(pointer, edit)])
    #expect(result.text == text)
    let reason = try #require(result.reasons.first ?? nil)
    #expect(!reason.isEmpty && (name == nil || reason.contains(name ?? "-")), "\(reason)")
  }

  @Test func aValueThatWasNotTheOneCheckedIsLeft() throws {
    let path = try scratch.write("a.json", #"{"a":"\u0041", "b":1.0}"#)
    let report = try FixRun().run([
      try fix(path, 1, 1, "/a", .text("x"), before: #""A""#), try fix(path, 1, 1, "/b", .json("2"), before: "7"),
    ])
    #expect(report.applied == 1)
    #expect(report.outcomes[0].reason == nil && report.outcomes[1].reason?.isEmpty == false)
    #expect(try content("a.json") == #"{"a":"x", "b":1.0}"#)
  }

  @Test(arguments: ["\n", "\r\n"], ["", "\u{FEFF}"])
  func recordsOfLinesAreFound(_ lineEnd: String, _ mark: String) throws {
    let lines = [#"{"kind":"bundle"}"#, #"{"t":"é"}"#, "", #"  {"t":"ж"}"#, #"{"t":"no"#, #"{"t":"z"}"#]
    let path = try scratch.write("a.jsonl", mark + lines.joined(separator: lineEnd))
    let report = try FixRun().run([
      try fix(path, 6, 1, "/t", .text("3")), try fix(path, 2, 1, "/t", .text("1")),
      try fix(path, 4, 1, "/t", .text("2")),
      try fix(path, 1, 1, "/kind", .text("0")), try fix(path, 9, 1, "/t", .remove), try fix(path, 5, 99, "/t", .remove),
    ])
    #expect(report.outcomes.map(\.isApplied) == [true, true, true, true, false, false])
    let expected = [#"{"kind":"0"}"#, #"{"t":"1"}"#, "", #"  {"t":"2"}"#, #"{"t":"no"#, #"{"t":"3"}"#]
    #expect(try content("a.jsonl").utf8.elementsEqual((mark + expected.joined(separator: lineEnd)).utf8))
    #expect(report.changedFiles == [path])
  }

  @Test func recordsInsideADocumentAreFound() throws {
    let text = "\u{FEFF}{\"é\":1, \"items\": [{\"t\":\"a\"}, {\"t\":\"ж\"},\n  {\"t\":\"c\"}], \"x\": \"{\"}"
    let path = try scratch.write("a.json", text)
    let report = try FixRun().run([
      try fix(path, 1, 19, "/t", .text("1")), try fix(path, 1, 30, "/t", .text("2")),
      try fix(path, 2, 3, "/t", .text("3")),
    ])
    #expect(report.applied == 3, "\(report.outcomes.map(\.reason))")
    let expected = "\u{FEFF}{\"é\":1, \"items\": [{\"t\":\"1\"}, {\"t\":\"2\"},\n  {\"t\":\"3\"}], \"x\": \"{\"}"
    #expect(try content("a.json").utf8.elementsEqual(expected.utf8))
  }

  /// After random edits of random records, the text can be parsed and differs only by the intended changes.
  @Test func onlyIntendedValuesDiffer() throws {
    var random = SeededRandom(seed: 17)
    var applied = 0
    for _ in 0..<200 {
      let records = (0..<3).map { _ in "{\"a\": \(random.json(depth: 4)), \"b\": [\(random.json(depth: 3))]}" }
        .map { $0.replacing("\n", with: " ") }
      let path = try scratch.write("p.jsonl", records.joined(separator: "\n") + "\n")
      var fixes: [Fix] = []
      for line in 1...3 {
        let all = Tree(try JSONDocument(parsing: records[line - 1]).root).pointers()
        for _ in 0..<random.below(5) {
          let pointer = random.pick(all)
          let edit = random.pick([Edit.text("neu é"), .json("{\"n\": [0]}"), .remove])
          fixes.append(Fix(record: Place(file: path, line: line, column: 1), pointer: pointer, edit: edit))
        }
      }
      let report = try FixRun().run(fixes)
      let lines = try scratch.text("p.jsonl").split(separator: "\n", omittingEmptySubsequences: false)
      try #require(lines.count == 4 && lines[3].isEmpty)
      for line in 1...3 {
        // Removing elements shifts the following ones, so the edits are made from the last pointer to the first.
        let own = report.outcomes.filter { $0.fix.record.line == line && $0.isApplied }.map(\.fix)
        applied += own.count
        var expected = Tree(try JSONDocument(parsing: records[line - 1]).root)
        for fix in own where fix.edit != .remove { expected.apply(fix) }
        for fix in own.filter({ $0.edit == .remove }).sorted(by: { Tree.isBehind($0.pointer, $1.pointer) }) {
          expected.apply(fix)
        }
        let after = try JSONDocument(parsing: String(lines[line - 1])).root
        #expect(Tree(after) == expected, "\(records[line - 1]) → \(lines[line - 1])")
      }
    }
    #expect(applied > 250)
  }
}

/// A JSON value as plain data, on which edits are easy to make.
private enum Tree: Equatable {
  case plain(String)
  case text(String)
  case array([Tree])
  case object([String], [Tree])

  init(_ value: JSONValue) {
    switch value.kind {
    case .array: self = .array(value.elements.map(Tree.init))
    case .object: self = .object(value.members.map(\.name), value.members.map { Tree($0.value) })
    case .string: self = .text(value.string ?? "")
    default: self = .plain(value.text)
    }
  }

  func pointers(_ here: JSONPointer = JSONPointer()) -> [JSONPointer] {
    switch self {
    case .array(let all):
      [here] + all.enumerated().flatMap { $1.pointers(here.appending(.element($0))) }
    case .object(let names, let all):
      [here] + zip(names, all).flatMap { $1.pointers(here.appending(.member($0))) }
    default: [here]
    }
  }

  mutating func apply(_ fix: Fix) { apply(fix.pointer.steps[...], fix.edit) }

  private mutating func apply(_ steps: ArraySlice<JSONPointer.Step>, _ edit: Edit) {
    guard let step = steps.first else {
      switch edit {
      case .text(let text): self = .text(text)
      case .json: self = .object(["n"], [.array([.plain("0")])])
      case .remove: break
      }
      return
    }
    let removes = steps.count == 1 && edit == .remove
    switch (self, step) {
    case (.array(var all), .element(let index)):
      if removes { all.remove(at: index) } else { all[index].apply(steps.dropFirst(), edit) }
      self = .array(all)
    case (.object(var names, var all), .member(let name)):
      guard let index = names.firstIndex(of: name) else { return }
      if removes {
        names.remove(at: index)
        all.remove(at: index)
      } else {
        all[index].apply(steps.dropFirst(), edit)
      }
      self = .object(names, all)
    default: break
    }
  }

  /// Whether elements of `left` come after those of `right`.
  static func isBehind(_ left: JSONPointer, _ right: JSONPointer) -> Bool {
    for (mine, theirs) in zip(left.steps, right.steps) {
      if case .element(let first) = mine, case .element(let second) = theirs, first != second { return first > second }
    }
    return left.steps.count > right.steps.count
  }
}
