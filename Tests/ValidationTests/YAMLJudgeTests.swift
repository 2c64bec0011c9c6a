import Foundation
import JSONText
import TestSupport
import Testing
import YAMLText

/// Another YAML 1.2 reader (ruamel.yaml, which is installed with check-jsonschema) reads the same values from the same
/// texts.
@Suite struct YAMLJudgeTests {
  /// A script that reads a JSON array of YAML texts and prints the JSON of each, or null for a text that it refuses.
  private static let script = """
    import json, math, sys
    from ruamel.yaml import YAML
    def plain(value):
        if isinstance(value, dict): return {name(k): plain(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)): return [plain(v) for v in value]
        return value
    def name(key):
        return key if isinstance(key, str) else json.dumps(key)
    answers = []
    for text in json.load(sys.stdin):
        try: answers.append(json.dumps(plain(YAML(typ='safe', pure=True).load(text))))
        except Exception: answers.append(None)
    json.dump(answers, sys.stdout)
    """

  @Test(.enabled(if: Judges.has(module: "ruamel.yaml"), Judges.reason))
  func ruamelReadsTheSame() throws {
    var random = SeededRandom(seed: 7)
    var texts = (0..<600).map { _ in Self.block(&random, depth: 3, indent: 0) }
    texts += (0..<200).map { _ in Self.flow(&random, depth: 3) }
    texts += [
      "a: b: c", "a: 'x", "[1, 2", "a: 1\na: 2", "a: *x", "- a\nb: 1", "a:\n  - b\n c: 1", "@x", "{a: 1, a: 2}",
    ]
    let input = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    let answer = try Judges.run("python", ["-c", Self.script], input: input)
    #expect(answer.status == 0, "\(answer.errors)")
    let answers = try JSONDecoder().decode([String?].self, from: Data(answer.output.utf8))
    #expect(answers.count == texts.count)
    for (text, theirs) in zip(texts, answers) {
      let ours = try? YAMLDocument(parsing: text).json.root
      guard let theirs, let ours else {
        #expect(theirs == nil && ours == nil, "\(text)\nours: \(ours?.text ?? "-")\ntheirs: \(theirs ?? "-")")
        continue
      }
      let other = try JSONDocument(parsing: theirs)
      #expect(ours.means(other.root), "\(text)\nours: \(ours.text)\ntheirs: \(theirs)")
    }
  }

  /// Scalars that both readers interpret by the core schema. Dates are left out, because ruamel turns them into
  /// objects.
  private static let scalars = [
    "yes", "no", "off", "true", "False", "null", "~", "12", "-7", "0o17", "0x1F", "0.25", "-2.5", "word", "two words",
    "'quoted'", "'it''s'", "\"a\\tb\"", "\"\\u00e9\"", "é", "ж 😀", "a#b", "x:y", "12:30", "1.2.3", "'12'", "\"\"",
  ]

  private static func block(_ random: inout SeededRandom, depth: Int, indent: Int) -> String {
    let space = String(repeating: " ", count: indent)
    guard depth > 0, random.below(4) > 0 else {
      return random.below(4) == 0 ? flow(&random, depth: depth) + "\n" : random.pick(scalars) + "\n"
    }
    let count = random.below(4) + 1
    var text = indent > 0 ? "\n" : ""
    let isList = random.below(2) == 0
    for index in 0..<count {
      if random.below(6) == 0 { text += space + "# a note\n" }
      text += space + (isList ? "-" : random.pick(["k", "'q '", "é", "1"]) + "\(index):")
      if random.below(8) == 0 {
        text += " |\n\(space)  line\n\(space)   more\n"
      } else {
        text += " " + block(&random, depth: depth - 1, indent: indent + 2)
      }
    }
    return text
  }

  private static func flow(_ random: inout SeededRandom, depth: Int) -> String {
    guard depth > 0, random.below(3) > 0 else { return random.pick(scalars) }
    let count = random.below(4)
    if random.below(2) == 0 {
      return "[" + (0..<count).map { _ in flow(&random, depth: depth - 1) }.joined(separator: ", ") + "]"
    }
    return "{" + (0..<count).map { "k\($0): " + flow(&random, depth: depth - 1) }.joined(separator: ", ") + "}"
  }
}
