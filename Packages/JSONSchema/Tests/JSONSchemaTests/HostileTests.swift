import Foundation
import JSONSchema
import JSONText
import TestTools
import Testing

/// Schemas and values that are designed to hang, crash or exhaust their reader.
@Suite struct HostileTests {
  /// Runs a body on a thread with a given stack size.
  private static func onStack<Result: Sendable>(_ bytes: Int, _ body: @escaping @Sendable () throws -> Result) throws
    -> Result
  {
    let box = Box<Swift.Result<Result, any Error>>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      box.value = Swift.Result { try body() }
      done.signal()
    }
    thread.stackSize = bytes
    thread.start()
    done.wait()
    return try #require(box.value).get()
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value?
  }

  @Test func loopsOfReferencesAreRefused() throws {
    for text in [
      ##"{"$ref": "#"}"##,
      ##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}"##,
      ##"{"allOf": [{"anyOf": [{"not": {"$ref": "#"}}]}]}"##,
      ##"{"type": "object", "if": true, "then": {"$ref": "#"}}"##,
      ##"{"dependentSchemas": {"a": {"$dynamicRef": "#x"}}, "$dynamicAnchor": "x"}"##,
    ] {
      let error = try Checked.error(text)
      #expect(error.message.contains("itself"), "\(text): \(error)")
    }
    // A recursive reference below a member ends where the value ends.
    #expect(try Checked(##"{"properties": {"a": {"$ref": "#"}}}"##).isValid(##"{"a": {"a": {}}}"##))
  }

  @Test func aLoopThroughDynamicAnchorsIsReported() throws {
    let schema = try Checked(
      #"""
      {"$id": "https://example.org/outer", "$dynamicAnchor": "x", "$ref": "inner",
       "$defs": {"inner": {"$id": "inner", "$defs": {"x": {"$dynamicAnchor": "x"}}, "$dynamicRef": "#x"}}}
      """#)
    let violation = try schema.violation("1")
    #expect(violation.keyword == "$ref")
  }

  @Test func deepValuesFitOnASmallStack() throws {
    // 512 levels, each of which passes through a member, a reference and two combinations.
    let schema = #"""
      {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "allOf": [{"anyOf": [{"properties": {"a": {"$ref": "#/$defs/n"}}}]}]}}}
      """#
    let deep = String(repeating: #"{"a":"#, count: 511) + "{}" + String(repeating: "}", count: 511)
    let broken = String(repeating: #"{"a":"#, count: 511) + "1" + String(repeating: "}", count: 511)
    #if DEBUG
      let stack = 4 << 20
    #else
      let stack = 512 << 10
    #endif
    let verdicts = try Self.onStack(stack) { () -> [Bool] in
      let schema = try Checked(schema)
      var run = SchemaRun(schema.schema)
      return try [deep, broken].map { try JSONDocument(parsing: $0).withRoot { run.isValid($0) } }
    }
    #expect(verdicts == [true, false])
    let found = try Checked(schema).violations(broken)
    #expect(!found.isEmpty)
  }

  @Test func longChainsOfSubschemasEnd() throws {
    let links = (0..<6000).map { ##""s\##($0)": {"allOf": [{"$ref": "#/$defs/s\##($0 + 1)"}, true]}"## }
    let text = ##"{"$ref": "#/$defs/s0", "$defs": {\##(links.joined(separator: ",")), "s6000": true}}"##
    #expect(try Checked(text).violation("1").keyword == "$ref")
  }

  @Test func exponentialSchemasRunOutOfSteps() throws {
    let links = (0..<40).map { n in
      ##""s\##(n)": {"anyOf": [{"$ref": "#/$defs/s\##(n + 1)", "maximum": 5}, {"$ref": "#/$defs/s\##(n + 1)", "maximum": 5}]}"##
    }
    let text = ##"{"$ref": "#/$defs/s0", "$defs": {\##(links.joined(separator: ",")), "s40": {"minimum": 9}}}"##
    let violations = try Checked(text).violations("1")
    #expect(violations.contains { $0.keyword == "$ref" }, "\(violations)")
  }

  @Test func hugeExponentsCostNothing() throws {
    let schema = try Checked(#"{"multipleOf": 0.5, "maximum": 1e1000000000, "minimum": -1e308}"#)
    #expect(try schema.isValid("1e999999999"))
    #expect(try !schema.isValid("1e1000000001"))
    #expect(try !schema.isValid("1e-1000000000"))
    #expect(try !schema.isValid("1e99999999999999999999999999"))
    #expect(try schema.isValid("1e308"))
    #expect(try !schema.isValid("-1.0000000000000000000000001e308"))
    #expect(try Checked(#"{"type": "integer"}"#).isValid("1e1000000000"))
    #expect(try !Checked(#"{"type": "integer"}"#).isValid("1e-1000000000"))
    #expect(try !Checked(#"{"const": 1e1000000000}"#).isValid("1e1000000001"))
    #expect(try Checked(#"{"enum": [10e999999999]}"#).isValid("1e1000000000"))
  }

  @Test func numbersAreExact() throws {
    let big = String(repeating: "7", count: 900)
    #expect(try Checked(#"{"multipleOf": \#(big)}"#).isValid(big + "000.0"))
    #expect(try !Checked(#"{"multipleOf": \#(big)}"#).isValid(big + "001"))
    #expect(try Checked(#"{"multipleOf": 0.01}"#).isValid("0.07"))
    #expect(try !Checked(#"{"multipleOf": 0.01}"#).isValid("0.075"))
    #expect(try Checked(#"{"multipleOf": 1.5}"#).isValid("45e-1"))
    #expect(try !Checked(#"{"multipleOf": 1.5}"#).isValid("35"))
    #expect(try !Checked(#"{"maximum": 9007199254740992}"#).isValid("9007199254740993"))
    #expect(try Checked(#"{"exclusiveMinimum": 0.1}"#).isValid("0.10000000000000000000000001"))
    #expect(try Checked(#"{"const": 0}"#).isValid("-0.0e5"))
    #expect(try Checked.error(#"{"multipleOf": 1\#(String(repeating: "1", count: 1001))}"#).message.contains("1000"))
  }

  @Test func equalityIsThatOfJSONSchema() throws {
    let schema = try Checked(#"{"const": {"a": [1, "é", null], "b": true}}"#)
    #expect(try schema.isValid(#"{"b": true, "a": [1.0, "\u00e9", null]}"#))
    #expect(try !schema.isValid(#"{"b": 1, "a": [1.0, "é", null]}"#))
    #expect(try !schema.isValid(#"{"b": true, "a": [1.0, "é"]}"#))
  }

  @Test func largeArraysAreSearchedByHash() throws {
    let schema = try Checked(#"{"uniqueItems": true}"#)
    let many = (0..<200_000).map { "\($0)" }.joined(separator: ",")
    #expect(try schema.isValid("[\(many)]"))
    #expect(try !schema.isValid("[\(many), 1e2]"))
    // Two large objects with the same members in opposite orders.
    let names = (0..<20_000).map { #""member\#($0)": \#($0)"# }
    let pair = "[{\(names.joined(separator: ","))}, {\(names.reversed().joined(separator: ","))}]"
    #expect(try !schema.isValid(pair))
  }

  @Test func manyMembersAreFoundByHash() throws {
    let names = (0..<3000).map { "m\($0)" }
    let properties = names.map { #""\#($0)": {"type": "integer"}"# }.joined(separator: ",")
    let required = names.map { #""\#($0)""# }.joined(separator: ",")
    let schema = try Checked(
      #"{"properties": {\#(properties)}, "required": [\#(required)], "additionalProperties": false}"#)
    let members = names.map { #""\#($0)": 1"# }
    #expect(try schema.isValid("{\(members.reversed().joined(separator: ","))}"))
    let violation = try schema.violation("{\(members.dropFirst().joined(separator: ","))}")
    #expect(violation.keyword == "required" && violation.message.quoted == ["m0"])
  }

  @Test func aSlowPatternIsAViolation() throws {
    let schema = try Checked(#"{"not": {"pattern": "^(a+)+$"}}"#)
    let text = "\"" + String(repeating: "a", count: 3000) + "!\""
    // A backtracking-free engine can decide this. An engine that stops early must not report a match.
    let started = ContinuousClock.now
    let violations = try schema.violations(text)
    #expect(ContinuousClock.now - started < .seconds(60))
    #expect(violations.isEmpty || violations.allSatisfy { $0.keyword == "pattern" && $0.message.contains("steps") })
  }

  /// Each text alone stays below the step limit of one search, but together they must not take an hour.
  @Test func slowPatternsShareTheirSteps() throws {
    let schema = try Checked(#"{"items": {"pattern": "^(a+)+$"}}"#)
    let one = "\"" + String(repeating: "a", count: 17) + "!\""
    #expect(try schema.violations("[\(one)]").map(\.message).allSatisfy { !$0.contains("steps") })
    let many = "[" + [String](repeating: one, count: 400).joined(separator: ",") + "]"
    #expect(try schema.violations(many).contains { $0.message.contains("steps") })
  }

  @Test func lengthsCountCodePoints() throws {
    let schema = try Checked(#"{"minLength": 3, "maxLength": 3}"#)
    for text in [#""abc""#, #""é😀x""#, #""\u00e9\ud83d\ude00x""#, #""\n\\\"""#, #""\uD83D\uDE00\/a""#] {
      #expect(try schema.isValid(text), "\(text)")
    }
    for text in [#""ab""#, #""\ud83d\ude00\ud83d\ude00""#, #""\u0061\u0062""#] {
      #expect(try !schema.isValid(text), "\(text)")
    }
  }

  @Test func countsBeyondReason() throws {
    #expect(try Checked(#"{"maxItems": 1e1000, "minLength": 0.0}"#).isValid("[1]"))
    #expect(try !Checked(#"{"minItems": 99999999999999999999}"#).isValid("[1]"))
    let many = "[" + Array(repeating: "0", count: 70_000).joined(separator: ",") + "]"
    #expect(try Checked(#"{"minItems": 70000, "maxItems": 7e4}"#).isValid(many))
    #expect(try !Checked(#"{"minItems": 70001}"#).isValid(many))
  }
}
