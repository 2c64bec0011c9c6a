import Content
import Diagnostics
import FleetKit
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

/// The library keeps values that a source cannot hold.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct OverlayTests {
  static let id = "11111111-1111-4111-8111-111111111111"
  /// The columns of a step table, without `minutes` and `details`.
  static let steps = FieldCoverage(
    item: ["title", "language"], document: ["sections"], section: ["id", "title", "items"],
    step: ["id", "title", "isRequired"])

  static func item(_ sections: String, updated: String? = "2026-01-05T10:00:00.000Z", more: String = "") -> String {
    let times = updated.map { ",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"\($0)\"" } ?? ""
    return """
      {"id":"\(id)","content_type":"checklist","title":"Departure"\(times)\(more),"content_data":{"sections":[\(sections)]}}

      """
  }

  static let full = item(
    """
    {"title":"Deck","icon":"⚓","description":"Above","isExpandedByDefault":false,"items":[\
    {"title":"Fenders","itemDescription":"All six","tags":["lines"],"estimatedMinutes":5},\
    {"title":"Lines","isRequired":true,"estimatedMinutes":2},{"title":"Gangway"}]},\
    {"title":"Below","items":[{"title":"Hatches","itemDescription":"Dogged"}]}
    """, more: ",\"tags\":[\"a\"],\"description\":\"Before leaving\"")

  /// The same content as read from a table.
  static let plain = item(
    """
    {"title":"Deck","items":[{"title":"Fenders"},{"title":"Lines","isRequired":true},{"title":"Gangway"}]},\
    {"title":"Below","items":[{"title":"Hatches"}]}
    """)

  static func context(retry: Bool = false) -> RunContext {
    RunContext(findings: DiagnosticLog(keepPerCode: 100), now: Timestamp(milliseconds: 1_800_000_000_000))
  }

  @discardableResult
  static func bring(
    _ source: String, _ format: PartSource, into library: String, _ onConflict: OnConflict = .merge,
    context: RunContext = context()
  ) throws -> LibraryImport.Report {
    var job = LibraryImport(
      sources: try SourceList([source], registry: FormatRegistry([format] + FormatRegistry.standard.formats)),
      library: library)
    job.onConflict = onConflict
    let report = try job.run(context: context)
    #expect(report.summary.tally.balances)
    return report
  }

  /// Creates a library with the full checklist.
  static func library(_ scratch: Scratch) throws -> String {
    let library = scratch["library.sqlite"]
    var job = LibraryImport(
      sources: try SourceList([try scratch.write("full.jsonl", full)]), library: library)
    job.createsLibrary = true
    _ = try job.run(context: context())
    return library
  }

  /// Returns the checklist as read from the library.
  static func read(_ library: String) throws -> JSONValue {
    var found: JSONValue?
    try RecordScan(sources: SourceList([library])).run(context: context()) {
      if $0.kind == .item { found = try $0.document().root }
    }
    return try #require(found)
  }

  static func titles(_ item: JSONValue) -> [[String]] {
    item["content_data"]?["sections"]?.elements.map { section in
      section["items"]?.elements.compactMap { $0["title"]?.string } ?? []
    } ?? []
  }

  static func ids(_ item: JSONValue) -> [String: String] {
    var ids: [String: String] = [:]
    for section in item["content_data"]?["sections"]?.elements ?? [] {
      for step in section["items"]?.elements ?? [] { ids[step["title"]?.string ?? ""] = step["id"]?.string }
    }
    return ids
  }

  // MARK: Nothing to report

  @Test func whatATableCannotSayIsNoChange() throws {
    let scratch = Scratch()
    let library = try Self.library(scratch)
    let before = try SQLiteShell.run(library, ".dump")
    let source = try scratch.write("steps.part", Self.plain)
    for mode in [OnConflict.merge, .newest, .keep, .replace, .fail] {
      let tally = try Self.bring(source, PartSource(said: Self.steps), into: library, mode).summary.tally
      #expect(tally.total.unchanged == 1 && tally.total.updated == 0 && tally.rows.unchanged == 4)
    }
    #expect(try SQLiteShell.run(library, ".dump") == before)
  }

  /// An empty cell does not show whether a value is empty or missing.
  @Test func whatIsEmptyOnBothSidesIsNoChange() throws {
    let scratch = Scratch()
    let library = scratch["library.sqlite"]
    let empty = Self.full.replacing("\"Before leaving\"", with: "\"\"").replacing("\"All six\"", with: "\"\"")
    var job = LibraryImport(sources: try SourceList([try scratch.write("full.jsonl", empty)]), library: library)
    job.createsLibrary = true
    _ = try job.run(context: Self.context())
    var said = Self.steps
    said.item.insert("description")
    said.step.insert("itemDescription")
    let plain = Self.plain.replacing("\"Hatches\"", with: "\"Hatches\",\"itemDescription\":\"Dogged\"")
    let report = try Self.bring(try scratch.write("steps.part", plain), PartSource(said: said), into: library)
    #expect(report.summary.tally.total.unchanged == 1 && report.stepChanges.total == 0)
  }

  @Test func anEditIsTakenAndTheRestStays() throws {
    let scratch = Scratch()
    let library = try Self.library(scratch)
    let old = try Self.read(library)
    let edited = Self.plain.replacing("\"Fenders\"", with: "\"All fenders\"")
    let source = try scratch.write("steps.part", edited)
    let report = try Self.bring(source, PartSource(said: Self.steps), into: library)
    #expect(report.summary.tally.total.updated == 1)
    #expect(report.summary.tally.rows.updated == 1 && report.summary.tally.rows.unchanged == 3)
    #expect(report.stepChanges.steps == [.changed: 1])
    #expect(report.stepChanges.entries.first?.title == "Fenders")
    #expect(report.stepChanges.entries.first?.newTitle == "All fenders")
    let new = try Self.read(library)
    let step = try #require(new["content_data"]?["sections"]?[0]?["items"]?[0])
    #expect(step["title"]?.string == "All fenders" && step["itemDescription"]?.string == "All six")
    #expect(step["estimatedMinutes"]?.integer == 5 && step["tags"]?.elements.first?.string == "lines")
    #expect(Self.ids(new)["All fenders"] == Self.ids(old)["Fenders"])
    let section = try #require(new["content_data"]?["sections"]?[0])
    #expect(section["icon"]?.string == "⚓" && section["isExpandedByDefault"]?.bool == false)
    #expect(new["tags"]?.elements.count == 1 && new["description"]?.string == "Before leaving")
    // The table has the time of the export, but the change gets the current time.
    #expect(new["updated_at"]?.string == "2027-01-15T08:00:00.000Z")
    #expect(new["created_at"]?.string == old["created_at"]?.string)
    let again = try Self.bring(source, PartSource(said: Self.steps), into: library).summary.tally
    #expect(again.total.unchanged == 1 && again.rows.unchanged == 4)
  }

  // MARK: Which side changed

  @Test func whatTheAppChangedSinceTheExportIsNotWrittenOver() throws {
    let scratch = Scratch()
    let home = Scratch()
    let library = try Self.library(home)
    try SQLiteShell.run(library, "UPDATE library_content SET updatedAt = '2026-03-01 00:00:00.000', title = 'Leaving';")
    let source = try scratch.write("steps.part", Self.plain.replacing("\"Fenders\"", with: "\"All fenders\""))
    let report = try Self.bring(source, PartSource(said: Self.steps), into: library)
    #expect(report.summary.tally.total.rejected == 1 && report.summary.tally.rows.rejected == 4)
    let reasons = try #require(report.summary.rejectsPath).replacing(".jsonl", with: ".reasons.jsonl")
    #expect(try String(contentsOfFile: reasons, encoding: .utf8).contains("\"IMP0101\""))
    #expect(Self.titles(try Self.read(library))[0][0] == "Fenders")
  }

  @Test func whatOnlyTheAppChangedSinceTheLastImportStays() throws {
    let scratch = Scratch()
    let library = try Self.library(scratch)
    let source = try scratch.write("steps.part", Self.plain.replacing("\"Fenders\"", with: "\"All fenders\""))
    try Self.bring(source, PartSource(said: Self.steps), into: library)
    try SQLiteShell.run(
      library, "UPDATE library_content SET updatedAt = '2028-03-01 00:00:00.000', title = 'Leaving';")
    let report = try Self.bring(source, PartSource(said: Self.steps), into: library)
    #expect(report.summary.tally[.item].skipped == [.onlyLibraryChanged: 1])
    #expect(report.summary.tally.rows.skipped == 4)
    #expect(try Self.read(library)["title"]?.string == "Leaving")
  }

  @Test func withoutTimesTheLastImportTellsWhoChangedIt() throws {
    let scratch = Scratch()
    let library = scratch["new.sqlite"]
    let plain = Self.plain.replacing(
      ",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"2026-01-05T10:00:00.000Z\"", with: "")
    let source = try scratch.write("steps.part", plain)
    let format = PartSource(said: Self.steps)
    var job = LibraryImport(
      sources: try SourceList([source], registry: FormatRegistry([format])), library: library)
    job.createsLibrary = true
    let first = try job.run(context: Self.context())
    #expect(first.summary.tally.rows.created == 4 && first.summary.tally.rows.balances)
    #expect(try Self.bring(source, format, into: library).summary.tally.total.unchanged == 1)
    _ = try scratch.write("steps.part", plain.replacing("\"Fenders\"", with: "\"All fenders\""))
    let edited = try Self.bring(source, format, into: library)
    #expect(edited.summary.tally.total.updated == 1 && edited.stepChanges.steps == [.changed: 1])
    #expect(try Self.bring(source, format, into: library).summary.tally.total.unchanged == 1)
    // Another library has no record of the source, so it is unknown which side is right.
    let home = Scratch()
    let other = try Self.library(home)
    let conflict = try Self.bring(source, format, into: other)
    #expect(conflict.summary.tally.total.rejected == 1)
    #expect(try Self.bring(source, format, into: other, .replace).summary.tally.total.updated == 1)
  }

  // MARK: Only some steps

  @Test func aRejectedRowTakesNothingAway() throws {
    let scratch = Scratch()
    let library = try Self.library(scratch)
    // "Lines" was rejected, "Hatches" is now first, and there is one more step.
    let some = Self.item(
      """
      {"title":"Deck","items":[{"title":"Gangway"},{"title":"Anchor ball"},{"title":"Fenders"}]},\
      {"title":"Below","items":[{"title":"Hatches"}]}
      """)
    let source = try scratch.write("steps.part", some)
    let report = try Self.bring(source, PartSource(said: Self.steps, isPartial: true), into: library)
    let titles = Self.titles(try Self.read(library))
    #expect(titles == [["Gangway", "Anchor ball", "Fenders", "Lines"], ["Hatches"]])
    #expect(report.stepChanges.steps == [.added: 1, .moved: 1])
    let tally = try Self.bring(source, PartSource(said: Self.steps, isPartial: true), into: library).summary.tally
    #expect(tally.total.unchanged == 1)
  }

  /// The row that describes the checklist may be among the rejected rows.
  @Test func aRejectedRowTakesNoDescriptionAway() throws {
    let scratch = Scratch()
    let library = try Self.library(scratch)
    let before = try Self.read(library)["description"]?.string
    #expect(before != nil)
    var said = Self.steps
    said.item.formUnion(["description", "tags"])
    let source = try scratch.write("steps.part", Self.plain)
    _ = try Self.bring(source, PartSource(said: said, isPartial: true), into: library)
    #expect(try Self.read(library)["description"]?.string == before)
    _ = try Self.bring(source, PartSource(said: said), into: library)
    #expect(try Self.read(library)["description"]?.string == nil)
  }

  @Test func aSectionThatOnlyTheLibraryHasStaysWhereItIs() throws {
    let scratch = Scratch()
    let library = try Self.library(scratch)
    let source = try scratch.write("steps.part", Self.item("{\"title\":\"Below\",\"items\":[{\"title\":\"Gas\"}]}"))
    try Self.bring(source, PartSource(said: Self.steps, isPartial: true), into: library)
    #expect(Self.titles(try Self.read(library)) == [["Fenders", "Lines", "Gangway"], ["Hatches", "Gas"]])
  }

  @Test func aTableWithoutSectionsLeavesStepsInTheirs() throws {
    let scratch = Scratch()
    let library = try Self.library(scratch)
    var said = Self.steps
    said.section = ["items"]
    let source = try scratch.write(
      "steps.part",
      Self.item(
        """
        {"title":"","items":[{"title":"Fenders"},{"title":"Shore power"},{"title":"Lines","isRequired":true},\
        {"title":"Gangway"},{"title":"Hatches"},{"title":"Gas"}]}
        """))
    let report = try Self.bring(source, PartSource(said: said), into: library)
    #expect(report.stepChanges.steps == [.added: 2])
    let item = try Self.read(library)
    #expect(Self.titles(item) == [["Fenders", "Shore power", "Lines", "Gangway"], ["Hatches", "Gas"]])
    #expect(item["content_data"]?["sections"]?[0]?["title"]?.string == "Deck")
  }
}
