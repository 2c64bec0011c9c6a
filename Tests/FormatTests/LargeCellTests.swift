import Doctor
import FleetKit
import Foundation
import TestSupport
import Testing

/// Cells that are cheap to store but could cost gigabytes to read are reported, kept unchanged, and not repaired.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there")) struct LargeCellTests {
  private static let crew = "43A324AA-5A48-4FBB-941F-F39D2D051ED6"

  private func library(_ scratch: borrowing Scratch, _ sql: String) throws -> String {
    let path = scratch["library.sqlite"]
    try FileManager.default.copyItem(atPath: Libraries.path("library-v2.2.0.sqlite"), toPath: path)
    try SQLiteShell.run(path, sql)
    return path
  }

  /// Returns `[{"items":[element,element,…]}]` as an SQL expression.
  private func content(_ element: String, _ count: Int) -> String {
    "'[{\"items\":[' || replace(hex(zeroblob(\(count))), '00', '\(element),') || '\(element)]}]'"
  }

  /// Content with too many values, and content that is too long when all members are written.
  @Test(arguments: [("0", 1_200_000), ("{}", 200_000)])
  func contentThatIsTooLarge(_ element: String, _ count: Int) throws {
    let scratch = Scratch()
    let path = try library(
      scratch,
      """
      UPDATE checklists SET content = \(content(element, count)) WHERE id = '\(Self.crew)';
      UPDATE library_content SET tags = 'anchor; chain' WHERE type = 'practice_guide';
      """)
    let cell = "SELECT content FROM checklists WHERE id = '\(Self.crew)'"
    let before = try SQLiteShell.run(path, cell)
    let mine = try Run.findings(path).filter { $0.place.row?.id == Self.crew && $0.place.row?.table == "checklists" }
    #expect(mine.map(\.code) == [.recordTooLarge] && mine.first?.place.row?.column == "content")
    let record = try #require(try Run.records(path).first { $0["id"]?.string == Self.crew })
    #expect(record["content_data"]?["sections"]?.elements.isEmpty == true)
    #expect(record["extras"]?["raw"]?["content"]?.string.map { $0 + "\n" } == before)
    let validation = try Shell.fleetkit("validate", path, "--report", "jsonl", "--max-findings", "0")
    #expect(validation.status == 1 && validation.output.components(separatedBy: "\"code\":\"BND0113\"").count == 2)
    // If a cell contains too many values, the ids of its steps are not read, so ticks without a step are not reported.
    // If only the written form would be too long, such ticks are reported.
    #expect(try Run.findings(path).contains { $0.code == .itemStateWithoutItem } == (element != "0"))
    let repair = try Clinic.repair(path)
    #expect(!repair.isEmpty && (repair.quarantine == nil) == (element == "0"))
    #expect(try SQLiteShell.run(path, cell) == before)
    #expect(try !Run.findings(path).contains { $0.code == .tagsNotStrings })
  }

  @Test func ticksThatAreTooMany() throws {
    let scratch = Scratch()
    let ticks = "SELECT '{' || group_concat('\"' || x || '\":{\"checked\":true}') || '}' FROM c"
    let path = try library(
      scratch,
      """
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 12000)
      UPDATE checklistExecutionStates SET itemStates = (\(ticks))
        WHERE id = (SELECT min(id) FROM checklistExecutionStates);
      """)
    let found = try Run.findings(path)
    for code in [DiagnosticCode.itemStateKeyNotUUID, .itemStateWithoutItem] {
      #expect(found.filter { $0.code == code }.count == 10_000)
    }
    // The repair reads all ids.
    let repair = try Clinic.repair(path)
    let quarantine = try Run.records(try #require(repair.quarantine)).filter { $0["kind"]?.string == "execution" }
    #expect(quarantine.map { $0["item_states"]?.members.count } == [12_000])
  }

  @Test func marksWithoutEnd() throws {
    let marks = "replace(hex(zeroblob(20000)), '00', char(769) || char(803))"
    let scratch = Scratch()
    let path = try library(
      scratch,
      """
      UPDATE practice_guides SET markdown = 'before' || \(marks) || 'after', tags = \(marks);
      UPDATE library_content SET id = \(marks) WHERE id = '\(Self.crew)';
      CREATE TABLE odd (a TEXT); INSERT INTO odd VALUES (\(marks));
      """)
    let stored = try SQLiteShell.run(path, "SELECT hex(markdown) FROM practice_guides LIMIT 1")
    // Each line is valid JSON again.
    let records = try Run.records(path)
    let guides = records.filter { $0["content_type"]?.string == "practice_guide" }
    for guide in guides {
      let text = Array((guide["content_data"]?["markdown"]?.string ?? "").utf8)
      #expect(text.starts(with: "before".utf8) && text.suffix(5).elementsEqual("after".utf8) && text.count < 2000)
      #expect(
        guide["extras"]?["raw"]?["markdown"]?["$hex"]?.string.map { $0.uppercased() + "\n" } == stored)
    }
    #expect(records.contains { $0["kind"]?.string == "foreign" && $0.text.contains("$hex") })
    let findings = try Run.findings(path)
    #expect(findings.filter { $0.code == .endlessMarks }.count == 2 * guides.count)
    #expect(findings.filter { $0.code == .idNotUUID }.allSatisfy { $0.place.description.utf8.count < 2000 })
    #expect(try Shell.fleetkit("validate", path, "--quiet").status == 1)
    try Clinic.repair(path)
    #expect(try SQLiteShell.run(path, "SELECT hex(markdown) FROM practice_guides LIMIT 1") == stored)
  }
}
