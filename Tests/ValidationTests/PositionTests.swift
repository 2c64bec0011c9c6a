import FleetKit
import Foundation
import TestSupport
import Testing

/// Every finding has its exact place. Marks in the text show the expected places, and no other finding may occur.
@Suite struct PositionTests {
  private func expect(
    _ marked: String, _ pointers: [String], _ codes: [String], name: String = "content.json",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = Marked(marked)
    let scratch = Scratch()
    let path = try scratch.write(name, text.text)
    let found = try Collecting.findings([path]).filter { $0.severity == .error || $0.code.id.hasPrefix("LNT") }
    let spots = found.map { finding in
      Marked.Spot(
        line: finding.place.line ?? 0, column: finding.place.column ?? 0, endColumn: finding.place.endColumn ?? 0)
    }
    #expect(spots == text.spots, "\(found.map { "\($0.place): \($0.message)" })", sourceLocation: sourceLocation)
    #expect(found.map(\.place.pointer) == pointers, sourceLocation: sourceLocation)
    #expect(found.map(\.code.id) == codes, sourceLocation: sourceLocation)
  }

  @Test func wrongTypesInADocument() throws {
    try expect(
      """
      {"items": [
        {"content_type": "checklist", "title": ⟪5⟫,
         "content_data": {"sections": [{"title": "Вниз", "items": [
           {"title": "Кингстоны 🛥 открыты", "estimatedMinutes": ⟪"7"⟫},
      \t\t{"title": "Люки", "isRequired": ⟪1⟫}]}]}}
      ]}
      """,
      ["/title", "/content_data/sections/0/items/0/estimatedMinutes", "/content_data/sections/0/items/1/isRequired"],
      ["SCH0101", "SCH0101", "SCH0101"])
  }

  /// A mistake in one step does not hide findings in the other steps, and is not reported twice.
  @Test func lintLooksAtTheSoundParts() throws {
    try expect(
      """
      {"content_type": "checklist", "title": ⟪"Leaving  the berth"⟫, "content_data": {"sections": [
        {"title": "Below", "items": [{"title": "Hatches", "isRequired": true, "isOptional": ⟪true⟫},
          {"title": "Люки", "estimatedMinutes": ⟪"0"⟫}]},
        {"title": "Deck", "items": ⟪{}⟫}]}}
      """,
      [
        "/title", "/content_data/sections/0/items/0/isOptional", "/content_data/sections/0/items/1/estimatedMinutes",
        "/content_data/sections/1/items",
      ], ["LNT0213", "LNT0201", "SCH0101", "SCH0101"])
  }

  @Test func missingMembersPointAtTheirObject() throws {
    try expect(
      """
      [{"content_type": "checklist", "title": "A good list", "content_data": {"sections": [
        {"title": "Below", "items": [⟪{"itemDescription": "no title"}⟫]}]}}]
      """, ["/content_data/sections/0/items/0"], ["SCH0401"])
  }

  @Test func afterCarriageReturns() throws {
    let lines = [
      "{", "  \"content_type\": \"checklist\",",
      "  \"content_data\": {\"sections\": [{\"title\": \"Below\", \"items\": [{\"title\": \"Hatches\"}]}]},",
      "  \"title\": ⟪[]⟫,", "  \"tags\": [\"парус\", ⟪7⟫]", "}", "",
    ]
    try expect(lines.joined(separator: "\r\n"), ["/title", "/tags/1"], ["SCH0101", "SCH0101"])
  }

  @Test func linesOfABundle() throws {
    try expect(
      """
      {"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}
      {"content_type":"practice_guide","title":"Туман","content_data":{"markdown":⟪{}⟫}}

      {"content_type":⟪"recipe"⟫,"title":"Soup"}
      """, ["/content_data/markdown", "/content_type"], ["SCH0101", "SCH0102"], name: "content.jsonl")
  }

  @Test func textThatIsNotJSON() throws {
    let scratch = Scratch()
    let marked = "{\"items\": [\n  {\"content_type\": \"checklist\",\n   \"title\": \"ж\" §}\n]}\n"
    let path = try scratch.write("broken.json", marked.replacing("§", with: "x"))
    let found = try Collecting.findings([path])
    #expect(found.first?.code.id == "JSN0001" && found.first?.place.line == 3 && found.first?.place.column == 17)
  }

