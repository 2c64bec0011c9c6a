import Foundation
import JSONSchema
import TestTools
import Testing

/// Random patterns and texts, compared with V8.
///
/// V8 also finds empty matches between the two halves of a surrogate pair, which ECMA-262 does not allow. So V8 is run
/// at every code point instead (flag `y`), which is equivalent to a search.
@Suite struct RegexDifferentialTests {
  private static let script = """
    const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
    console.log(JSON.stringify(cases.map(([pattern, texts]) => {
      let regex;
      try { regex = new RegExp(pattern, 'uy'); } catch (e) { return 'error'; }
      return texts.map(text => {
        for (let i = 0; ; i += text.codePointAt(i) > 0xFFFF ? 2 : 1) {
          regex.lastIndex = i;
          if (regex.test(text)) return '1';
          if (i >= text.length) return '0';
        }
      }).join('');
    })));
    """

  /// Returns V8's verdict on each pattern: "error", or one digit for each text.
  private static func verdicts(_ cases: [(String, [String])]) throws -> [String] {
    let input = try JSONSerialization.data(withJSONObject: cases.map { [$0.0, $0.1] as [Any] })
    let answer = try Shell.run("node", ["-e", script], input: String(decoding: input, as: UTF8.self))
    #expect(answer.status == 0, "\(answer.errors.prefix(500))")
    return try JSONDecoder().decode([String].self, from: Data(answer.output.utf8))
  }

  private static func ours(_ pattern: String, _ texts: [String]) -> String {
    guard let regex = try? ECMARegex(pattern) else { return "error" }
    return texts.map { text in
      switch regex.search(text) {
      case .match: "1"
      case .noMatch: "0"
      case .outOfSteps: "?"
      }
    }.joined()
  }

  private static func compare(_ cases: [(String, [String])]) throws {
    let theirs = try verdicts(cases)
    try #require(theirs.count == cases.count)
    var errors = 0
    var matches = 0
    for (example, verdict) in zip(cases, theirs) {
      let own = ours(example.0, example.1)
      if own != verdict {
        let text = zip(example.1, zip(own, verdict)).first { $0.1.0 != $0.1.1 }?.0 ?? ""
        Issue.record("/\(example.0)/u on \(text.debugDescription): ours \(own), V8 \(verdict)")
      }
      if verdict == "error" { errors += 1 } else if verdict.contains("1") { matches += 1 }
    }
    // A generator that produced only invalid patterns would prove nothing.
    #expect(errors < cases.count * 9 / 10 && matches > cases.count / 20)
  }

  private static var rounds: Int {
    ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_ROUNDS"].flatMap(Int.init) ?? 3000
  }

  @Test(.enabled(if: Shell.has("node"), "node is not installed"))
  func patternsOfTheGrammar() throws {
    var random = SeededRandom(seed: 0xECA_262)
    try Self.compare(
      (0..<Self.rounds).map { _ in
        var writer = PatternWriter(random: random)
        let pattern = writer.pattern()
        random = writer.random
        return (pattern, (0..<12).map { _ in random.text() } + [""])
      })
  }

  @Test(.enabled(if: Shell.has("node"), "node is not installed"))
  func patternsOfAnyCharacters() throws {
    var random = SeededRandom(seed: 20_201_2)
    let pieces = [
      "a", "b", "1", "-", "(", ")", "(", ")", "[", "]", "{", "}", "{2}", "{1,}", "{0,2}", "*", "+", "?", "|", "^", "$",
      ".", "\\", "\\d", "\\w", "\\s", "\\b", "\\B", "\\1", "\\0", "\\x61", "\\u0061", "\\u{61}", "\\cA", "\\p{L}",
      "\\P{Lu}",
      "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "\\k<n>", ",", "é", "😀", "/", "\\/", "\\-", "[^", "\\uD83D",
      "\\uDE00",
    ]
    try Self.compare(
      (0..<Self.rounds).map { _ in
        let pattern = (0..<1 + random.below(7)).map { _ in random.pick(pieces) }.joined()
        return (pattern, (0..<4).map { _ in random.text() })
      })
  }
}

extension SeededRandom {
  /// Returns a short text of the characters that the random patterns use.
  fileprivate mutating func text() -> String {
    (0..<below(9)).map { _ in pick(["a", "a", "b", "b", "c", "1", "_", " ", "-", "é", "ж", "😀", "\n", "A", "\u{200B}"])
    }
    .joined()
  }
}

/// Writes random patterns that are mostly valid.
private struct PatternWriter {
  var random: SeededRandom
  private var names = 0

  init(random: SeededRandom) { self.random = random }

  mutating func pattern() -> String { disjunction(depth: 3) }

  private mutating func disjunction(depth: Int) -> String {
    (0...(random.below(3) == 0 ? 1 + random.below(2) : 0)).map { _ in sequence(depth: depth) }.joined(separator: "|")
  }

  private mutating func sequence(depth: Int) -> String {
    (0..<random.below(5)).map { _ in term(depth: depth) }.joined()
  }

  private mutating func term(depth: Int) -> String {
    switch random.below(depth > 0 ? 20 : 12) {
    case 0: return random.pick(["^", "$", "\\b", "\\B"])
    case 1: return random.pick(["\\1", "\\2", "\\k<n0>"]) + quantifier()
    case 2...6:
      return random.pick(["a", "b", "c", "1", "-", "é", "ж", "😀", "\\n", "\\x61", "\\u{1F600}"]) + quantifier()
    case 7: return random.pick([".", "\\d", "\\w", "\\W", "\\s", "\\S", "\\D"]) + quantifier()
    case 8: return random.pick(["\\p{L}", "\\P{L}", "\\p{Lu}", "\\p{sc=Cyrl}", "\\p{Emoji}"]) + quantifier()
    case 9...11: return set() + quantifier()
    case 12...13: return "(" + disjunction(depth: depth - 1) + ")" + quantifier()
    case 14:
      names += 1
      return "(?<n\(names - 1)>" + disjunction(depth: depth - 1) + ")" + quantifier()
    case 15...16: return "(?:" + disjunction(depth: depth - 1) + ")" + quantifier()
    case 17: return random.pick(["(?=", "(?!"]) + disjunction(depth: depth - 1) + ")"
    default: return random.pick(["(?<=", "(?<!"]) + disjunction(depth: depth - 1) + ")"
    }
  }

  private mutating func quantifier() -> String {
    guard random.below(3) == 0 else { return "" }
    return random.pick(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,3}?", "{2,}", "{0}", "{1}"])
  }

  private mutating func set() -> String {
    let items = (0..<random.below(4)).map { _ in
      random.pick([
        "a", "b-c", "1", "\\d", "\\w", "\\S", "\\W", "é", "а-я", "😀", "-", "\\]", "\\p{Ll}", "\\P{L}", "\\b",
      ])
    }
    return (random.below(3) == 0 ? "[^" : "[") + items.joined() + "]"
  }
}
