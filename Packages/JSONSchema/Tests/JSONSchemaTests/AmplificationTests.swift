import JSONSchema
import JSONText
import Testing

/// The cost of small hostile schemas and values: output and work grow with the input and are limited.
@Suite struct AmplificationTests {
  private static func violations(_ schema: String, _ value: String) throws -> [SchemaViolation] {
    var set = SchemaSet()
    let uri = try set.add(try JSONDocument(parsing: schema))
    var run = SchemaRun(try set.compile(uri))
    let document = try JSONDocument(parsing: value)
    return document.withRoot { run.violations($0) }
  }

  /// Returns the number of bytes in all strings of all violations.
  private static func bytes(_ violations: [SchemaViolation]) -> Int {
    violations.reduce(0) { sum, violation in
      sum + violation.message.utf8.count + violation.found.utf8.count + (violation.fix?.utf8.count ?? 0)
        + violation.schemaLocation.utf8.count + (violation.reason?.utf8.count ?? 0)
        + violation.pointer.description.utf8.count
    }
  }

  private static func list(_ count: Int, _ element: (Int) -> String) -> String {
    "[" + (0..<count).map(element).joined(separator: ",") + "]"
  }

  /// Functions that return a schema and a value for a given size.
  private static let cases: [(name: String, make: @Sendable (Int) -> (String, String))] = [
    ("enum", { n in (#"{"items":{"enum":\#(list(n) { "\"value \($0)\"" })}}"#, list(n) { "\"none \($0)\"" }) }),
    ("required", { n in (#"{"items":{"required":\#(list(n) { "\"m\($0)\"" })}}"#, list(n) { _ in "{}" }) }),
    (
      "description",
      { n in
        (#"{"items":{"type":"null","description":"\#(String(repeating: "d", count: 1000 * n))"}}"#, list(n) { "\($0)" })
      }
    ),
    (
      "names",
      { n in
        let name = String(repeating: "n", count: 1000 * n)
        return (#"{"additionalProperties":{"items":{"type":"null"}}}"#, "{\"\(name)\":\(list(n) { "\($0)" })}")
      }
    ),
    (
      "dependentRequired",
      { n in
        let name = String(repeating: "n", count: 100 * n)
        return (
          #"{"dependentRequired":{"\#(name)":\#(list(n) { "\"\(name)\($0)\"" })}}"#, "{\"\(name)\":1}"
        )
      }
    ),
    (
      "oneOf",
      { n in
        (
          #"{"items":{"oneOf":\#(list(n) { #"{"properties":{"t":{"const":"a\#($0)"}},"required":["x","y"]}"# })}}"#,
          list(n) { _ in "{\"t\":\"q\"}" }
        )
      }
    ),
    (
      "additionalProperties",
      { n in
        let members = (0..<n).map { "\"known_\($0)\":true" }.joined(separator: ",")
        return (
          "{\"properties\":{\(members)},\"additionalProperties\":false}",
          "{\(members.replacing("known_", with: "knowm_"))}"
        )
      }
    ),
  ]

  @Test(arguments: cases.indices)
  func textsAreBounded(_ index: Int) throws {
    let (name, make) = Self.cases[index]
    var before = 0
    var isCut = false
    for size in [100, 200, 400] {
      let (schema, value) = make(size)
      let found = try Self.violations(schema, value)
      let bytes = Self.bytes(found)
      isCut = found.last?.found == "and more" && found.count < size
      #expect(!found.isEmpty && found.count <= 1000, "\(name) \(size): \(found.count)")
      // The budget does not include the violation that announces that others were cut.
      #expect(bytes <= (8 << 20) + 36 * (schema.utf8.count + value.utf8.count), "\(name) \(size): \(bytes)")
      if before > 8 << 20 { #expect(Double(bytes) <= 2.2 * Double(before), "\(name) \(size): \(before), \(bytes)") }
      before = bytes
    }
    if name == "names" { #expect(before > 8 << 20 && isCut) }
  }

  @Test func aListOfValuesIsCutAndCounted() throws {
    let schema = #"{"enum":\#(Self.list(5000) { "\"value \($0)\"" })}"#
    let violation = try #require(try Self.violations(schema, "7").first)
    #expect(violation.found.numbers == [5000])
    #expect(violation.message.numbers.contains(4988) && violation.message.utf8.count < 400)
  }

  @Test func whatIsLeftOutIsAnnounced() throws {
    let found = try Self.violations(#"{"items":{"type":"null"}}"#, Self.list(5000) { "\($0)" })
    #expect(found.count == 1000 && found.last?.found == "and more")
  }

  /// When many subschemas each visit many members, the validator stops early and never reports the value as valid.
  @Test(arguments: [
    "{\"required\":[\"a\"]}", "{\"properties\":{\"b\":true}}", "{\"unevaluatedProperties\":true}",
    "{\"dependentRequired\":{\"a\":[\"a\"]}}",
  ])
  func walksAreCounted(_ part: String) throws {
    let members = (0..<1000).map { "\"m\($0)\":1" }.joined(separator: ",")
    let found = try Self.violations("{\"allOf\":\(Self.list(4000) { _ in part })}", "{\"a\":1,\(members)}")
    #expect(!found.isEmpty)
  }

  @Test func divisionsAreCounted() throws {
    let divisor = String(repeating: "7", count: 1000)
    let found = try Self.violations("{\"items\":{\"multipleOf\":\(divisor)}}", Self.list(500) { _ in "7e99999" })
    // None of the values is a multiple of the divisor. The values after the step budget is exhausted are only announced
    // as "and more".
    #expect(found.count < 500 && found.last?.found == "and more")
  }

  private static let patterns: [(pattern: String, letter: String)] = [
    ("^(?:[" + String(repeating: "\\p{Lo}\\p{Sm}", count: 200) + "\\p{Ll}])*$", "д"),
    ("^(a+)(?:\\1b|\\1c)", "a"), ("(?:" + String(repeating: "a", count: 500) + "b|c)", "a"),
  ]

  /// Classes with hundreds of properties, back-references and literals, for which most of the cost is in the
  /// comparisons of a single instruction.
  @Test(arguments: patterns.indices)
  func comparedBytesAreSteps(_ index: Int) throws {
    let (pattern, letter) = Self.patterns[index]
    let text = String(repeating: letter, count: 4000)
    #expect(try ECMARegex(pattern).search(text, steps: 100_000) == .outOfSteps)
  }

  @Test func schemasHaveALargestSize() throws {
    var set = SchemaSet()
    let uri = try set.add(
      try JSONDocument(parsing: "{\"allOf\":[" + repeatElement("{}", count: 400_001).joined(separator: ",") + "]}"))
    let many = #expect(throws: SchemaError.self) { try set.compile(uri) }
    #expect(many?.isTooLarge == true)
    let patterns = (0..<17).map { "{\"pattern\":\"\($0)" + String(repeating: "a", count: (1 << 18) - 2) + "\"}" }
    var patternSet = SchemaSet()
    let patternURI = try patternSet.add(
      try JSONDocument(parsing: "{\"allOf\":[" + patterns.joined(separator: ",") + "]}"))
    let long = #expect(throws: SchemaError.self) { try patternSet.compile(patternURI) }
    #expect(long?.isTooLarge == true)
  }

  /// A table of all anchors in all resources would grow with the square of the schema's size.
  @Test func dynamicAnchorsAreBounded() throws {
    let parts = (0..<3000).map {
      "\"d\($0)\":{\"$id\":\"r\($0)\",\"$dynamicAnchor\":\"a\($0)\",\"$dynamicRef\":\"#a\($0)\",\"type\":\"null\"}"
    }
    let refs = (0..<3000).map { "{\"$ref\":\"r\($0)\",\"minimum\":0}" }
    var set = SchemaSet()
    let text = "{\"$defs\":{\(parts.joined(separator: ","))},\"allOf\":[\(refs.joined(separator: ","))]}"
    let uri = try set.add(try JSONDocument(parsing: text))
    let error = #expect(throws: SchemaError.self) { try set.compile(uri) }
    #expect(error?.isTooLarge == true)
  }

  /// A thousand requests for the beginning and the end of one large value scan the value only once.
  @Test func placesOfOneLargeValueCostOneWalk() {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    var counter = PlaceCounter()
    for _ in 0..<1000 {
      let start = counter.position(of: 5, in: text.span)
      let end = counter.position(of: 1_000_000, in: text.span)
      #expect(start.column == 6 && end.column == 1_000_001)
    }
    #expect(counter.steps < 4 << 20)
  }

  @Test func patternsHaveALongestLength() throws {
    #expect(throws: RegexSyntaxError.self) { try ECMARegex(String(repeating: "a", count: (1 << 18) + 1)) }
  }

  /// Marks of alternating classes, including escaped marks, marks beyond the first plane, and a mark that decomposes
  /// into two.
  @Test(arguments: ["\u{301}\u{323}", "\\u0301\\u0323", "\\ud834\\udd85\\ud834\\udd65", "\u{F73}\u{F73}"])
  func unsortedRunsOfMarksAreRefused(_ pair: String) throws {
    func text(_ count: Int) -> String {
      "[\"" + String(repeating: "ж ", count: 300) + String(repeating: pair, count: count) + "\"]"
    }
    #expect(throws: Never.self) { try JSONDocument(parsing: text(128)) }
    #expect(throws: JSONError(.tooManyMarks(limit: 256), at: 2 + 900)) { try JSONDocument(parsing: text(129)) }
  }

  /// Sorting these marks is fast, so they are no reason to refuse a text.
  @Test(arguments: ["\u{301}", "\\u0301"])
  func sortedRunsOfMarksAreRead(_ mark: String) throws {
    let sorted = String(repeating: "\\u0323", count: 5000) + String(repeating: mark, count: 5000)
    #expect(throws: Never.self) { try JSONDocument(parsing: "[\"e\(sorted)\"]") }
  }
}
