import FleetKit
import Foundation
import TestSupport
import Testing

/// Imports whose records of earlier imports are missing or cannot be trusted.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct MergeTrustTests {
  private static let start = SharedList.of("Oil", "Coolant", "Springs off")

  /// Makes one edit in the library and another in the source.
  private func edits(_ bench: Bench, updated: String? = "2026-02-02T00:00:00.000Z") throws -> (
    mine: SharedList, source: SharedList
  ) {
    var mine = Self.start
    mine[1].title = "Oil!"
    try mine.put(into: bench.library)
    var source = Self.start
    source[2].title = "Coolant!"
    source.updated = updated
    return (mine, source)
  }

  @Test func nothingIsWrittenWhereNothingChanged() throws {
    let bench = try Bench()
    try bench.add(Self.start)
    let texts = "SELECT id, run, count, hex(block) FROM bases; SELECT base FROM ledger;"
    let before = try bench.state(texts)
    #expect(!before.isEmpty)
    for _ in 0..<3 { #expect(try bench.add(Self.start).summary.tally[.item].unchanged == 1) }
    #expect(try bench.state(texts) == before)
  }

  /// A library that was moved without its sidecar causes more questions but loses nothing.
  @Test func withoutTheSidecarBothSidesStay() throws {
    let bench = try Bench()
    try bench.add(Self.start)
    let (mine, source) = try edits(bench, updated: nil)
    try FileManager.default.removeItem(atPath: bench.library + ".fleetkit")
    let report = try bench.add(source)
    #expect(report.summary.tally[.item].rejected == 1)
    #expect(try bench.list() == mine.untimed)
    let page = try String(contentsOfFile: try #require(report.conflicts), encoding: .utf8)
    #expect(page.contains("-Oil!") && page.contains("+Oil") && page.contains("+Coolant!"))
    // A decision can choose between both sides, because both are available.
    #expect(try bench.add(source, settling: .ours).summary.tally[.item].rejected == 0)
    #expect(try bench.list() == mine.untimed)
    // The next edit is merged again.
    var next = source
    next[3].title = "Springs!"
    #expect(try bench.add(next).merged == 1)
    #expect(try bench.list().steps.map(\.title) == ["Oil!", "Coolant", "Springs!"])
  }

  /// When an older copy replaces the library, the records that it lacks do not count as deleted.
  @Test func anOlderCopyOfTheLibraryIsNoEdit() throws {
    let bench = try Bench()
    try bench.add(Self.start)
    try FileManager.default.copyItem(atPath: bench.library, toPath: bench.scratch["old.sqlite"])
    var source = Self.start
    source[1].title = "Oil!"
    source.steps.append(SharedList.Step(id: SharedList.step(4), title: "Radio on", text: nil))
    source.updated = "2026-02-05T00:00:00.000Z"
    #expect(try bench.add(source).summary.tally[.item].updated == 1)
    try FileManager.default.removeItem(atPath: bench.library)
    try FileManager.default.copyItem(atPath: bench.scratch["old.sqlite"], toPath: bench.library)
    #expect(try bench.add(source).summary.tally[.item].updated == 1)
    #expect(try bench.list() == source.untimed)
  }

  /// A run that was killed before it changed the library does not provide a base.
  @Test func aKilledRunIsNoBase() throws {
    let bench = try Bench()
    try bench.add(Self.start)
    let (_, source) = try edits(bench)
    try FileManager.default.copyItem(atPath: bench.library, toPath: bench.scratch["old.sqlite"])
    #expect(try bench.add(source).merged == 1)
    let merged = try bench.list()
    // Make the run look as if it had been killed between changing the ledger and changing the library.
    try bench.state(
      """
      UPDATE runs SET state = 'intended' WHERE id = (SELECT max(id) FROM runs);
      INSERT INTO witnesses SELECT max(id), 'item', 'none', NULL, 'none' FROM runs;
      """)
    try FileManager.default.removeItem(atPath: bench.library)
    try FileManager.default.copyItem(atPath: bench.scratch["old.sqlite"], toPath: bench.library)
    #expect(try bench.add(source).merged == 1)
    #expect(try bench.list() == merged)
  }

  /// The changes of a killed run count, even if the app has edited them since.
  @Test func aKilledRunCountsThoughWhatItBroughtWasEdited() throws {
    let bench = try Bench()
    try bench.add(Self.start)
    _ = try bench.state(
      """
      UPDATE runs SET state = 'intended' WHERE id = (SELECT max(id) FROM runs);
      INSERT INTO witnesses SELECT max(id), 'item', '\(SharedList.id)', NULL, 'as it was' FROM runs;
      """)
    try bench.add(Self.start)
    #expect(try bench.state("SELECT DISTINCT state FROM runs;") == "done\n")
  }

  /// A stored text that belongs to a different state of the library is not a base, for example after an older FleetKit
  /// has written the ledger.
  @Test func aTextOfAnotherTimeIsNoBase() throws {
    let bench = try Bench()
    try bench.add(Self.start)
    let (mine, source) = try edits(bench, updated: nil)
    try bench.state("UPDATE ledger SET hash = zeroblob(32);")
    #expect(try bench.add(source).summary.tally[.item].rejected == 1)
    #expect(try bench.list() == mine.untimed)
    // The same applies to a store that never had any base texts.
    try bench.state("UPDATE ledger SET base = NULL; DELETE FROM bases;")
    #expect(try bench.add(source).summary.tally[.item].rejected == 1)
    #expect(try bench.list() == mine.untimed)
  }

  /// The content of another file in a folder is not a base, unless that file was renamed.
  @Test func filesOfAFolderAreNotMixedUp() throws {
    for isRenamed in [false, true] {
      let bench = try Bench()
      try bench.add(Self.start)
      let (mine, source) = try edits(bench, updated: nil)
      if isRenamed { try FileManager.default.removeItem(atPath: bench.source) }
      let other = try bench.scratch.write("other.jsonl", source.line)
      let job = LibraryImport(sources: try SourceList([other]), library: bench.library)
      let report = try job.run(context: RunContext(now: Timestamp(milliseconds: 1_780_000_000_000)))
      if isRenamed {
        #expect(report.merged == 1)
        #expect(try bench.list().steps.map(\.title) == ["Oil!", "Coolant!", "Springs off"])
      } else {
        #expect(report.summary.tally[.item].rejected == 1)
        #expect(try bench.list() == mine.untimed)
      }
    }
  }

  @Test(arguments: [
    (OnConflict.keep, ["Oil!", "Coolant", "Springs off"]), (.replace, ["Oil", "Coolant!", "Springs off"]),
    (.newest, ["Oil!", "Coolant", "Springs off"]),
  ])
  func otherRulesAreAsEver(_ rule: OnConflict, _ titles: [String]) throws {
    let bench = try Bench()
    try bench.add(Self.start)
    let (_, source) = try edits(bench)
    let report = try bench.add(source, onConflict: rule)
    #expect(report.merged == 0 && report.conflicts == nil)
    #expect(try bench.list().steps.map(\.title) == titles)
  }

  /// Decks are stored and merged in the sidecar.
  @Test func decksAreMerged() throws {
    let bench = try Bench()
    func deck(_ back: String, _ other: String, _ updated: String) -> String {
      func card(_ number: Int, _ back: String) -> String {
        "{\"id\":\"\(SharedList.step(number))\",\"front\":\"front \(number)\",\"back\":\"\(back)\"}"
      }
      return "{\"id\":\"\(SharedList.id)\",\"content_type\":\"flashcard_deck\",\"title\":\"Lights\",\"created_at\":"
        + "\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"\(updated)\",\"content_data\":{\"cards\":"
        + "[\(card(1, back)),\(card(2, other))]}}\n"
    }
    try bench.add(more: deck("port", "starboard", "2026-02-01T00:00:00.000Z"))
    // Another bundle changes the first card.
    try FileManager.default.createDirectory(atPath: bench.scratch["b"], withIntermediateDirectories: true)
    let other = try bench.scratch.write("b/o.jsonl", deck("port side", "starboard", "2026-03-01T00:00:00.000Z"))
    let job = LibraryImport(sources: try SourceList([other]), library: bench.library)
    #expect(
      try job.run(context: RunContext(now: Timestamp(milliseconds: 1_780_000_000_000))).summary.tally[.item].updated
        == 1)
    #expect(try bench.add(more: deck("port", "starboard side", "2026-02-02T00:00:00.000Z")).merged == 1)
    let kept = try bench.state("SELECT line FROM records WHERE kind = 'item';")
    #expect(kept.contains("port side") && kept.contains("starboard side"))
  }
}
