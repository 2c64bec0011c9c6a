import JSONSchema
import JSONText
import TestTools
import Testing

/// The messages and the places of violations.
@Suite struct SchemaReportTests {
  @Test func aTypeIsNamedWithItsPlace() throws {
    let text = #"{"title": "Night watch", "duration": "5 min"}"#
    let violation = try Checked(#"{"properties": {"duration": {"type": "integer"}}}"#).violation(text)
    #expect(violation.keyword == "type")
    #expect(violation.message.quoted == ["duration"])
    #expect(violation.found == "string")
    #expect(violation.fix?.numbers == [5])
    #expect(violation.pointer.description == "/duration")
    #expect(violation.text(in: text) == #""5 min""#)
    #expect(violation.schemaLocation == "https://example.org/s.json#/properties/duration/type")
    #expect(violation.otherAlternatives == 0)
  }

  @Test(arguments: [
    (#""15""#, "15"), (#""-3""#, "-3"), (#""2.0""#, "2.0"), (#""\u0031""#, "1"), (#""5 min""#, nil), (#"" 5""#, nil),
    (#""1.5""#, nil), (#""007""#, nil), (#""61""#, nil), (#""true""#, nil), (#""""#, nil), ("[15]", nil),
  ])
  func aNumberInQuotesHasAReplacement(_ text: String, _ replacement: String?) throws {
    let schema = try Checked(#"{"properties": {"duration": {"type": ["integer", "null"], "maximum": 60}}}"#)
    let violation = try schema.violation(#"{"duration": \#(text)}"#)
    #expect(violation.keyword == "type" && violation.replacement == replacement)
  }

  /// Names of every length up to ten, some of which differ only in their last byte.
  @Test func namesOfEveryLengthAreFound() throws {
    let names = (0...10).flatMap { length in
      ["x", "y"].map { String("abcdefghij".prefix(max(0, length - 1))) + (length == 0 ? "" : $0) }
    }
    for start in stride(from: 0, to: names.count, by: 4) {
      let own = Set(names[start..<min(start + 4, names.count)])
      let members = own.map { "\"\($0)\": {\"const\": \"\($0)\"}" }.joined(separator: ",")
      let schema = try Checked("{\"properties\": {\(members)}, \"additionalProperties\": false}")
      for name in names {
        let isValid = try schema.violations("{\"\(name)\": \"\(name)\"}").isEmpty
        #expect(isValid == own.contains(name), "\(name)")
      }
    }
  }

  @Test func examplesSayWhatIsWanted() throws {
    let date = try Checked(
      #"{"properties": {"at": {"type": "string", "pattern": "^[0-9T:Z-]+$", "examples": [7, "09:30"]}}}"#)
    let form = try date.violation(#"{"at": "noon"}"#)
    #expect(form.keyword == "pattern" && form.message.quoted == ["at"] && form.message.contains("09:30"))
    #expect(form.fix?.contains("09:30") == true)
    let type = try date.violation(#"{"at": []}"#)
    #expect(type.keyword == "type" && type.message.quoted == ["at"] && type.fix?.quoted == ["09:30"])
    #expect(try date.violation(#"{"at": 5}"#).fix?.quoted == ["5"])
  }

  @Test func longPatternsAreCut() throws {
    let message = try Checked("{\"pattern\": \"^\(String(repeating: "a", count: 200))$\"}").violation(#""b""#).message
    #expect(message.hasSuffix("aaa…") && message.count < 100)
  }

  private static let keywords: [(schema: String, text: String, keyword: String)] = [
    (#"{"const": "a"}"#, #""b""#, "const"),
    (#"{"enum": [1, 2, null]}"#, "3", "enum"),
    (#"{"minimum": 1.5}"#, "1", "minimum"),
    (#"{"exclusiveMaximum": 2}"#, "2", "exclusiveMaximum"),
    (#"{"multipleOf": 0.25}"#, "0.3", "multipleOf"),
    (#"{"minLength": 1}"#, #""""#, "minLength"),
    (#"{"maxLength": 2}"#, #""abc""#, "maxLength"),
    (#"{"pattern": "^a"}"#, #""b""#, "pattern"),
    (#"{"minItems": 2}"#, "[1]", "minItems"),
    (#"{"maxItems": 0}"#, "[1]", "maxItems"),
    (#"{"uniqueItems": true}"#, "[1, 2, 1.0]", "uniqueItems"),
    (#"{"contains": {"const": 1}}"#, "[2]", "contains"),
    (#"{"contains": true, "maxContains": 1}"#, "[2, 3]", "maxContains"),
    (#"{"prefixItems": [true], "items": false}"#, "[1, 2]", "items"),
    (#"{"minProperties": 1}"#, "{}", "minProperties"),
    (#"{"required": ["a"]}"#, "{}", "required"),
    (#"{"propertyNames": {"maxLength": 1}}"#, #"{"ab": 1}"#, "maxLength"),
    (#"{"dependentRequired": {"a": ["b"]}}"#, #"{"a": 1}"#, "dependentRequired"),
    (#"{"not": {"required": ["a"]}}"#, #"{"a": 1}"#, "not"),
    (#"{"unevaluatedItems": false, "prefixItems": [true]}"#, "[1, 2]", "unevaluatedItems"),
    (#"{"oneOf": [{"type": "string"}, {"type": "null"}]}"#, "1", "oneOf"),
    (#"{"oneOf": [true, true, false]}"#, "1", "oneOf"),
    (#"{"if": true, "then": {"minimum": 2}}"#, "1", "minimum"),
    (#"{"allOf": [{"type": "null"}]}"#, "1", "type"),
  ]

  @Test func everyKeywordIsReported() throws {
    for one in Self.keywords {
      #expect(try Checked(one.schema).violation(one.text).keyword == one.keyword, "\(one.schema)")
    }
    let format = try Checked(#"{"format": "date"}"#, options: SchemaOptions(assertsFormat: true))
    let violation = try format.violation(#""2026-13-01""#)
    #expect(violation.keyword == "format" && violation.message.contains(/[0-9]{4}-[0-9]{2}-[0-9]{2}/))
  }

  /// Compares the messages for every keyword with `Tests/Golden`.
  @Test func goldenWordsOfEveryKeyword() throws {
    var text = ""
    for one in Self.keywords {
      let violation = try Checked(one.schema).violation(one.text)
      text += "\(one.schema)\n  \(one.text)\n  \(violation.message) [\(violation.found)]\n"
      if let fix = violation.fix { text += "  fix: \(fix)\n" }
    }
    try Golden.compare(text, with: "schema-violations.txt")
  }

  @Test func elementsAreNamedByTheirPlace() throws {
    let schema = try Checked(
      ##"""
      {"$defs": {"item": {"$id": "item.json", "type": "object", "required": ["title"], "properties": {
        "title": {"type": "string"}, "tags": {"items": {"type": "string"}}}}},
       "properties": {"items": {"items": {"$ref": "item.json"}}}}
      """##)
    let text = #"{"items": [{"title": "a"}, {"tags": ["x", 2]}]}"#
    let violations = try schema.violations(text)
    #expect(violations.map(\.message.quoted) == [["title", "items"], ["tags"]])
    #expect(violations.map(\.message.numbers) == [[2], [2]])
    #expect(violations.map(\.pointer.description) == ["/items/1", "/items/1/tags/1"])
    #expect(violations.map { $0.text(in: text) } == [#"{"tags": ["x", 2]}"#, "2"])
    #expect(
      violations.map(\.schemaLocation) == [
        "https://example.org/item.json#/required", "https://example.org/item.json#/properties/tags/items/type",
      ])
  }

  @Test(arguments: ["additionalProperties", "unevaluatedProperties"])
  func unknownMembersPointAtTheirName(_ keyword: String) throws {
    let schema = try Checked(#"{"properties": {"title": {}, "content_type": {}, "id": {}}, "\#(keyword)": false}"#)
    let text = #"{"id": 1, "tilte": "x", "contentType": 2, "unrelated": 3}"#
    let violations = try schema.violations(text)
    #expect(violations.map { $0.text(in: text) } == [#""tilte""#, #""contentType""#, #""unrelated""#])
    #expect(violations.map { $0.fix?.quoted } == [["title"], ["content_type"], []])
    #expect(violations.allSatisfy { $0.keyword == keyword && $0.found == "unknown" })
    #expect(violations.first?.message.quoted == ["tilte"])
    #expect(violations.first?.pointer.description == "/tilte")
    #expect(violations.first?.schemaLocation == "https://example.org/s.json#/\(keyword)")
  }

  @Test func aMisspeltRequiredMemberIsRenamed() throws {
    let schema = try Checked(#"{"properties": {"title": {}}, "required": ["title"], "additionalProperties": false}"#)
    let violations = try schema.violations(#"{"titel": 1}"#)
    #expect(violations.first { $0.keyword == "required" }?.fix?.quoted == ["titel", "title"])
    let open = try Checked(#"{"required": ["title"], "type": ["object", "boolean", "null"]}"#)
    #expect(try open.violation(#"{"Title_": 1}"#).fix?.quoted == ["Title_", "title"])
    #expect(try open.violation("1").keyword == "type")
  }

  @Test func enumsSuggestTheNearestValue() throws {
    let schema = try Checked(#"{"enum": ["checklist", "practice_guide", "flashcard_deck"]}"#)
    #expect(try schema.violation(#""practiceGuide""#).fix?.quoted == ["practice_guide"])
    #expect(try schema.violation(#""xyz""#).fix?.quoted == ["checklist", "practice_guide", "flashcard_deck"])
  }

  static let union = #"""
    {"oneOf": [
      {"properties": {"kind": {"const": "checklist"}, "items": {"type": "array"}}, "required": ["kind", "items"]},
      {"properties": {"kind": {"const": "deck"}, "cards": {"items": {"properties": {"front": {"type": "string"}}}}}, "required": ["kind", "cards"]},
      {"properties": {"kind": {"const": "guide"}, "text": {"type": "string"}}, "required": ["kind", "text"]},
      {"type": "string"}, {"type": "null"}]}
    """#

  @Test func theAlternativeThatWasMeantIsReported() throws {
    let schema = try Checked(Self.union)
    let text = #"{"kind": "deck", "cards": [{"front": 1}]}"#
    let violation = try schema.violation(text)
    #expect(violation.keyword == "type" && violation.message.quoted == ["front"])
    #expect(violation.otherAlternatives == 4)
    #expect(violation.schemaLocation.hasSuffix("#/oneOf/1/properties/cards/items/properties/front/type"))
    let missing = try schema.violation(#"{"kind": "guide"}"#)
    #expect(missing.keyword == "required" && missing.message.quoted == ["text"])
  }

  @Test func anUnknownDiscriminatorListsAll() throws {
    let violation = try Checked(Self.union).violation(#"{"kind": "chekclist", "items": []}"#)
    #expect(violation.message.quoted == ["kind", "checklist", "deck", "guide"])
    #expect(violation.fix?.quoted == ["checklist"])
    #expect(violation.pointer.description == "/kind")
    #expect(violation.keyword == "oneOf")
  }

  @Test func oneMistakeIsNotReportedAsUnevaluatedMembers() throws {
    let schema = try Checked(
      ##"""
      {"$ref": "#/$defs/base", "unevaluatedProperties": false,
       "$defs": {"base": {"properties": {"a": {"type": "string"}, "b": {}}}}}
      """##)
    #expect(try schema.violation(#"{"a": 1, "b": 2}"#).message.quoted == ["a"])
    let violations = try schema.violations(#"{"a": 1, "c": 2}"#)
    #expect(violations.map(\.keyword) == ["type", "unevaluatedProperties"])
  }

  @Test func theSameRuleOnTwoWaysIsReportedOnce() throws {
    let schema = try Checked(
      ##"{"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "null"}}}"##)
    #expect(try schema.violations("1").count == 1)
  }

  @Test func theLimitIsKept() throws {
    let many = "[" + Array(repeating: "1", count: 500).joined(separator: ",") + "]"
    let schema = try Checked(#"{"items": {"type": "string"}}"#)
    #expect(try schema.violations(many, limit: 7).count == 7)
    #expect(try schema.violations(many).count == 500)
  }

  @Test func spansCountFromTheStartOfTheText() throws {
    // The text contains several values, and a run validates one of them.
    let text = Array(#"{"a": 1} {"a": "é"} {"a": true}"#.utf8)
    var tape = JSONTape()
    var run = SchemaRun(try Checked(#"{"properties": {"a": {"type": "integer"}}}"#).schema)
    try text.withUnsafeBufferPointer { bytes in
      let base = try #require(bytes.baseAddress)
      let root = try tape.parse(bytes.span, in: 9..<20).root
      let violations = run.violations(JSONNode(text: base, tokens: tape.tokens, index: root))
      #expect(violations.map { $0.span } == [15..<19])
      #expect(violations.map(\.pointer.description) == ["/a"])
    }
  }

  @Test func nestedAlternativesAreFollowedToTheMistake() throws {
    // Three kinds of nodes with children. A mistake 40 levels down is compared with the alternatives at every level.
    let kinds = ["a", "b", "c"].map {
      ##"{"properties": {"kind": {"const": "\##($0)"}, "next": {"$ref": "#/$defs/node"}, "leaf": {"type": "integer"}}}"##
    }
    let schema = try Checked(
      ##"{"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [\##(kinds.joined(separator: ","))]}}}"##)
    let text =
      String(repeating: #"{"kind": "b", "next": "#, count: 40) + #"{"kind": "b", "leaf": "x"}"#
      + String(repeating: "}", count: 40)
    let violations = try schema.violations(text)
    #expect(violations.map(\.message.quoted) == [["leaf"]])
    #expect(violations.first?.pointer.steps.count == 41)
    let single = try Checked(
      ##"{"allOf": [{"anyOf": [{"properties": {"next": {"$ref": "#"}, "leaf": {"type": "integer"}}}]}]}"##)
    #expect(try single.violation(text).otherAlternatives == 0)
  }

  /// A truncated list of violations is marked as truncated; a complete list is not.
  @Test func aLimitIsSaid() throws {
    let schema = try Checked(#"{"items": {"type": "string"}}"#)
    let text = "[" + (0..<9).map(String.init).joined(separator: ",") + "]"
    #expect(try schema.violations(text).count == 9)
    let cut = try schema.violations(text, limit: 4)
    #expect(cut.map(\.pointer.description) == ["/0", "/1", "/2", "/3"])
    #expect(cut[2].message.numbers == [3] && cut[2].keyword == "type")
    // The last violation names the limit instead of its own place.
    #expect(cut[3].message.numbers == [4] && cut[3].message != cut[2].message.replacing("3", with: "4"))
    #expect(try schema.violations(text, limit: 9).last?.message.numbers == [9])
  }
}
