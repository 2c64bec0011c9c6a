import FleetKit
import Foundation
import TestSupport
import Testing

/// One list that two people edit, one in the app and one in a bundle, checked with the `sqlite3` shell.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct MergedImportTests {
  private static let start = SharedList.of("Oil", "Coolant", "Springs off", "Fenders in")

  /// Puts the list into a library, with a charter on which two steps are ticked.
  private func bench(_ list: SharedList = start) throws -> Bench {
    let bench = try Bench()
    let charter =
      "{\"kind\":\"charter\",\"id\":\"22222222-2222-4222-8222-222222222222\",\"name\":\"Ionian\","
      + "\"location\":\"Lefkas\",\"start_date\":\"2026-05-01\",\"end_date\":\"2026-05-08\",\"created_at\":"
      + "\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}\n"
    let ticks = [1, 3].map { "\"\(SharedList.step($0))\":{\"checked\":true}" }.joined(separator: ",")
    let execution =
      "{\"kind\":\"execution\",\"id\":\"33333333-3333-4333-8333-333333333333\",\"checklist_id\":\"\(SharedList.id)\","
      + "\"charter_id\":\"22222222-2222-4222-8222-222222222222\",\"created_at\":\"2026-01-01T00:00:00Z\","
      + "\"last_updated\":\"2026-01-02T00:00:00Z\",\"item_states\":{\(ticks)}}\n"
    let tally = try bench.add(list, more: charter + execution).summary.tally.total
    #expect(tally.created == 3 && tally.rejected == 0)
    return bench
  }

  @Test(arguments: ["2026-02-02T00:00:00.000Z", "2026-04-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", nil])
  func editsOfDifferentStepsAreMerged(_ updated: String?) throws {
    var source = Self.start
    if updated == nil { source.updated = nil }
    let bench = try bench(source)
    let ticks = try bench.sql("SELECT * FROM checklistExecutionStates;")
    var mine = Self.start
    mine[1].title = "Oil between the marks"
    mine.steps.insert(SharedList.Step(id: SharedList.step(7), title: "Radio on", text: "Channel 16"), at: 1)
    try mine.put(into: bench.library)
    source[3].text = "The windward one last"
    source.remove(4)
    source.updated = updated
    let report = try bench.add(source, now: 1_780_000_060_000)
    #expect(report.summary.tally[.item].updated == 1 && report.merged == 1 && report.conflicts == nil)
    var expected = mine.untimed
    expected[3].text = "The windward one last"
    expected.remove(4)
    #expect(try bench.list() == expected)
    #expect(try bench.sql("SELECT * FROM checklistExecutionStates;") == ticks, "ticks stay where they are")
    // A version that neither side had before gets the current time, and is marked for synchronization.
    let times = try bench.sql(
      "SELECT updatedAt, syncStatus FROM library_content; SELECT updatedAt, syncStatus FROM checklists;")
    #expect(times == "2026-05-28 20:27:40.000|pending\n2026-05-28 20:27:40.000|pending\n")
    let dump = try bench.sql(".dump")
    for _ in 0..<2 {
      #expect(try bench.add(source).summary.tally[.item].unchanged == 1)
      #expect(try bench.sql(".dump") == dump)
    }
    // The source's next edit does not revert the library's own changes.
    source.title = "Casting off"
    #expect(try bench.add(source).summary.tally[.item].updated == 1)
    expected.title = "Casting off"
    #expect(try bench.list() == expected)
    #expect(try bench.sql("PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
  }

  @Test func editsOfTheSameStepAreAConflictAndBothStay() throws {
    let bench = try bench()
    var mine = Self.start
    mine[1].title = "Oil between the marks"
    mine[2].text = "one\ntwo\nthree"
    try mine.put(into: bench.library)
    let dump = try bench.sql(".dump")
    var source = Self.start
    source[1].title = "Oil: check it"
    source[3].title = "Springs off and stowed \u{1B}[31m"
    for _ in 0..<2 {
      let report = try bench.add(source)
      #expect(report.summary.tally[.item].rejected == 1 && report.summary.status == .partial)
      #expect(try bench.sql(".dump") == dump, "the library's record stays whole")
      let rejects = try #require(report.summary.rejectsPath)
      #expect(try String(contentsOfFile: rejects, encoding: .utf8) == source.line, "byte for byte")
      let page = try String(contentsOfFile: try #require(report.conflicts), encoding: .utf8)
      #expect(report.conflicts == rejects.replacing(".jsonl", with: ".conflicts.md"))
      #expect(page.contains("## Leaving the berth") && page.contains("source.jsonl:1:1"))
      #expect(page.contains("-Oil\n+Oil between the marks\n") && page.contains("-Oil\n+Oil: check it\n"))
      #expect(!page.contains("Springs off and stowed"), "a change of one side is not a conflict")
      #expect(!page.utf8.contains(0x1B))
    }
    // Equal changes no longer conflict.
    source[1].title = "Oil between the marks"
    #expect(try bench.add(source).merged == 1)
    var expected = mine.untimed
    expected[3].title = source[3].title
    #expect(try bench.list() == expected)
  }

  @Test func deletionsAreRespectedWhereTheOtherSideChangedNothing() throws {
    let bench = try bench()
    var mine = Self.start
    mine.remove(2)
    mine[1].title = "Oil!"
    try mine.put(into: bench.library)
    var source = Self.start
    source.remove(4)
    #expect(try bench.add(source).merged == 1)
    mine.remove(4)
    #expect(try bench.list() == mine.untimed)
    // Editing a step that the other side deleted is a conflict.
    source[2].title = "Coolant, only while the engine is cold"
    let report = try bench.add(source)
    #expect(report.summary.tally[.item].rejected == 1 && report.conflicts != nil)
    #expect(try bench.list() == mine.untimed)
  }

  @Test func whatOnlyOneSideChangedIsTaken() throws {
    let bench = try bench()
    var source = Self.start
    source[1].title = "Oil!"
    // An older time does not matter if the source's previous content is known.
    source.updated = "2026-01-15T00:00:00.000Z"
    #expect(try bench.add(source).summary.tally[.item].updated == 1)
    #expect(try bench.list() == source.untimed)
    var mine = source
    mine[2].title = "Coolant!"
    try mine.put(into: bench.library)
    let dump = try bench.sql(".dump")
    let tally = try bench.add(source).summary.tally[.item]
    #expect(tally.skipped[.onlyLibraryChanged] == 1)
    #expect(try bench.sql(".dump") == dump)
  }

  @Test func theSameEditOnBothSidesIsNone() throws {
    let bench = try bench()
    var both = Self.start
    both[1].title = "Oil!"
    try both.put(into: bench.library)
    let dump = try bench.sql(".dump")
    let tally = try bench.add(both).summary.tally[.item]
    #expect(tally.unchanged == 1)
    #expect(try bench.sql(".dump") == dump)
    // From then on, this version is the base of both sides.
    both[2].title = "Coolant!"
    #expect(try bench.add(both).summary.tally[.item].updated == 1)
    #expect(try bench.list() == both.untimed)
  }

  @Test func oneSideCanWin() throws {
    for (settling, oil) in [(ConflictResolution.ours, "Mine"), (.theirs, "Theirs")] {
      let bench = try bench()
      var mine = Self.start
      mine[1].title = "Mine"
      mine[2].title = "Coolant, mine"
      try mine.put(into: bench.library)
      var source = Self.start
      source[1].title = "Theirs"
      source[3].title = "Springs, theirs"
      let report = try bench.add(source, settling: settling)
      #expect(report.merged == 1 && report.conflicts == nil && report.summary.tally[.item].updated == 1)
      var expected = mine.untimed
      expected[1].title = oil
      expected[3].title = "Springs, theirs"
      #expect(try bench.list() == expected)
      // The conflict is settled permanently.
      #expect(try bench.add(source).summary.tally[.item].unchanged == 1)
    }
  }

  @Test func chartersAreMergedToo() throws {
    let bench = try bench()
    try bench.sql("UPDATE charters SET name = 'Ionian, second week', updatedAt = '2026-03-01 00:00:00.000';")
    func charter(_ location: String, _ name: String = "Ionian") -> String {
      "{\"kind\":\"charter\",\"id\":\"22222222-2222-4222-8222-222222222222\",\"name\":\"\(name)\",\"location\":\"\(location)\","
        + "\"start_date\":\"2026-05-01\",\"end_date\":\"2026-05-08\",\"created_at\":\"2026-01-01T00:00:00Z\","
        + "\"updated_at\":\"2026-01-01T00:00:00Z\"}\n"
    }
    #expect(try bench.add(Self.start, more: charter("Vonitsa")).summary.tally[.charter].updated == 1)
    #expect(try bench.sql("SELECT name, location FROM charters;") == "Ionian, second week|Vonitsa\n")
    let report = try bench.add(Self.start, more: charter("Vonitsa", "Adriatic"))
    #expect(report.summary.tally[.charter].rejected == 1)
    #expect(try bench.sql("SELECT name FROM charters;") == "Ionian, second week\n")
  }

  /// A tick of either side is kept, whichever is later.
  @Test func ticksOfBothSidesAreMerged() throws {
    let bench = try bench()
    func execution(_ states: String, _ updated: String) -> String {
      "{\"kind\":\"execution\",\"id\":\"33333333-3333-4333-8333-333333333333\",\"checklist_id\":\"\(SharedList.id)\","
        + "\"charter_id\":\"22222222-2222-4222-8222-222222222222\",\"created_at\":\"2026-01-01T00:00:00Z\","
        + "\"last_updated\":\"\(updated)\",\"item_states\":{\(states)}}\n"
    }
    func tick(_ number: Int, _ isOn: Bool) -> String { "\"\(SharedList.step(number))\":{\"checked\":\(isOn)}" }
    // In the app, step 2 is now ticked and step 1 no longer is.
    let states = [tick(1, false), tick(2, true), tick(3, true)].joined(separator: ",")
    try bench.sql(
      "UPDATE checklistExecutionStates SET itemStates = '{\(states)}', lastUpdated = '2026-03-01 00:00:00.000';")
    // The source ticks step 4 later and lacks the library's changes.
    let source = execution([tick(1, true), tick(4, true)].joined(separator: ","), "2026-04-01T00:00:00Z")
    #expect(try bench.add(Self.start, more: source).summary.tally[.execution].updated == 1)
    let expected = [tick(1, false), tick(2, true), tick(3, true), tick(4, true)].joined(separator: ",")
    #expect(try bench.sql("SELECT itemStates FROM checklistExecutionStates;") == "{\(expected)}\n")
    #expect(try bench.add(Self.start, more: source).summary.tally[.execution].unchanged == 1)
  }

  @Test func publishedItemsAreMergedAndWaitToBePublished() throws {
    let bench = try bench()
    var mine = Self.start
    mine[1].title = "Oil!"
    try mine.put(into: bench.library)
    try bench.sql("UPDATE library_content SET visibility = 'public', publicID = 'abc', syncStatus = 'synced';")
    var source = Self.start
    source[2].title = "Coolant!"
    let report = try bench.add(source)
    #expect(report.merged == 1 && report.publishedChanged == 1)
    #expect(
      try bench.sql("SELECT visibility, publicID, syncStatus FROM library_content;") == "public|abc|pending\n")
    #expect(try bench.list().steps.map(\.title) == ["Oil!", "Coolant!", "Springs off", "Fenders in"])
  }

  /// Steps without ids are identified by the titles that they had at the last import.
  @Test func aSourceWithoutIDsIsMerged() throws {
    let bench = try Bench()
    func line(_ titles: String...) -> String {
      let steps = titles.map { "{\"title\":\"\($0)\"}" }.joined(separator: ",")
      return
        "{\"id\":\"\(SharedList.id)\",\"content_type\":\"checklist\",\"title\":\"List\",\"content_data\":"
        + "{\"sections\":[{\"title\":\"A\",\"items\":[\(steps)]}]}}\n"
    }
    try bench.add(more: line("Oil", "Coolant", "Springs off"))
    var mine = try bench.list()
    let ids = mine.steps.map(\.id)
    mine.steps[0].title = "Dipstick between the marks"
    mine.steps.append(SharedList.Step(id: SharedList.step(9), title: "Radio on", text: nil))
    try mine.put(into: bench.library)
    let titles = ["Oil", "Coolant, only while cold", "Radio on", "Springs off"]
    let source = line(titles[0], titles[1], titles[2], titles[3])
    #expect(try bench.add(more: source).merged == 1)
    let merged = try bench.list()
    #expect(
      Set(merged.steps.map(\.title)) == [
        "Dipstick between the marks", "Coolant, only while cold", "Springs off", "Radio on",
      ])
    #expect(merged.steps.count == 4 && Set(merged.steps.map(\.id)) == Set(ids + [SharedList.step(9)]))
    #expect(try bench.add(more: source).summary.tally[.item].unchanged == 1)
    // A step that both sides added becomes one step, even when the source continues to contain it.
    #expect(try bench.add(more: line("Oil", "Coolant, only while cold", "Radio on, 16", "Springs off")).merged == 1)
    #expect(try bench.list().steps.first { $0.id == SharedList.step(9) }?.title == "Radio on, 16")
  }
}
