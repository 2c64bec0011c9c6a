import JSONText
import TestSupport
import Testing

/// What people are told to do about a text that is not JSON.
@Suite struct AdviceTests {
  private static func advice(_ bytes: [UInt8], isLine: Bool = false) -> String? {
    do {
      _ = try JSONDocument(parsing: bytes)
      return "it is JSON"
    } catch {
      return bytes.withUnsafeBufferPointer { error.advice(in: $0, isLine: isLine) }
    }
  }

  @Test(arguments: [
    ("[1,\n 2, ]", "delete the comma before it (2:3)"),
    ("{\"a\": 1,\n}", "delete the comma before it (1:8)"),
    ("{\"a\":\n \"b\n}", "the string that begins at 2:2 is not closed; add a quote, or write the line end as \\n"),
    ("[\"a\tb\"]", "write \\t for a tab"),
    ("[\"a\u{1}\"]", "delete it, or write it as \\u0001"),
    ("{“a”: 1}", "write \" instead of “"),
    ("[«a»]", "write \" instead of «"),
    ("{'a': 1}", "write \" instead of '"),
    ("[1, // one\n2]", "JSON has no comments; delete it"),
    ("[1 /* one */]", "JSON has no comments; delete it"),
    ("[1] # one", "JSON has no comments; delete it"),
    ("[True]", "write true"), ("[False]", "write false"), ("{\"a\": None}", "write null"), ("[yes]", "write true"),
    ("[NaN]", "JSON has no NaN; write null, or a number"),
    ("[-Infinity]", "JSON has no Infinity; write null, or a number"),
    ("[nul]", "write it in quotes: \"nul\""), ("{a: 1}", "write the name in quotes: \"a\""),
    ("{\"a\": 1}\n{\"a\": 2}", "a file with one record a line is .jsonl: name it so, or put the values into [ and ]"),
    ("[1]]", "delete it; no bracket is open here"),
    ("{\"a\": 1\n \"b\": 2}", "add a comma before it (1:8)"),
    ("[{\"a\": 1} {\"b\": 2}]", "add a comma before it (1:10)"),
    ("[\"the \"best\" boat\"]", "write \\\" for a quotation mark inside a string, or add a comma before it"),
    ("{\"a\" = 1}", "write : instead of ="), ("{\"a\": }", "write a value before it, null if there is none"),
    ("{\"a\": [1}", "the [ at 1:7 is not closed: add ] before it"),
    ("{\"a\": [1,\n{\"b\": 2", "the { at 2:1, the [ at 1:7 and the { at 1:1 are not closed: add }]}"),
    ("[1", "the [ at 1:1 is not closed: add ]"),
    ("{\"a\": \"b", "the string that begins at 1:7 is not closed; add a quote"),
    ("[01]", "write the number without zeros in front, or in quotes"), ("[.5]", "write a digit before the point"),
    ("[\"C:\\Boats\"]", "write \\\\ for a backslash"), ("[1,,2]", "delete the comma, or write a value before it"),
  ])
  func saysWhatToDo(_ text: String, _ advice: String) { #expect(Self.advice(Array(text.utf8)) == advice) }

  @Test func namesTheEncoding() {
    let text = Array("{\"a\": 1}".utf16)
    let little = text.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = text.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for bytes in [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big] {
      #expect(Self.advice(bytes) == "the file is UTF-16; save it as UTF-8")
    }
    #expect(Self.advice([0x22, 0xE9, 0x22]) == "save the file as UTF-8")
  }

  @Test func aLineIsARecord() {
    #expect(Self.advice(Array("{}{}".utf8), isLine: true) == "put each record on a line of its own")
    #expect(Self.advice(Array("{".utf8), isLine: true)?.hasSuffix("each record stands on one line") == true)
  }

  @Test func placesCountFromTheOrigin() throws {
    let bytes = Array("[]\n  [1,]".utf8)
    let error = JSONError(.unexpectedByte(UInt8(ascii: "]"), expected: "a value"), at: 8)
    let advice = bytes.withUnsafeBufferPointer {
      error.advice(in: $0, 5..<9, from: TextPosition(line: 7, column: 3))
    }
    #expect(advice?.contains("(7:5)") == true)
  }

  /// Advice about any text, at any place in it, reads nothing outside of it.
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
