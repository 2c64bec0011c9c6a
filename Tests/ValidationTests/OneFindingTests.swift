import FleetKit
import Foundation
import TestSupport
import Testing

/// One defect causes one finding, whichever rule detects it, and the findings of one file do not affect another file.
@Suite struct OneFindingTests {
  private static let content = """
    {"content_type": "checklist", "title": "", "description": "In a blow.", "language": "English (British)",
     "content_data": {"sections": [{"title": " ", "items": [{"title": ""}]}, {"title": "Below", "items": []}]}}
    """

  private func codes(_ findings: [Diagnostic]) -> [String] { findings.map(\.code.id).sorted() }

  @Test func whatPublishingForbidsIsNotAdviceToo() throws {
    let scratch = Scratch()
    let path = try scratch.write("a.json", Self.content)
    #expect(
      codes(try Collecting.findings([path])) == ["LNT0202", "LNT0211", "LNT0211", "LNT0211", "LNT0405"],
      "advice where nothing is published")
    var options = ValidationOptions()
    options.profile = .publish
    #expect(
      codes(try Collecting.findings([path], options: options)) == [
        "PUB0103", "PUB0107", "PUB0109", "PUB0110", "PUB0110",
      ])
    let deck = """
      {"content_type": "flashcard_deck", "title": "Lights", "description": "At night.",
       "content_data": {"cards": [{"front": "", "back": "Red"}]}}
      """
    let cards = try Collecting.findings([try scratch.write("d.json", deck)], options: options)
    #expect(codes(cards) == ["PUB0113"])
  }

  /// The counts do not depend on the number of findings that are shown.
  @Test func countsAreTheSameWhenNothingIsShown() throws {
    let scratch = Scratch()
    let path = try scratch.write("a.json", Self.content)
    var options = ValidationOptions()
    options.profile = .publish
    var totals: [[Severity: Int]] = []
    for limit in [nil, 0, 1, 3] {
      options.maxFindings = limit
      let report = CollectingReport()
      _ = try ValidationRun(sources: try SourceList([path]), options: options).run(report: report)
      #expect(report.findings.count == min(5, limit ?? 5))
      totals.append(report.summary.severities)
    }
    #expect(Set(totals).count == 1, "\(totals)")
  }

  /// When a path sets a higher severity for a rule, the severity changes only for that path.
  @Test func severityOfOnePathIsThatPaths() throws {
    let scratch = Scratch()
    let text = Self.content.replacing("\"title\": \"\"", with: "\"title\": \"Reefing\"")
    let calm = try scratch.write("calm.json", text)
    let storm = try scratch.write("storm.json", text.replacing("Reefing", with: "Heaving to"))
    let configuration = try scratch.write(
      ".fleetkit.yml", "paths:\n  storm.json:\n    severity:\n      empty-section: error\n")
    let answer = try Shell.fleetkit(
      "validate", calm, storm, "--config", configuration, "--report", "jsonl", folder: scratch.path)
    let found = answer.output.split(separator: "\n").filter { $0.contains("\"LNT0202\"") && $0.contains("\"finding\"") }
    try #require(found.count == 2, "\(answer.errors)")
    #expect(found[0].contains("calm.json") && found[0].contains("\"severity\":\"warning\""))
    #expect(found[1].contains("storm.json") && found[1].contains("\"severity\":\"error\""))
  }

  /// Creates a library with a defect that both its reader and the rules find.
  private func library(_ scratch: Scratch) throws -> String {
    let bundle = """
      [{"kind": "item", "id": "98A00000-0000-4000-8000-000000000001", "content_type": "checklist", "title": "One",
        "content_data": {"sections": [{"id": "98A00000-0000-4000-8000-000000000011", "title": "Below", "items": [
         {"id": "98A00000-0000-4000-8000-000000000012", "title": "Seacocks"},
         {"id": "98A00000-0000-4000-8000-000000000012", "title": "Hatches"}]}]}},
       {"kind": "item", "id": "98A00000-0000-4000-8000-000000000002", "content_type": "checklist", "title": "Two",
        "content_data": {"sections": [{"title": "Deck", "items": [{"title": "Lines"}]}]}},
       {"kind": "charter", "id": "98A00000-0000-4000-8000-0000000000C1", "name": "Crete",
        "start_date": "2026-02-01T00:00:00Z", "end_date": "2026-03-01T00:00:00Z"},
       {"kind": "execution", "id": "98A00000-0000-4000-8000-0000000000E1",
        "checklist_id": "98A00000-0000-4000-8000-000000000001", "charter_id": "98A00000-0000-4000-8000-0000000000C1",
        "item_states": {"98A00000-0000-4000-8000-0000000000FF": {"isChecked": true}}},
       {"kind": "sync_operation", "id": 1, "content_id": "98A00000-0000-4000-8000-000000000002",
        "operation": "unpublish", "visibility_state": "private", "payload": null}]
      """
    let source = try scratch.write("source.json", bundle)
    let answer = try Shell.fleetkit("convert", source, "--to", scratch["library.sqlite"])
    try #require(answer.status == 0, "\(answer.errors)")
    return scratch["library.sqlite"]
  }

  @Test func readersAndRulesDoNotSayTheSame() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    let found = try Collecting.findings([library])
    #expect(found.count { ["LNT0102", "LIB0106"].contains($0.code.id) } == 1)
    let step = try #require(found.first { $0.code.id == "LNT0102" })
    #expect(step.place.pointer == "/0/items/1/id" && step.place.row?.column == "content")
    #expect(found.count { ["LNT0804", "LIB0703"].contains($0.code.id) } == 1)
    var options = ValidationOptions()
    options.profile = .publish
    let published = try Collecting.findings([library], options: options).filter { $0.place.row?.table == "sync_queue" }
    #expect(codes(published) == ["PUB0119"])
  }

  @Test func selectedRecordsAloneAreSpokenOf() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    let one = try Shell.fleetkit("validate", library, "--title", "Two", "--report", "jsonl")
    #expect(!one.output.contains("LNT0102") && !one.output.contains("LIB0"), "\(one.output)")
    let lines = """
      {"kind":"bundle","format":"fleetkit.bundle","version":1}
      {"content_type":"practice_guide","title":"Fog","colour":1,"content_data":{"markdown":"Slow down."}}
      {"content_type":"practice_guide","title":"Night","colour":1,"content_data":{"markdown":"Lights on."}}

      """
    let bundle = try scratch.write("two.jsonl", lines)
    let night = try Shell.fleetkit("validate", bundle, "--title", "Night", "--report", "jsonl")
    #expect(night.output.contains("two.jsonl:3:") && !night.output.contains("two.jsonl:2:"), "\(night.output)")
  }

  /// A recovered value has the place at which it is stored, and not the place that it would have in a bundle.
  @Test func recoveredValuesPointAtTheirColumn() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    try SQLiteShell.run(library, "UPDATE checklists SET content = '[{\"title\": \"Dec' WHERE title = 'Two'")
    try SQLiteShell.run(library, "UPDATE library_content SET tags = 'winter' WHERE title = 'One'")
    var options = ValidationOptions()
    options.profile = .publish
    let found = try Collecting.findings([library], options: options).filter { $0.code.id == "PUB0116" }
    let columns = found.compactMap(\.place.row).map { "\($0.table)/\($0.column ?? "")" }.sorted()
    #expect(columns == ["checklists/content", "library_content/tags"])
    #expect(found.allSatisfy { $0.place.line == 1 && $0.place.pointer.isEmpty })
  }

  /// Decks have no row in the app's database, because they are stored in the sidecar.
  @Test func decksPointBesideTheLibrary() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    let deck = try scratch.write(
      "deck.json",
      """
      {"id": "98A00000-0000-4000-8000-0000000000D1", "content_type": "flashcard_deck", "title": "Lights",
       "updated_at": "2026-01-01T00:00:00Z", "content_data": {"cards": [{"front": "Red", "back": "red"}]}}
      """)
    let answer = try Shell.fleetkit("import", deck, "--into", library)
    try #require(answer.status == 0, "\(answer.errors)")
    let found = try Collecting.findings([library]).first { $0.code.id == "LNT0701" }
    #expect(
      found?.place.description
        == "\(library)!state.sqlite#records/98A00000-0000-4000-8000-0000000000D1/line:/content_data/cards/0/back")
  }

  @Test func standardInputIsNotReadTwice() throws {
    let answer = try Shell.fleetkit("validate", "-", "--from-format", "json", "--fix", input: Self.content)
    #expect(answer.status == 64 && !answer.errors.isEmpty)
  }

  @Test func aFileWithTwoNamesIsCheckedOnce() throws {
    let scratch = Scratch()
    let path = try scratch.write(
      "a.json",
      """
      {"id": "98A00000-0000-4000-8000-0000000000D1", "content_type": "practice_guide", "title": "Fog",
       "content_data": {"markdown": "Slow down."}}
      """)
    let answer = try Shell.fleetkit("validate", path, scratch.path, "a.json", "--report", "jsonl", folder: scratch.path)
    #expect(answer.status == 0 && answer.output.contains("\"records\":1,"), "\(answer.output)")
  }

  @Test func aByteOrderMarkIsNoColumn() throws {
    let scratch = Scratch()
    let path = try scratch.write("a.json", "\u{FEFF}{\"a\": 1 x}")
    let schema = try Shell.fleetkit("validate", path, "--schema", "checklist", "--report", "jsonl")
    let plain = try Shell.fleetkit("validate", path, "--report", "jsonl")
    #expect(schema.output.contains("\"line\":1,\"column\":9") && plain.output.contains("\"line\":1,\"column\":9"))
  }
}
