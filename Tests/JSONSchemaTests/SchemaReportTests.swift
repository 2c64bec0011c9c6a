import JSONSchema
import JSONText
import TestSupport
import Testing

/// What violations say, and where they point.
@Suite struct SchemaReportTests {
  @Test func aTypeIsNamedWithItsPlace() throws {
    let text = #"{"title": "Night watch", "duration": "5 min"}"#
    let violation = try Checked(#"{"properties": {"duration": {"type": "integer"}}}"#).violation(text)
    #expect(violation.keyword == "type")
    #expect(violation.message == "'duration' must be a whole number")
    #expect(violation.found == "string")
    #expect(violation.fix == "write 5")
    #expect(violation.pointer.description == "/duration")
    #expect(violation.text(in: text) == #""5 min""#)
    #expect(violation.schemaLocation == "https://example.org/s.json#/properties/duration/type")
    #expect(violation.otherAlternatives == 0)
  }

  @Test func examplesSayWhatIsWanted() throws {
    let date = try Checked(
      #"{"properties": {"at": {"type": "string", "pattern": "^[0-9T:Z-]+$", "examples": [7, "09:30"]}}}"#)
    let form = try date.violation(#"{"at": "noon"}"#)
    #expect(form.keyword == "pattern" && form.message == "'at' does not have the form of 09:30")
    #expect(form.fix == "write it as 09:30")
    let type = try date.violation(#"{"at": []}"#)
    #expect(type.message == "'at' must be a string" && type.fix == #"write a string, for example "09:30""#)
    #expect(try date.violation(#"{"at": 5}"#).fix == #"write "5""#)
  }

  @Test func longPatternsAreCut() throws {
    let message = try Checked("{\"pattern\": \"^\(String(repeating: "a", count: 200))$\"}").violation(#""b""#).message
    #expect(message.hasSuffix("aaa…") && message.count < 100)
  }

  @Test func everyKeywordHasItsWords() throws {
    let cases: [(schema: String, text: String, keyword: String, message: String, found: String)] = [
      (#"{"const": "a"}"#, #""b""#, "const", #"the value must be "a""#, #""b""#),
      (#"{"enum": [1, 2, null]}"#, "3", "enum", "the value must be one of 1, 2, null", "not one of 3 values"),
      (#"{"minimum": 1.5}"#, "1", "minimum", "the value must be at least 1.5", "1"),
      (#"{"exclusiveMaximum": 2}"#, "2", "exclusiveMaximum", "the value must be less than 2", "2"),
      (#"{"multipleOf": 0.25}"#, "0.3", "multipleOf", "the value must be a multiple of 0.25", "0.3"),
      (#"{"minLength": 1}"#, #""""#, "minLength", "the value must not be empty", "empty"),
      (#"{"maxLength": 2}"#, #""abc""#, "maxLength", "the value must have at most 2 characters", "3 characters"),
      (#"{"pattern": "^a"}"#, #""b""#, "pattern", "the value must match the pattern ^a", #""b""#),
      (#"{"minItems": 2}"#, "[1]", "minItems", "the value must have at least 2 items", "1 item"),
      (#"{"maxItems": 0}"#, "[1]", "maxItems", "the value must have at most 0 items", "1 item"),
      (
        #"{"uniqueItems": true}"#, "[1, 2, 1.0]", "uniqueItems", "items 1 and 3 of the value are the same",
        "the same again"
      ),
      (
        #"{"contains": {"const": 1}}"#, "[2]", "contains", "the value must contain at least 1 matching item",
        "0 matching items"
      ),
      (
        #"{"contains": true, "maxContains": 1}"#, "[2, 3]", "maxContains",
        "the value must contain at most 1 matching item", "2 matching items"
      ),
      (
        #"{"prefixItems": [true], "items": false}"#, "[1, 2]", "items", "the value must have at most 1 item",
        "not allowed"
      ),
      (#"{"minProperties": 1}"#, "{}", "minProperties", "the value must not be empty", "empty"),
      (#"{"required": ["a"]}"#, "{}", "required", "'a' is missing", "no 'a'"),
      (
        #"{"propertyNames": {"maxLength": 1}}"#, #"{"ab": 1}"#, "maxLength", "'ab' must have at most 1 character",
        "2 characters"
      ),
      (
        #"{"dependentRequired": {"a": ["b"]}}"#, #"{"a": 1}"#, "dependentRequired",
        "'b' is missing: it must stand beside 'a'", "no 'b'"
      ),
      (#"{"not": {"required": ["a"]}}"#, #"{"a": 1}"#, "not", "'a' is not allowed here", "not allowed"),
      (
        #"{"unevaluatedItems": false, "prefixItems": [true]}"#, "[1, 2]", "unevaluatedItems",
        "item 2 is not allowed here", "not allowed"
      ),
      (
        #"{"oneOf": [{"type": "string"}, {"type": "null"}]}"#, "1", "oneOf", "the value must be a string or null",
        "number"
      ),
      (
        #"{"oneOf": [true, true, false]}"#, "1", "oneOf",
        "the value must match exactly one of 3 alternatives; it matches 1 and 2", "matches 2 of 3"
      ),
      (#"{"if": true, "then": {"minimum": 2}}"#, "1", "minimum", "the value must be at least 2", "1"),
      (#"{"allOf": [{"type": "null"}]}"#, "1", "type", "the value must be null", "number"),
    ]
    for one in cases {
      let violation = try Checked(one.schema).violation(one.text)
      #expect(violation.keyword == one.keyword, "\(one.schema)")
      #expect(violation.message == one.message, "\(one.schema)")
      #expect(violation.found == one.found, "\(one.schema)")
    }
    let format = try Checked(#"{"format": "date"}"#, options: SchemaOptions(assertsFormat: true))
    #expect(try format.violation(#""2026-13-01""#).message == "the value must be a date like 2026-01-05")
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
    #expect(
      violations.map(\.message) == ["'title' is missing in item 2 of 'items'", "item 2 of 'tags' must be a string"])
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
    #expect(violations.map(\.fix) == [#"did you mean "title"?"#, #"did you mean "content_type"?"#, "remove it"])
    #expect(violations.allSatisfy { $0.keyword == keyword && $0.found == "unknown" })
    #expect(violations.first?.message == "'tilte' is not a known member")
    #expect(violations.first?.pointer.description == "/tilte")
    #expect(violations.first?.schemaLocation == "https://example.org/s.json#/\(keyword)")
  }

  @Test func aMisspeltRequiredMemberIsRenamed() throws {
    let schema = try Checked(#"{"properties": {"title": {}}, "required": ["title"], "additionalProperties": false}"#)
    let violations = try schema.violations(#"{"titel": 1}"#)
    #expect(violations.first { $0.keyword == "required" }?.fix == #"rename "titel" to "title""#)
    let open = try Checked(#"{"required": ["title"], "type": ["object", "boolean", "null"]}"#)
    #expect(try open.violation(#"{"Title_": 1}"#).fix == #"rename "Title_" to "title""#)
    #expect(try open.violation("1").message == "the value must be an object, true, false or null")
  }

  @Test func enumsSuggestTheNearestValue() throws {
    let schema = try Checked(#"{"enum": ["checklist", "practice_guide", "flashcard_deck"]}"#)
    #expect(try schema.violation(#""practiceGuide""#).fix == #"did you mean "practice_guide"?"#)
    #expect(
      try schema.violation(#""xyz""#).fix == #"write one of: "checklist", "practice_guide", "flashcard_deck""#)
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
    #expect(violation.message == "'front' must be a string")
    #expect(violation.otherAlternatives == 4)
    #expect(violation.schemaLocation.hasSuffix("#/oneOf/1/properties/cards/items/properties/front/type"))
    #expect(try schema.violation(#"{"kind": "guide"}"#).message == "'text' is missing")
  }

  @Test func anUnknownDiscriminatorListsAll() throws {
    let violation = try Checked(Self.union).violation(#"{"kind": "chekclist", "items": []}"#)
    #expect(violation.message == #"'kind' must be one of "checklist", "deck", "guide""#)
    #expect(violation.fix == #"did you mean "checklist"?"#)
    #expect(violation.pointer.description == "/kind")
    #expect(violation.keyword == "oneOf")
  }

  @Test func oneMistakeIsNotReportedAsUnevaluatedMembers() throws {
    let schema = try Checked(
      ##"""
      {"$ref": "#/$defs/base", "unevaluatedProperties": false,
       "$defs": {"base": {"properties": {"a": {"type": "string"}, "b": {}}}}}
      """##)
    #expect(try schema.violation(#"{"a": 1, "b": 2}"#).message == "'a' must be a string")
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
    // Many values lie in one text; a run sees one of them.
    let text = Array(#"{"a": 1} {"a": "é"} {"a": true}"#.utf8)
    var tape = JSONTape()
    var run = SchemaRun(try Checked(#"{"properties": {"a": {"type": "integer"}}}"#).schema)
    try text.withUnsafeBufferPointer { bytes in
      let base = try #require(bytes.baseAddress)
      let root = try tape.parse(bytes, in: 9..<20).root
      let violations = run.violations(JSONNode(text: base, tokens: tape.tokens, index: root))
      #expect(violations.map { $0.span } == [15..<19])
      #expect(violations.map(\.pointer.description) == ["/a"])
    }
  }

  @Test func nestedAlternativesAreFollowedToTheMistake() throws {
    // Three kinds of node that all may hold children: a mistake 40 levels down, compared at every level.
    let kinds = ["a", "b", "c"].map {
      ##"{"properties": {"kind": {"const": "\##($0)"}, "next": {"$ref": "#/$defs/node"}, "leaf": {"type": "integer"}}}"##
    }
    let schema = try Checked(
      ##"{"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [\##(kinds.joined(separator: ","))]}}}"##)
    let text =
      String(repeating: #"{"kind": "b", "next": "#, count: 40) + #"{"kind": "b", "leaf": "x"}"#
      + String(repeating: "}", count: 40)
    let violations = try schema.violations(text)
    #expect(violations.map(\.message) == ["'leaf' must be a whole number"])
    #expect(violations.first?.pointer.steps.count == 41)
    let single = try Checked(
      ##"{"allOf": [{"anyOf": [{"properties": {"next": {"$ref": "#"}, "leaf": {"type": "integer"}}}]}]}"##)
    #expect(try single.violation(text).otherAlternatives == 0)
  }

  /// A list that was cut says so; one that was not, does not.
  @Test func aLimitIsSaid() throws {
    let schema = try Checked(#"{"items": {"type": "string"}}"#)
    let text = "[" + (0..<9).map(String.init).joined(separator: ",") + "]"
    #expect(try schema.violations(text).count == 9)
    let cut = try schema.violations(text, limit: 4)
    #expect(cut.map(\.pointer.description) == ["/0", "/1", "/2", "/3"])
    #expect(cut[2].message == "item 3 must be a string")
    #expect(cut[3].message == "more than 4 values are wrong; from here on they are not listed")
    #expect(try schema.violations(text, limit: 9).last?.message == "item 9 must be a string")
  }
}
