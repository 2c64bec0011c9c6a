import Foundation
import JSONText
import TestSupport
import Testing
import YAMLText

@testable import Markdown

@Suite struct YAMLScalarTests {
  /// Checks that `text` is the same, byte by byte, after it was written and read again.
  private func roundTrip(_ text: String) throws {
    let plain = YAMLScalar.text(text)
    let flow = YAMLScalar.text(text, inFlow: true)
    #expect(!plain.utf8.contains { $0 == 0x0A || $0 == 0x0D }, "\(plain)")
    let member = try YAMLDocument(parsing: "k: \(plain)\nz: 1\n").json.root["k"]
    #expect(member?.string.map { Array($0.utf8) } == Array(text.utf8), "\(plain)")
    let list = try YAMLDocument(parsing: "k: [\(flow), x, \(flow)]\n").json.root["k"]
    #expect(list?.elements.count == 3)
    for element in [list?[0], list?[2]] { #expect(element?.string.map { Array($0.utf8) } == Array(text.utf8)) }
    guard flow.utf8.count < 1000 else { return }
    let object = try YAMLDocument(parsing: "member: {\(flow): \(flow)}\n\(YAMLScalar.name(text)): 1\n").json.root
    #expect(object["member"]?.members.first.map { Array($0.name.utf8) } == Array(text.utf8), "\(flow)")
    #expect(object.members.last.map { Array($0.name.utf8) } == Array(text.utf8), "\(flow)")
  }

  @Test(arguments: [
    ("Leaving the berth", "Leaving the berth"), ("Выход из порта", "Выход из порта"),
    ("Man over board!", "Man over board!"),
    ("9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10", "9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10"),
    ("12345678-1234-1234-1234-123456789012", "12345678-1234-1234-1234-123456789012"),
    ("", "\"\""), ("yes", "\"yes\""), ("No", "\"No\""), ("y", "\"y\""), ("~", "\"~\""),
    ("2026-01-05", "\"2026-01-05\""),
    ("1:30", "\"1:30\""), ("007", "\"007\""), ("12", "\"12\""), (".5", "\".5\""), ("a: b", "\"a: b\""),
    ("a:b", "a:b"), ("a #b", "\"a #b\""), ("C#", "C#"), ("say \"hi\": now", "'say \"hi\": now'"),
    ("it's: \\", "'it''s: \\'"), ("a\nb", "\"a\\nb\""), ("- x", "\"- x\""), ("end ", "\"end \""), ("end:", "\"end:\""),
    ("\u{85}\u{2028}\u{FEFF}\u{FFFE}\u{1FFFF}", "\"\\x85\\u2028\\uFEFF\\uFFFE\\U0001FFFF\""), ("*a", "\"*a\""),
    ("nbsp\u{A0}", "\"nbsp\u{A0}\""), ("null", "\"null\""), ("nullable", "nullable"), ("=", "\"=\""), ("<<", "\"<<\""),
  ])
  func reads(_ text: String, _ yaml: String) throws {
    #expect(YAMLScalar.text(text) == yaml)
    try roundTrip(text)
  }

  @Test func everyTextComesBack() throws {
    var random = SeededRandom(seed: 21)
    for _ in 0..<3000 { try roundTrip(Self.anyText(&random)) }
    try roundTrip(String(repeating: "long text: # ", count: 20_000))
    try roundTrip(String(repeating: "plain", count: 20_000))
    for value in UInt32(0)...0x3100 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      try roundTrip(String(Character(scalar)))
      if value < 0x100 { try roundTrip("a" + String(Character(scalar)) + " b" + String(Character(scalar))) }
    }
  }

  /// Returns a random string of characters that cause trouble in YAML.
  private static func anyText(_ random: inout SeededRandom) -> String {
    let pieces = [
      "a", "B", "word", "é", "е\u{301}", "ж", "😀", " ", "  ", ":", ": ", " #", "#", "-", "- ", "?", "? ", ",", "[", "]",
      "{",
      "}", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`", "\\", "\n", "\r\n", "\t", "\u{0}", "\u{7}", "\u{1B}",
      "\u{7F}",
      "\u{85}", "\u{A0}", "\u{200B}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}", "---",
      "...",
      "1", "0x1F", "1e5", "true", "null", "~", "=", "<<", ".", "/", "(", "$", "^", ";",
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<random.below(9) { text.append(contentsOf: random.pick(pieces).unicodeScalars) }
    return String(text)
  }

  @Test func everyValueComesBack() throws {
    var random = SeededRandom(seed: 22)
    for _ in 0..<2000 {
      let json = try JSONDocument(parsing: random.json(depth: 4))
      try json.withNode(json.root.tokenIndex) { node in
        let yaml = YAMLScalar.value(node)
        #expect(!yaml.contains("\n"))
        let back = try YAMLDocument(parsing: "k: \(yaml)\n").json
        let value = try #require(back.root["k"])
        back.withNode(value.tokenIndex) { #expect($0.means(node), "\(yaml)") }
      }
    }
    let name = String(repeating: "n", count: 5000)
    let json = try JSONDocument(parsing: "{\"\(name)\":[1,-0,1E5,0.10],\"b\":{}}")
    let yaml = json.withNode(json.root.tokenIndex) { YAMLScalar.value($0) }
    #expect(try YAMLDocument(parsing: "k: \(yaml)").json.root["k"]?.text == json.root.text)
  }

  /// A script that reads a JSON array of YAML texts and prints the member `k` of each, by YAML 1.2 and by YAML 1.1.
  private static let script = """
    import json, sys
    from ruamel.yaml import YAML
    answers = []
    for text in json.load(sys.stdin):
        row = []
        for version in ((1, 2), (1, 1)):
            yaml = YAML(typ='safe', pure=True)
            yaml.version = version
            try:
                value = yaml.load(text)['k']
                row.append(value if isinstance(value, str) else 'NO TEXT: ' + repr(value))
            except Exception as problem:
                row.append('FAILED: ' + str(problem))
        answers.append(row)
    json.dump(answers, sys.stdout)
    """

  @Test(.enabled(if: Judges.has(module: "ruamel.yaml"), Judges.reason))
  func anotherReaderOfBothVersionsAgrees() throws {
    var random = SeededRandom(seed: 23)
    var texts = (0..<400).map { _ in Self.anyText(&random) }
    texts += [
      "yes", "No", "ON", "off", "y", "N", "true", "Null", "~", "", "12", "1_000", "0b11", "0o17", "017", "0x1F", "1:30",
      "190:20:30", "1.5", "1e5", ".inf", "-.INF", ".NaN", "2026-01-05", "2026-1-5 10:00:00", "=", "<<", "1e345678",
      "12345678-1234-1234-1234-123456789012", "1e345678-1234-1234-1234-123456789012", "0.1", "+1", "November 16",
    ]
    let yamls = texts.map { "k: \(YAMLScalar.text($0))\nz: 1\n" }
    let input = String(decoding: try JSONEncoder().encode(yamls), as: UTF8.self)
    let answer = try Judges.run("python", ["-c", Self.script], input: input)
    #expect(answer.status == 0, "\(answer.errors)")
    let answers = try JSONDecoder().decode([[String]].self, from: Data(answer.output.utf8))
    #expect(answers.count == texts.count)
    for (text, theirs) in zip(texts, answers) {
      for their in theirs { #expect(Array(their.utf8) == Array(text.utf8), "\(YAMLScalar.text(text))") }
    }
  }
}
