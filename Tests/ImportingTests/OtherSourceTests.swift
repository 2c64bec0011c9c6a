import FleetKit
import Foundation
import TestSupport
import Testing

/// The same record from another folder. That folder is a different source, so there is no previous version.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct OtherSourceTests {
  private static let start = SharedList.of("Oil", "Coolant", "Springs off")
  private static let newer = "2026-06-01T00:00:00.000Z"

  /// Imports a list from its own folder.
  private func add(
    _ bench: Bench, _ list: SharedList, from folder: String = "other", settling: ConflictResolution = .reject
  ) throws -> (report: LibraryImport.Report, wholes: [Diagnostic]) {
    try FileManager.default.createDirectory(atPath: bench.scratch[folder], withIntermediateDirectories: true)
    let path = try bench.scratch.write("\(folder)/source.jsonl", list.line)
    var job = LibraryImport(sources: try SourceList([path]), library: bench.library)
    job.settling = settling
    let context = RunContext(now: Timestamp(milliseconds: 1_790_000_000_000))
    let report = try job.run(context: context)
    return (report, context.findings.kept.filter { $0.code.id == "MRG0102" })
  }

  /// Makes one edit in the library and another in the source.
  private func edited(
    _ bench: Bench, updated: String? = newer
  ) throws -> (mine: SharedList, source: SharedList) {
    try bench.add(Self.start)
    var mine = Self.start
    mine[1].title = "Oil!"
    try mine.put(into: bench.library)
    var source = Self.start
    source[2].title = "Coolant!"
    source.updated = updated
    return (mine, source)
  }

  @Test func editsOfBothSidesAreMerged() throws {
    let bench = try Bench()
    var (mine, source) = try edited(bench)
    let (report, wholes) = try add(bench, source)
    #expect(report.merged == 1 && wholes.isEmpty && report.summary.tally[.item].updated == 1)
    mine[2].title = "Coolant!"
    #expect(try bench.list() == mine.untimed)
    // From now on, this source has its own base.
    let dump = try bench.sql(".dump")
    #expect(try add(bench, source).report.summary.tally[.item].unchanged == 1)
    #expect(try bench.sql(".dump") == dump)
    source[3].title = "Springs!"
    #expect(try add(bench, source).report.merged == 1)
    mine[3].title = "Springs!"
    #expect(try bench.list() == mine.untimed)
  }

  @Test func editsOfTheSameAreAConflict() throws {
    for (settling, title) in [(ConflictResolution.reject, "Oil!"), (.ours, "Oil!"), (.theirs, "Oil?")] {
      let bench = try Bench()
      var (mine, source) = try edited(bench)
      source[1].title = "Oil?"
      let (report, wholes) = try add(bench, source, settling: settling)
      mine[1].title = title
      if case .reject = settling {
        #expect(report.summary.tally[.item].rejected == 1 && report.summary.status == .partial)
      } else {
        mine[2].title = "Coolant!"
        #expect(report.summary.tally[.item].updated == 1)
      }
      #expect(wholes.isEmpty)
      #expect(try bench.list() == mine.untimed)
    }
  }

  /// A copy that is older than the common base does not revert any change.
  @Test func anOlderCopyStaysOut() throws {
    let bench = try Bench()
    let (mine, _) = try edited(bench)
    var old = Self.start
    old.remove(3)
    old.updated = "2026-01-15T00:00:00.000Z"
    let (report, wholes) = try add(bench, old)
    #expect(report.summary.tally[.item].skipped[.libraryNewer] == 1)
    #expect(wholes.map(\.record) == ["item \(SharedList.id)"])
    #expect(try bench.list() == mine.untimed)
  }

  /// Without times it is unknown which version is older.
  @Test func withoutATimeItIsAConflict() throws {
    let bench = try Bench()
    let (mine, source) = try edited(bench, updated: nil)
    #expect(try add(bench, source).report.summary.tally[.item].rejected == 1)
    #expect(try bench.list() == mine.untimed)
  }

  /// An id that was derived from a name does not identify the record's origin.
  @Test func anIDFromANameIsNoBase() throws {
    let bench = try Bench()
    var mine = Self.start
    mine.id = "11111111-1111-5111-8111-111111111111"
    try bench.add(mine)
    var source = mine
    mine[1].title = "Oil!"
    try mine.put(into: bench.library)
    source[2].title = "Coolant!"
    source.updated = Self.newer
    let (report, wholes) = try add(bench, source)
    #expect(report.merged == 0 && wholes.count == 1)
    #expect(try SharedList.read(bench.library, mine.id) == source.untimed)
  }

  /// If no base is known, the newer version is used as a whole, and the run reports this once.
  @Test func whatIsTakenWholeIsSaidOnce() throws {
    let bench = try Bench()
    let (_, source) = try edited(bench)
    try FileManager.default.removeItem(atPath: bench.library + ".fleetkit")
    let (report, wholes) = try add(bench, source)
    #expect(report.summary.tally[.item].updated == 1 && report.summary.status.rawValue == 0)
    #expect(try bench.list() == source.untimed)
    let note = try #require(wholes.first)
    #expect(wholes.count == 1 && note.severity == .warning)
    #expect(note.record == "item \(SharedList.id)")
    #expect(note.place.description.hasSuffix("source.jsonl:1:1"))
    #expect(try add(bench, source).wholes.isEmpty, "nothing changed")
  }

  /// With or without a base, the option that decides conflicts never loses the text of the winning side.
  @Test(arguments: [(ConflictResolution.ours, "Oil!", "Coolant"), (.theirs, "Oil", "Coolant!")])
  func withoutABaseTheFlagDecides(_ settling: ConflictResolution, _ oil: String, _ coolant: String) throws {
    for updated in [Self.newer, "2026-01-15T00:00:00.000Z"] {
      let bench = try Bench()
      var (mine, source) = try edited(bench, updated: updated)
      mine.steps.append(SharedList.Step(id: SharedList.step(8), title: "Only here", text: nil))
      try mine.put(into: bench.library)
      source.steps.insert(SharedList.Step(id: SharedList.step(9), title: "Only there", text: nil), at: 0)
      try FileManager.default.removeItem(atPath: bench.library + ".fleetkit")
      let (report, wholes) = try add(bench, source, settling: settling)
      #expect(report.summary.tally[.item].updated == 1 && wholes.isEmpty)
      let steps = try bench.list().steps
      #expect(Set(steps.map(\.title)) == [oil, coolant, "Springs off", "Only here", "Only there"])
      #expect(steps.count == 5)
    }
  }

  /// A record with a conflict was still read, so it does not make deletions uncertain.
  @Test func goneIsSaidBesideAConflict() throws {
    let bench = try Bench()
    var other = SharedList.of("Anchor", "Chain")
    other.id = "22222222-2222-4222-8222-222222222222"
    try bench.add(Self.start, other)
    var mine = Self.start
    mine[1].title = "Oil!"
    try mine.put(into: bench.library)
    var source = Self.start
    source[1].title = "Oil?"
    for hasUnreadable in [true, false] {
      let text = source.line + (hasUnreadable ? "{\"content_type\":\"checklist\",\"title\":7}\n" : "")
      _ = try bench.scratch.write("source.jsonl", text)
      let context = RunContext(now: Timestamp(milliseconds: 1_790_000_000_000))
      let job = LibraryImport(sources: try SourceList([bench.source]), library: bench.library)
      let report = try job.run(context: context)
      #expect(report.summary.tally.total.rejected == (hasUnreadable ? 2 : 1))
      let gone = context.findings.kept.filter { $0.code.id == "IMP0105" }
      #expect(gone.count == (hasUnreadable ? 0 : 1))
    }
  }
}
