import JSONText
import TestTools
import Testing

/// The advice for a text that is not JSON.
@Suite struct AdviceTests {
  private static func advice(_ bytes: [UInt8], isLine: Bool = false) -> String? {
    do {
      _ = try JSONDocument(parsing: bytes)
      return "it is JSON"
    } catch {
      return error.advice(in: bytes.span, isLine: isLine)
    }
  }

  private static let mistakes: [(text: String, places: [String])] = [
    ("[1,\n 2, ]", ["2:3"]),
    ("{\"a\": 1,\n}", ["1:8"]),
    ("{\"a\":\n \"b\n}", ["2:2"]),
    ("[\"a\tb\"]", []),
    ("[\"a\u{1}\"]", []),
    ("{“a”: 1}", []),
    ("[«a»]", []),
    ("{'a': 1}", []),
    ("[1, // one\n2]", []),
    ("[1 /* one */]", []),
    ("[1] # one", []),
    ("[True]", []),
    ("[False]", []),
    ("{\"a\": None}", []),
    ("[yes]", []),
    ("[NaN]", []),
    ("[-Infinity]", []),
    ("[nul]", []),
    ("{a: 1}", []),
    ("{\"a\": 1}\n{\"a\": 2}", []),
    ("[1]]", []),
    ("{\"a\": 1\n \"b\": 2}", ["1:8"]),
    ("[{\"a\": 1} {\"b\": 2}]", ["1:10"]),
    ("[\"the \"best\" boat\"]", []),
    ("{\"a\" = 1}", []),
    ("{\"a\": }", []),
    ("{\"a\": [1}", ["1:7"]),
    ("{\"a\": [1,\n{\"b\": 2", ["2:1", "1:7", "1:1"]),
    ("[1", ["1:1"]),
    ("{\"a\": \"b", ["1:7"]),
    ("[01]", []),
    ("[.5]", []),
    ("[\"C:\\Boats\"]", []),
    ("[1,,2]", []),
  ]

  @Test(arguments: mistakes.indices) func namesThePlaces(_ index: Int) throws {
    let mistake = Self.mistakes[index]
    let advice = try #require(Self.advice(Array(mistake.text.utf8)))
    #expect(advice.matches(of: /[0-9]+:[0-9]+/).map { String($0.output) } == mistake.places, "\(advice)")
  }

  /// Compares the advice for every mistake with `Tests/Golden`.
  @Test func goldenAdvice() throws {
    let lines = Self.mistakes.map { "\($0.text)\n  \(Self.advice(Array($0.text.utf8)) ?? "-")\n" }
    try Golden.compare(lines.joined(), with: "json-advice.txt")
  }

  @Test func namesTheEncoding() {
    let text = Array("{\"a\": 1}".utf16)
    let little = text.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = text.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for bytes in [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big] {
      #expect(Self.advice(bytes)?.contains("UTF-16") == true)
    }
    #expect(Self.advice([0x22, 0xE9, 0x22])?.contains("UTF-8") == true)
  }

  @Test(arguments: [
    [], Array("  \n\n".utf8), [UInt8](repeating: 0, count: 64), [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0],
  ])
  func aFileWithoutTextIsRestored(_ bytes: [UInt8]) {
    #expect(Self.advice(bytes)?.contains("backup") == true)
  }

  @Test(arguments: ["Hello\tyou", "{\u{1}}", "[\"\u{0}\"]", "\tnothing"])
  func otherTextIsCorrected(_ text: String) { #expect(Self.advice(Array(text.utf8))?.contains("backup") != true) }

  @Test func aLineIsARecord() {
    #expect(Self.advice(Array("{}{}".utf8), isLine: true) != Self.advice(Array("{}{}".utf8)))
    #expect(Self.advice(Array("{".utf8), isLine: true) != Self.advice(Array("{".utf8)))
  }

  @Test func placesCountFromTheOrigin() throws {
    let bytes = Array("[]\n  [1,]".utf8)
    let error = JSONError(.unexpectedByte(UInt8(ascii: "]"), expected: "a value"), at: 8)
    let advice = error.advice(in: bytes.span, 5..<9, from: TextPosition(line: 7, column: 3))
    #expect(advice?.contains("(7:5)") == true)
  }

  /// Advice about any position in any text never reads outside the text.
  @Test func anyErrorAnywhere() {
    var random = SeededRandom(seed: 11)
    let alphabet = Array("{}[]\",:'/*#\\ \n\ttfn01-+.eENI“«".utf8) + [0, 0xE2, 0xFF]
    for _ in 0..<4000 {
      let count = random.below(25)
      let bytes = (0..<count).map { _ in random.pick(alphabet) }
      let answer = Self.advice(bytes)
      #expect(answer?.isEmpty != true)
    }
  }
}
