import FleetKit
import Foundation
import TestSupport
import Testing

/// Exact places of `--schema` findings in JSON, JSON Lines and YAML.
@Suite struct PositionSchemaTests {
  private static let schema = #"""
    {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
      "name": {"type": "string", "maxLength": 5}, "draught": {"type": "number", "maximum": 5},
      "flag": {"enum": ["GR", "HR"]}, "day": {"pattern": "^[0-9]{4}$"}, "e\u0301": {"type": "null"},
      "crew": {"type": "array", "items": {"type": "object", "required": ["n"],
        "properties": {"n": {"type": "string"}}}, "contains": {}, "uniqueItems": true}}}
    """#

  private func expect(
    _ marked: String, _ findings: [String], name: String, bom: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = Marked(marked)
    let scratch = Scratch()
    let schema = try FleetKit.SchemaFile(try scratch.write("s.json", Self.schema))
    let path = try scratch.write(name, (bom ? "\u{FEFF}" : "") + text.text)
    let report = CollectingReport()
    _ = try SchemaValidation(schema, options: ValidationOptions()).run([path], report: report)
    #expect(text.spots.count == findings.count, sourceLocation: sourceLocation)
    #expect(
      report.findings.map(MarkedRun.shape) == MarkedRun.expected(text, findings), "\(report.findings.map(\.message))",
      sourceLocation: sourceLocation)
  }

  @Test(arguments: ["\n", "\r\n"], [false, true])
  func json(_ end: String, _ bom: Bool) throws {
    let lines = [
      #"{ ⟪"draft"⟫: {}, "name": ⟪"Лодка 🛥"⟫,"#, "\t\"draught\" : ⟪7.5⟫, \"flag\": ⟪\"\\u0441\\ud83d\\ude00\"⟫,",
      #" "day": ⟪"e\u0301 x"⟫, "e\u0301": ⟪0⟫, "#, #" ⟪"\u00e9"⟫: null,"#,
      #" "crew": [{"n": "A"}, ⟪{"m": "🧑‍✈️"}⟫, {"n": ⟪[]⟫}, ⟪5⟫]}"#, "",
    ]
    try expect(
      lines.joined(separator: end),
      [
        "SCH0402 /draft", "SCH0301 /name", "SCH0201 /draught", "SCH0102 /flag", "SCH0302 /day", "SCH0101 /e\u{301}",
        "SCH0402 /\u{E9}", "SCH0401 /crew/1", "SCH0101 /crew/2/n", "SCH0101 /crew/3",
      ], name: "boat.json", bom: bom)
  }

  @Test(arguments: ["\n", "\r\n"], [false, true])
  func jsonLines(_ end: String, _ bom: Bool) throws {
    let lines = [
      #"{"name": ⟪7⟫}"#, "", #"{"name": "ж", "flag": ⟪"ж"⟫, "crew": [⟪"⛵"⟫]}"#, " ", #"  ⟪{"flag": "GR"}⟫"#, "⟪5⟫",
      #"{"name":"ж",⟪⟫x}"#, #"{"name": ⟪null⟫}"#,
    ]
    try expect(
      lines.joined(separator: end),
      [
        "SCH0101 /name", "SCH0102 /flag", "SCH0101 /crew/0", "SCH0401 ", "SCH0101 ", "JSN0001 ", "SCH0101 /name",
      ], name: "boats.jsonl", bom: bom)
  }

  @Test(arguments: ["\n", "\r\n"], [false, true])
  func yaml(_ end: String, _ bom: Bool) throws {
    let lines = [
      "# лодка", "⟪draft⟫: {a: 1}", "name: ⟪Лодка 🛥⟫   # comment", "draught:   ⟪7.5⟫", "flag: ⟪\"\\u0441 ж\"⟫",
      "\"day\": ⟪'it''s'⟫", "crew:", "  - n: A", "  - {n: ⟪[a, b]⟫}", "  - ⟪5⟫", "  - \"n\":", "      ⟪no: 1", "⟫",
    ]
    var text = lines.joined(separator: end)
    // A block has no visible end.
    text = text.replacing("⟪no: 1\(end)⟫", with: "⟪⟫no: 1\(end)")
    try expect(
      text,
      [
        "SCH0402 /draft", "SCH0301 /name", "SCH0201 /draught", "SCH0102 /flag", "SCH0302 /day", "SCH0101 /crew/1/n",
        "SCH0101 /crew/2", "SCH0101 /crew/3/n",
      ], name: "boat.yaml", bom: bom)
  }
}
