import Foundation
import JSONText
import TestSupport
import Testing
import YAMLText

/// Hostile texts are parsed or refused quickly and without a trap.
@Suite struct YAMLHostileTests {
  private func refusal(_ yaml: String) throws -> YAMLError {
    try #require(throws: YAMLError.self) { try YAMLDocument(parsing: yaml) }
  }

  @Test(arguments: ["[", "{a: ", "- ", "? ", "{? ", "[[], ", "{", "[{"])
  func deepNestingIsRefused(_ piece: String) throws {
    let started = ContinuousClock.now
    _ = try refusal(String(repeating: piece, count: 100_000))
    #expect(ContinuousClock.now - started < .seconds(60))
  }

  @Test func nestingUpToTheLimitIsFine() throws {
    let yaml = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
    #expect(try YAMLDocument(parsing: yaml).json.root.text == yaml)
    let error = try refusal("[" + yaml + "]")
    #expect(error.line == 1 && error.column == 513 && error.message.numbers == [512])
    let indented = (0..<600).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
    #expect(try refusal(indented).message.numbers.contains(512))
  }

  @Test func aliasBombsAreRefused() throws {
    var yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1..<40 {
      yaml += "a\(level): &a\(level) [" + (0..<10).map { _ in "*a\(level - 1)" }.joined(separator: ", ") + "]\n"
    }
    #expect(try !refusal(yaml).message.numbers.isEmpty, "the limit is named")
    // The same expansion as a member name, which would have to be hashed in a tree of nodes.
    #expect(try refusal(yaml.prefix(300) + "\n? *a1\n: 1").message.isEmpty == false)
    let long = "a: &a " + String(repeating: "x", count: 300_000) + "\n"
    #expect(try refusal(long + (0..<100).map { "b\($0): *a\n" }.joined()).line == 5)
  }

  @Test func aliasesThatNestAreBounded() throws {
    var yaml = "a0: &a0 [" + String(repeating: "[", count: 300) + String(repeating: "]", count: 300) + "]\n"
    yaml += "b: " + String(repeating: "[", count: 250) + "*a0" + String(repeating: "]", count: 250) + "\n"
    #expect(try refusal(yaml) == YAMLError("values nest deeper than 512 levels", line: 2, column: 254))
  }

  @Test func longTextsAreRefused() throws {
    var limits = YAMLLimits()
    limits.textLength = 10
    #expect(throws: YAMLError.self) { try YAMLDocument(parsing: "a: 12345678", limits: limits) }
    #expect(try YAMLDocument(parsing: "a: 1234567", limits: limits).json.root.text == #"{"a":1234567}"#)
  }

  @Test func manyValuesAreRefused() throws {
    var limits = YAMLLimits()
    limits.values = 4
    #expect(try YAMLDocument(parsing: "[a, b, c]", limits: limits).json.root.text == #"["a","b","c"]"#)
    #expect(throws: YAMLError("the text has more than 4 values", line: 1, column: 12)) {
      try YAMLDocument(parsing: "[a, b, c, d]", limits: limits)
    }
  }

  /// Places are counted from checkpoints in the text, whatever comes in between: empty lines, long lines, wide
  /// characters.
  @Test func placesFarFromAMarkAreRight() throws {
    let gap = String(repeating: "\n", count: 1000) + "# " + String(repeating: "ж", count: 500) + "\n"
    let document = try YAMLDocument(parsing: "a: 1\n" + gap + "  \r\nb: {c: 'ж', d: 5}\n")
    let position = document.position(of: JSONPointer([.member("b"), .member("d")]))
    #expect(position?.line == 1004 && position?.column == 16 && position?.endColumn == 17)
  }

  @Test func manyNamesInOneMappingAreQuick() throws {
    let started = ContinuousClock.now
    let yaml = (0..<30_000).map { "name\($0): \($0)\n" }.joined()
    let document = try YAMLDocument(parsing: yaml)
    #expect(document.json.root["name29999"]?.integer == 29_999)
    #expect(ContinuousClock.now - started < .seconds(60))
  }

  /// A mutated text is either parsed to valid JSON with a place for each value, or refused with a place inside the
  /// text.
  @Test func mutatedTextsNeverTrap() throws {
    var random = SeededRandom(seed: 99)
    let seeds = [
      "version: 1\nselect: [all, 'a b']\nseverity:\n  empty-section: error\npaths:\n  \"a/**\": {ignore: [lint]}\n",
      "a: &x {b: [1, .5, 0x1F], c: !!str 4}\nd: *x\ne: |+\n  text\n\nf: >-\n  é ж 😀\n? g\n: - h\n  - \"\\u0041\\x42\"\n",
      "%YAML 1.2\n%TAG ! tag:x,2000:\n---\n- !t 'x'\n- ! 12\n# c\n...\n", "\u{FEFF}a: 1\r\nb:\r\n  - 'it''s'\r\n",
    ].map { Array($0.utf8) }
    let pieces =
      [
        "[", "]", "{", "}", ":", ": ", "- ", "&a ", "*a", "!", "!!", "|", ">", "'", "\"", "\\", "\t", "\n", "\r",
        "#", "%", "---\n", "...\n", "?", "<<: ", "~", "\u{0}", "\u{FEFF}", "\u{2028}", "é", "0x", "@", "`", ",",
      ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80]]
    var parsed = 0
    for _ in 0..<20_000 {
      var text = random.pick(seeds)
      for _ in 0..<random.below(5) + 1 {
        let at = random.below(text.count + 1)
        switch random.below(3) {
        case 0: text.insert(contentsOf: random.pick(pieces), at: at)
        case 1: text.removeSubrange(at..<min(text.count, at + random.below(6)))
        default:
          text.insert(contentsOf: text[at..<min(text.count, at + random.below(30))], at: random.below(text.count))
        }
      }
      do throws(YAMLError) {
        let document = try YAMLDocument(parsing: text.span)
        parsed += 1
        #expect(document.position(of: JSONPointer()) != nil)
        #expect(document.json.root.duplicateName == nil)
        var values = [document.json.root]
        while let value = values.popLast() {
          #expect(document.position(of: value) != nil)
          values += value.elements + value.members.map(\.value)
        }
      } catch {
        #expect(error.line >= 1 && error.line <= text.count(where: { $0 == 0x0A }) + 1 && error.column >= 1)
        #expect(!error.message.isEmpty && !error.message.contains("\n"))
      }
    }
    #expect(parsed > 1000)
  }
}
