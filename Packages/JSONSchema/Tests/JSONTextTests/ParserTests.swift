import Foundation
import JSONText
import TestTools
import Testing

@Suite struct ParserTests {
  @Test(arguments: [
    ("", "1:1"), ("  ", "1:1"), ("[1,]", "1:4"), ("{\"a\":1,}", "1:8"), ("[1 2]", "1:4"), ("{\"a\" 1}", "1:6"),
    ("[\n 1,\n tru\n]", "3:5"), ("\"a", "1:3"), ("[1", "1:3"), ("01", "1:1"), ("-", "1:2"), ("1.", "1:3"),
    ("1e", "1:3"),
    ("\"\\x\"", "1:2"), ("\"\u{1}\"", "1:2"), ("\"\\ud800\"", "1:2"), ("\"\\ud800\\u0041\"", "1:2"), ("nul", "1:4"),
    ("[1] x", "1:5"), ("{\"ж\":[\"щ\", ]}", "1:12"), ("\u{FEFF}", "1:1"), ("{\"a\":\"\n\"}", "1:7"), ("'a'", "1:1"),
    ("{a:1}", "1:2"), ("[,1]", "1:2"), ("+1", "1:1"), (".5", "1:1"), ("\"\\u12g4\"", "1:2"),
    ("[\"a\",\n\"\tb\"]", "2:2"),
  ])
  func refusesWithPlace(_ text: String, _ place: String) {
    do {
      _ = try JSONDocument(parsing: text)
      Issue.record("\(text) was taken")
    } catch {
      let position = error.position(in: text.utf8.span)
      #expect("\(position.line):\(position.column)" == place, "\(text): \(error.message)")
    }
  }

  @Test(arguments: [
    "\"\u{80}\"", "[\"é\u{1F600}\"]", " { \"a\" : [ 1 , -0.5e+10 , true , false , null ] } ", "\u{FEFF}{}",
    "\"\\ud83d\\ude00\"", "1e400", "123456789012345678901234567890", "\"\\u0000\"", "[]", "{}", "\"\"", "0", "-0",
  ])
  func takes(_ text: String) throws { _ = try JSONDocument(parsing: text) }

  @Test(arguments: [
    [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
    [0x22, 0xE2, 0x82, 0x22],
    [0x22, 0x80, 0x22], [0x22, 0xFF, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22],
  ])
  func refusesBrokenUTF8(_ bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONDocument(parsing: bytes) }
  }

  @Test func depthIsLimited() throws {
    _ = try JSONDocument(parsing: String(repeating: "[", count: 512) + String(repeating: "]", count: 512))
    let deep = String(repeating: "[", count: 513) + String(repeating: "]", count: 513)
    #expect(throws: JSONError(.tooDeep(limit: 512), at: 512)) { try JSONDocument(parsing: deep) }
    #expect(throws: JSONError.self) { try JSONDocument(parsing: String(repeating: "{\"a\":", count: 100_000)) }
  }

  @Test func pointersEscapeTwoCharacters() {
    let names = ["", "a", "a/b", "m~n", "~1", "/", "~\u{301}", "é/", "/\u{200D}"]
    let written = ["", "a", "a~1b", "m~0n", "~01", "~1", "~0\u{301}", "é~1", "~1\u{200D}"]
    for (name, text) in zip(names, written) {
      let pointer = JSONPointer([.element(3), .member(name)])
      #expect(Array(pointer.description.utf8) == Array("/3/\(text)".utf8))
    }
    #expect(JSONPointer().description == "")
  }

  @Test func everyValueKnowsItsPlace() throws {
    let document = try JSONDocument(parsing: "{\n  \"a\": [10, \"две\"],\n  \"b\": {\"c\": true}\n}")
    let two = try #require(document.root.at(JSONPointer([.member("a"), .element(1)])))
    #expect(two.string == "две" && two.position == TextPosition(line: 2, column: 13))
    let pointer = try #require(JSONPointer("/b/c"))
    let flag = try #require(document.root.at(pointer))
    #expect(flag.bool == true && flag.position == TextPosition(line: 3, column: 14) && flag.span.count == 4)
  }

