import FleetKit
import Foundation
import TestSupport
import Testing

/// Thousands of findings in one value: each is counted and has its own place.
@Suite struct ManyFindingsTests {
  private static let count = 3000

  @Test func inOneRecord() throws {
    let steps = (0..<Self.count).map { "{\"title\":\($0)}" }.joined(separator: ",\n")
    let text =
      "{\"content_type\":\"checklist\",\"title\":\"Leaving\",\"content_data\":{\"sections\":[{\"title\":\"Below\","
      + "\"items\":[\n\(steps)]}]}}"
    let scratch = Scratch()
    let found = try Collecting.findings([try scratch.write("content.json", text)])
    let expected = (0..<Self.count).map { index in
      "SCH0101 /content_data/sections/0/items/\(index)/title \(index + 2):10–\(10 + String(index).count)"
    }
    #expect(found.filter { $0.code.id != "LNT0210" }.map(MarkedRun.shape) == expected)
  }

  /// More findings than are kept for one record before they are passed on.
  @Test func ofOneRuleInOneRecord() throws {
    let count = 40_000
    let tags = Array(repeating: "\"a\"", count: count).joined(separator: ",\n")
    let text =
      "[{\"content_type\":\"practice_guide\",\"title\":\"T\",\"tags\":[\n\(tags)],"
      + "\"content_data\":{\"markdown\":\"x\"}}]"
    let scratch = Scratch()
    let found = try Collecting.findings([try scratch.write("content.json", text)]).filter { $0.code.id == "LNT0402" }
    #expect(found.map { $0.place.line ?? 0 } == Array(3...count + 1))
    #expect(found.last?.place.pointer == "/tags/\(count - 1)")
  }

  @Test func ofRulesInOneCell() throws {
    let steps = (0..<Self.count).map { index in
      let id = String(format: "%08X-0000-4000-8000-000000000000", index)
      return "{\"isOptional\":⟪true⟫,\"id\":\"\(id)\",\"title\":\"Step \(index)\",\"isRequired\":true,\"tags\":[],"
        + "\"sortOrder\":\(index)}"
    }
    let text = Marked(
      "[{\"id\":\"7D444840-9DC0-11D1-B245-5FFDCE74FAD2\",\"title\":\"Below\",\"isExpandedByDefault\":true,\"sortOrder\":0,"
        + "\"items\":[\(steps.joined(separator: ", "))]}]")
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    _ = try SQLiteShell.run(
      library, "UPDATE checklists SET content = '\(text.text)' WHERE id = (SELECT min(id) FROM checklists)")
    let found = try Collecting.findings([library]).filter {
      $0.code.id == "LNT0201" && $0.place.row?.table == "checklists" && $0.message.contains("“Step ")
    }
    #expect(
      found.map {
        Marked.Spot(line: $0.place.line ?? 0, column: $0.place.column ?? 0, endColumn: $0.place.endColumn ?? 0)
      }
        == text.spots)
    #expect(found.map(\.place.pointer) == (0..<Self.count).map { "/0/items/\($0)/isOptional" })
  }

  @Test(arguments: ["data.json", "data.yaml", "data.jsonl"])
  func ofASchema(_ name: String) throws {
    let scratch = Scratch()
    let lines = name == "data.jsonl"
    let item = "{\"required\":[\"n\"],\"properties\":{\"a\":{\"type\":\"string\"}}}"
    let schema = try FleetKit.SchemaFile(
      try scratch.write("s.json", lines ? item : "{\"type\":\"array\",\"items\":\(item)}"))
    let text =
      switch name {
      case "data.json": "[" + (0..<Self.count).map { "{\"a\":\($0)}" }.joined(separator: ",\n") + "]"
      case "data.yaml": (0..<Self.count).map { "- a: \($0)\n" }.joined()
      default: (0..<Self.count).map { "{\"a\":\($0)}\n" }.joined()
      }
    let report = CollectingReport()
    _ = try SchemaValidation(schema, options: ValidationOptions()).run([try scratch.write(name, text)], report: report)
    #expect(report.summary.total == 2 * Self.count && report.summary.severities[.error] == 2 * Self.count)
    let places = report.findings.filter { $0.code.id == "SCH0101" }.map { $0.place.line ?? 0 }
    #expect(places == Array(1...Self.count))
  }
}
