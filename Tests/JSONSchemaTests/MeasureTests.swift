import Foundation
import JSONSchema
import JSONText
import TestSupport
import Testing

/// Measures the duration of one validation. The test prints the duration without checking it:
/// `FLEETKIT_MEASURE=1 swift test -c release --filter MeasureTests`.
@Suite struct MeasureTests {
  static let isWanted = ProcessInfo.processInfo.environment["FLEETKIT_MEASURE"] != nil

  private static let schema = ##"""
    {"type": "object", "required": ["id", "title", "sections", "created_at"], "properties": {
      "id": {"$ref": "#/$defs/id"}, "title": {"type": "string", "minLength": 1},
      "kind": {"enum": ["checklist", "practice_guide", "flashcard_deck"]},
      "created_at": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T"},
      "sections": {"type": "array", "items": {"type": "object", "required": ["id", "title", "items"], "properties": {
        "id": {"$ref": "#/$defs/id"}, "title": {"type": "string", "minLength": 1},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}}}}},
     "$defs": {"id": {"type": "string", "minLength": 8},
      "item": {"type": "object", "required": ["id", "title"], "additionalProperties": false, "properties": {
        "id": {"$ref": "#/$defs/id"}, "title": {"type": "string", "minLength": 1}, "isRequired": {"type": "boolean"},
        "isOptional": {"type": "boolean"}, "estimatedMinutes": {"type": ["integer", "null"], "minimum": 0},
        "tags": {"type": "array", "items": {"type": "string"}}}}}}
    """##

  @Test(.enabled(if: isWanted, "a measurement: set FLEETKIT_MEASURE=1"))
  func oneChecklist() throws {
    let items = (0..<9).map {
      #"{"id": "item-0\#($0)-xx", "title": "Check the seacocks", "isRequired": true, "estimatedMinutes": 5, "tags": []}"#
    }
    let section = #"{"id": "section-1", "title": "Below deck", "items": [\#(items.joined(separator: ","))]}"#
    let text = #"""
      {"id": "3F2A-0000", "title": "Departure", "kind": "checklist", "created_at": "2026-01-05T10:11:12Z",
       "sections": [\#(Array(repeating: section, count: 4).joined(separator: ","))]}
      """#
    var run = SchemaRun(try Checked(Self.schema).schema)
    try JSONDocument(parsing: text).withRoot { node in
      let isValid = run.isValid(node)
      #expect(isValid)
      var best = Duration.seconds(1)
      for _ in 0..<20 {
        let time = ContinuousClock().measure { for _ in 0..<5000 { _ = run.isValid(node) } }
        best = min(best, time / 5000)
      }
      print("validating a checklist of \(text.utf8.count) bytes: \(best)")
    }
  }
}