  @Test func numbersStayAsWritten() throws {
    let values = try JSONDocument(parsing: "[1.50, 1e2, 7.0, -0, 12345678901234567890]").root.elements
    #expect(values.map(\.text) == ["1.50", "1e2", "7.0", "-0", "12345678901234567890"])
    #expect(values[2].integer == 7 && values[1].integer == 100 && values[0].integer == nil && values[4].integer == nil)
    let other = try JSONDocument(parsing: "[15e-1, 100, 7, 0, 12345678901234567891]").root.elements
    #expect(zip(values, other).map { $0.means($1) } == [true, true, true, true, false])
  }

  @Test func duplicatesAreFoundAfterUnescaping() throws {
    let twice = try JSONDocument(parsing: "{\"a\":1,\"b\":{\"x\":1,\"\\u0078\":2}}").root.duplicateName
    #expect(twice?.position == TextPosition(line: 1, column: 19))
    let many = "{" + (0..<40).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(try JSONDocument(parsing: many + "}").root.duplicateName == nil)
    #expect(try JSONDocument(parsing: many + ",\"k7\":1}").root.duplicateName != nil)
  }

  /// Foundation is the judge: a text that both parsers accept has the same meaning, and Foundation can read our output.
  @Test func agreesWithFoundationOnRandomTexts() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<3000 {
      let text = random.json(depth: 4)
      let document = try JSONDocument(parsing: text)
      var out = ByteBuffer()
      Self.write(document.root, into: &out)
      let written = String(decoding: out.bytes, as: UTF8.self)
      #expect(ForeignJSON.same(text, written), "\(text) → \(written)")
      #expect(document.root.means(try JSONDocument(parsing: written).root))
    }
  }

  /// When any byte is changed, removed or added, parsing does not crash, and the reported error is inside the text.
  @Test func mutationsNeverTrap() throws {
    var random = SeededRandom(seed: 11)
    let seed = Array("{\"a\":[1,-2.5e3,\"x\\n\\u00e9é\",{\"b\":null,\"c\":true}],\"d\":\"\"}".utf8)
    for _ in 0..<20_000 {
      var bytes = seed
      for _ in 0...random.below(3) {
        let at = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[at] = UInt8(random.below(256))
        case 1: bytes.remove(at: at)
        default: bytes.insert(UInt8(random.below(256)), at: at)
        }
      }
      do { _ = try JSONDocument(parsing: bytes) } catch { #expect(error.offset >= 0 && error.offset <= bytes.count) }
      _ = JSONRepair.repair(bytes.span).map { result in
        #expect(throws: Never.self) { try JSONDocument(parsing: result.text) }
      }
    }
  }

  private static func write(_ value: JSONValue, into out: inout ByteBuffer) {
    switch value.kind {
    case .string: out.appendJSONString(value.string ?? "")
    case .array:
      out.append("[")
      for (index, element) in value.elements.enumerated() {
        if index > 0 { out.append(",") }
        write(element, into: &out)
      }
      out.append("]")
    case .object:
      out.append("{")
      for (index, member) in value.members.enumerated() {
        if index > 0 { out.append(",") }
        out.appendJSONString(member.name)
        out.append(":")
        write(member.value, into: &out)
      }
      out.append("}")
    default: out.append(utf8: value.text)
    }
  }

  /// One character may consist of one code point or two. In JSON these are two different strings.
  @Test func textsAreComparedByCodePoints() throws {
    let document = try JSONDocument(parsing: #"{"\u00e4": 1, "a\u0308": 2, "ä": 3}"#)
    #expect(document.root["a\u{308}"]?.integer == 2)
    #expect(document.root["\u{e4}"]?.integer == 3)
    #expect(document.root.duplicateName?.text == "\"ä\"")
    let many = (0..<20).map { "\"m\($0)\": 0" }.joined(separator: ", ")
    #expect(try JSONDocument(parsing: #"{"\u00e4": 1, "a\u0308": 2, \#(many)}"#).root.duplicateName == nil)
    #expect(try !JSONDocument(parsing: #"["\u00e4"]"#).root.means(JSONDocument(parsing: #"["a\u0308"]"#).root))
  }
}
