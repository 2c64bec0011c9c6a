import Foundation
import JSONSchema
import Testing

/// The cost of hostile patterns and texts.
@Suite struct RegexLimitTests {
  @Test(arguments: [
    "(a+)+$", "(a|aa)+$", "(.*)*x", "^(a?){40}a{40}$x", "(a*)*b", "((a*)*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(?:(a)|b)*?\\1{30}c", "(?<=(a+)+)b", "^(?=(a+)+$)b",
  ])
  func catastrophesEnd(_ pattern: String) throws {
    let regex = try ECMARegex(pattern)
    let text = String(repeating: "a", count: 5000) + "!"
    let clock = ContinuousClock()
    var outcome = ECMARegex.Outcome.match
    let time = clock.measure { outcome = regex.search(text, steps: 100_000) }
    #expect(outcome != .match)
    #expect(time < .seconds(30))
  }

  @Test func stepsRunOut() throws {
    #expect(try ECMARegex("(a+)+$").search(String(repeating: "a", count: 40) + "!") == .outOfSteps)
    #expect(try ECMARegex("^a*$").search("aaa", steps: 1) == .outOfSteps)
    #expect(try ECMARegex("^a*$").search("aaa", steps: 10) == .match)
  }

  @Test func longTextsAreLinear() throws {
    let text = String(repeating: "word ", count: 200_000)
    for pattern in ["^(?:\\w+ )*$", "^[a-z ]+$", "^(?:[^<]|<(?!s))*$", "^(?:w|o|r|d| )+$"] {
      #expect(try ECMARegex(pattern).search(text) == .match, "\(pattern)")
    }
    #expect(try ECMARegex("x").search(text) == .noMatch)
  }

  @Test func memoryIsBounded() throws {
    let text = String(repeating: "ab", count: 3_000_000)
    #expect(try ECMARegex("^(?:(?:a|b.?)(?:))*?$").search(text, steps: .max) != .noMatch)
  }

  @Test func nestingIsBounded() {
    let deep = String(repeating: "(", count: 100_000)
    #expect(throws: RegexSyntaxError.self) { try ECMARegex(deep) }
    let closed = String(repeating: "(?:", count: 5000) + "a" + String(repeating: ")*", count: 5000)
    #expect(throws: RegexSyntaxError.self) { try ECMARegex(closed) }
  }

  @Test func nestingFitsASmallStack() async throws {
    let pattern = String(repeating: "(?:|(?=b)|", count: 47) + "a" + String(repeating: ")*?", count: 47)
    // On macOS, a secondary thread has a stack of 512 KB, and the caller has already used some of it.
    let isMatch = await withCheckedContinuation { continuation in
      let thread = Thread {
        continuation.resume(returning: (try? ECMARegex(pattern))?.search("a"))
      }
      thread.stackSize = 400 * 1024
      thread.start()
    }
    #expect(isMatch == .match)
  }

  @Test func longPatternsAreFine() throws {
    let words = (0..<20_000).map { "word\($0)" }
    let regex = try ECMARegex("^(?:" + words.joined(separator: "|") + ")$")
    #expect(regex.search("word19999") == .match)
    #expect(regex.search("word20000") == .noMatch)
    #expect(try ECMARegex("^(?:a{1000}){1000}$").search(String(repeating: "a", count: 1_000_000)) == .match)
    #expect(try ECMARegex("^a{0,99999999999999999999}$").search("aaa") == .match)
  }

  @Test func bytesThatAreNoUTF8AreSurvived() throws {
    let regexes = try ["^.*$", "(?<=.)x", "[^a]+$", "\\p{L}*\\P{L}", "..", "(.)\\1"].map { try ECMARegex($0) }
    let texts: [[UInt8]] = [[0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x80, 0x80, 0x80, 0x80, 0x80, 0x78]]
    for regex in regexes {
      for text in texts { _ = regex.search(text.span) }
      let outcome = regex.search(Span())
      #expect(outcome != .outOfSteps)
    }
  }

  /// A property that the standard library determines takes as long as eight other steps.
  @Test func propertiesCostWhatTheyTake() throws {
    let text = String(repeating: "ж", count: 10_000)
    #expect(try ECMARegex("(?:\\p{L}*)!").search(text, steps: 60_000) == .outOfSteps)
    // Ranges beyond sixteen cost a step for each halving.
    let scripts = String(repeating: "\\P{sc=Zzzz}", count: 100)
    #expect(try ECMARegex("^(?:\(scripts))*$").search(text, steps: 30_000) == .outOfSteps)
  }

  /// Where nothing that a leading loop consumed is given back, a match cannot begin later in the same run.
  @Test(arguments: ["\\p{L}+@", "[a-zж]+@", "\\w*@", "[^@]+@@"])
  func failedRunsAreSkipped(_ pattern: String) throws {
    let regex = try ECMARegex(pattern)
    #expect(regex.search(String(repeating: "aж", count: 50_000) + "!") == .noMatch)
    let isFound = regex.search("ab ж@ xж- aax@@") == .match
    #expect(isFound)
  }

  /// Patterns of some length whose classes, groups and properties made compiling them slow or large.
  @Test(arguments: [
    String(repeating: "(?:x|", count: 48) + "[" + String(repeating: "\\p{L}", count: 8000) + "]"
      + String(repeating: ")*", count: 48),
    String(repeating: "(?:\\p{L}a|", count: 48) + String(repeating: "\\p{L}a|", count: 3000)
      + String(repeating: ")*", count: 48),
    String(repeating: "\\P{sc=Zzzz}", count: 20_000), String(repeating: "[^\\P{sc=Zzzz}]|", count: 15_000),
  ])
  func compilingIsBounded(_ pattern: String) throws {
    var outcome = ECMARegex.Outcome.outOfSteps
    let time = try ContinuousClock().measure { outcome = try ECMARegex(pattern).search("жжж") }
    #expect(outcome != .outOfSteps)
    #expect(time < .seconds(20))
  }
}