  @Test func rulesPointIntoValues() throws {
    try expect(
      """
      {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": [
        {"title": "Below", "items": [{"title": "Seacocks \\u043e open", "isRequired": true, "isOptional": ⟪true⟫}]}]}}
      """, ["/content_data/sections/0/items/0/isOptional"], ["LNT0201"])
  }

  /// The same findings in a library column: lines and columns count in the text of the cell.
  @Test func cellsOfALibrary() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let id = try SQLiteShell.run(library, "SELECT id FROM checklists ORDER BY id LIMIT 1")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let marked = Marked(
      "[\r\n\t{\"id\":\"7D444840-9DC0-11D1-B245-5FFDCE74FAD2\",\"title\":\"Палуба ⛵\",\"isExpandedByDefault\":true,"
        + "\"sortOrder\":0,\r\n\t \"items\":[{\"id\":\"7D444840-9DC0-11D1-B245-5FFDCE74FAD3\",\"title\":\"Якорь\","
        + "\"isOptional\":⟪true⟫,\"isRequired\":true,\"tags\":[],\"sortOrder\":0}]}]")
    let sql = "UPDATE checklists SET content = '\(marked.text)' WHERE id = '\(id)'"
    _ = try SQLiteShell.run(library, sql)
    let found = try Collecting.findings([library]).filter { $0.code.id == "LNT0201" && $0.place.row?.id == id }
    #expect(found.count == 1)
    let place = try #require(found.first?.place)
    #expect(place.description == "\(library)#checklists/\(id)/content:/0/items/0/isOptional")
    #expect(place.line == marked.spots[0].line && place.column == marked.spots[0].column)
    #expect(place.endColumn == marked.spots[0].endColumn)
    #expect(found.first?.excerpt?.contains("Якорь") == true)
  }

  /// A finding that the reader itself makes about a cell also has a line and a column.
  @Test func readersFindingsInCells() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let id = try SQLiteShell.run(library, "SELECT id FROM checklists ORDER BY id LIMIT 1")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let marked = Marked(
      "[{\"id\":\"7D444840-9DC0-11D1-B245-5FFDCE74FAD2\",\"title\":\"Ют\",\"isExpandedByDefault\":true,"
        + "\"sortOrder\":0,\n\"items\":[{\"id\":\"7D444840-9DC0-11D1-B245-5FFDCE74FAD3\",\"title\":\"Цепь\","
        + "\"isOptional\":false,\"isRequired\":true,\"tags\":[],\"estimatedMinutes\":⟪\"7\"⟫,\"sortOrder\":0}]}]")
    _ = try SQLiteShell.run(library, "UPDATE checklists SET content = '\(marked.text)' WHERE id = '\(id)'")
    let found = try Collecting.findings([library]).filter { $0.place.row?.id == id && $0.severity == .error }
    let place = try #require(found.first?.place)
    #expect(place.pointer == "/0/items/0/estimatedMinutes", "\(found.map(\.place.description))")
    #expect(place.line == marked.spots[0].line && place.column == marked.spots[0].column)
    #expect(place.endColumn == marked.spots[0].endColumn)
  }

  /// Large records form a batch each, and a batch may reuse the memory of an earlier one.
  @Test func recordsThatAreABatchEach() throws {
    let scratch = Scratch()
    var lines = ["{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1}"]
    let text = String(repeating: "word ", count: 240_000)
    for index in 0..<8 {
      let description = String(repeating: "a", count: index * 7 + 1)
      lines.append(
        "{\"content_type\":\"practice_guide\",\"description\":\"\(description)\",\"title\":\"Fog \(index) \","
          + "\"content_data\":{\"markdown\":\"\(text)\"}}")
    }
    let path = try scratch.write("large.jsonl", lines.joined(separator: "\n") + "\n")
    let found = try Collecting.findings([path]).filter { $0.code.id == "LNT0213" }
    #expect(found.map(\.place.line) == (2..<10).map { $0 })
    #expect(found.map(\.place.column) == (0..<8).map { 60 + $0 * 7 })
  }
}
