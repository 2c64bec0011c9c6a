import Diagnostics
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing
import Validation

/// Each file that `--fix` writes is either replaced in one step, keeping its mode and links, or not changed at all.
@Suite struct FixFileTests {
  private let scratch = Scratch()

  private func fix(_ place: Place, _ text: String = "new") -> Fix {
    Fix(record: place, pointer: JSONPointer([.member("a")]), edit: .text(text))
  }

  private func fix(_ file: String, line: Int = 1) -> Fix { fix(Place(file: file, line: line, column: 1)) }

  @Test func modeAndLinksAreKept() throws {
    let path = try scratch.write("real.json", #"{"a":"old"}"#)
    #expect(chmod(path, 0o640) == 0)
    try FileManager.default.createSymbolicLink(atPath: scratch["link.json"], withDestinationPath: "real.json")
    let report = try FixRun().run([fix(scratch["link.json"])])
    #expect(report.applied == 1 && report.changedFiles == [scratch["link.json"]])
    #expect(try scratch.text("real.json") == #"{"a":"new"}"#)
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o640)
    #expect(lstat(scratch["link.json"], &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(scratch.names == ["link.json", "real.json"])
  }

  @Test func aDryRunChangesNothingAndSaysTheSame() throws {
    let path = try scratch.write("a.jsonl", "{\"a\":\"1\"}\n{\"a\":\"new\"}\n")
    let stamp = FileStamp(path)
    let fixes = [fix(path), fix(path, line: 2)]
    let dry = try FixRun(isDryRun: true).run(fixes)
    #expect(FileStamp(path) == stamp)
    let real = try FixRun().run(fixes)
    #expect(dry.outcomes.map(\.reason) == real.outcomes.map(\.reason))
    #expect(dry.changedFiles == real.changedFiles && real.applied == 1)
    #expect(FileStamp(path) != stamp)
  }

  @Test func aFileThatWasChangedMeanwhileIsLeft() throws {
    let path = try scratch.write("a.json", #"{"a":"old"}"#)
    let stamp = try #require(FileStamp(path))
    _ = try scratch.write("a.json", #"{"a":"other"}"#)
    let report = try FixRun().run([fix(path)], since: [path: stamp])
    #expect(report.applied == 0 && report.changedFiles.isEmpty)
    #expect(report.failures.map(\.status) == [.refused])
    #expect(report.outcomes[0].reason?.isEmpty == false)
    #expect(try scratch.text("a.json") == #"{"a":"other"}"#)
    let now = try #require(FileStamp(path))
    #expect(try FixRun().run([fix(path)], since: [path: now]).applied == 1)
  }

  @Test func librariesArchivesAndStandardInputAreNeverChanged() throws {
    let library = try scratch.writable(try Self.anyLibrary())
    let before = try Data(contentsOf: URL(fileURLWithPath: library))
    let row = Place(file: library, row: Place.Row(table: "checklists", id: "1"))
    let inArchive = Place(file: scratch["a.zip"], member: "a.json", line: 1, column: 1)
    let report = try FixRun().run([fix("-"), fix(row), fix(library), fix(inArchive), fix(Place(file: "x.json"))])
    #expect(report.applied == 0 && report.failures.isEmpty && report.changedFiles.isEmpty)
    #expect(report.outcomes.allSatisfy { $0.reason?.isEmpty == false })
    #expect(Set(report.outcomes.map(\.reason)).count == 4, "both places in libraries have one reason")
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) == before)
  }

  private static func anyLibrary() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: Paths.libraries).sorted()
    return try #require(names.first { $0.hasPrefix("library-v") && $0.hasSuffix(".sqlite") })
  }

  @Test func filesThatCannotBeChangedDoNotStopTheOthers() throws {
    let good = try scratch.write("good.json", #"{"a":"old"}"#)
    let locked = try scratch.write("locked.json", #"{"a":"old"}"#)
    #expect(chmod(locked, 0o444) == 0)
    try FileManager.default.createDirectory(atPath: scratch["folder.json"], withIntermediateDirectories: true)
    #expect(mkfifo(scratch["pipe.json"], 0o600) == 0)
    let large = try scratch.write("large.json", #"{"a":"old"}"#)
    #expect(truncate(large, off_t(FixRun.longest) + 1) == 0)
    let report = try FixRun().run([
      fix(scratch["missing.json"]), fix(scratch["folder.json"]), fix(scratch["pipe.json"]), fix(large), fix(locked),
      fix(good),
    ])
    // The superuser may write to any file.
    let isRoot = geteuid() == 0
    #expect(report.outcomes.map(\.isApplied) == [false, false, false, false, isRoot, true])
    #expect(report.failures.count == (isRoot ? 4 : 5) && report.failures.allSatisfy { $0.status == .failed })
    #expect(report.failures.last { $0.message.contains("large.json") }?.advice?.contains("smaller") == true)
    #expect(try scratch.text("good.json") == #"{"a":"new"}"#)
  }

  @Test func manyFixesInOneLongLineAreQuick() throws {
    let started = ContinuousClock.now
    let count = 5000
    let record = #"{"a":"é old"}"#
    let path = try scratch.write("a.json", "[" + (0..<count).map { _ in record }.joined(separator: ",") + "]")
    let fixes = (0..<count).map { fix(Place(file: path, line: 1, column: 2 + $0 * (record.count + 1))) }
    #expect(try FixRun().run(fixes).applied == count)
    let document = try JSONDocument(parsing: try scratch.text("a.json"))
    #expect(document.root.elements.count == count && document.root.elements.allSatisfy { $0["a"]?.string == "new" })
    #expect(ContinuousClock.now - started < .seconds(60))
  }

  /// Findings and edits of rules, from reading to writing. In notes and tables, only the text itself changes.
  @Test func textsInNotesAndTablesAreFixed() throws {
    let note = "---\ntype: checklist\nlanguage: en_us # ours\n---\n# Leaving  the berth\n\n- [ ] Oil, 5 mins before\n"
    let table = "section,item,minutes\r\nEngine,Check  the oil,5\r\nEngine,\"Open, then  look\",\r\n"
    _ = try scratch.write("berth.md", note)
    _ = try scratch.write("steps.csv", table)
    let answer = try Shell.fleetkit("validate", scratch["berth.md"], scratch["steps.csv"], "--fix")
    #expect(
      try scratch.text("berth.md")
        == note.replacing("en_us", with: "en-US").replacing("Leaving  the", with: "Leaving the"))
    // A quoted cell is left unchanged.
    #expect(try scratch.text("steps.csv") == table.replacing("Check  the", with: "Check the"), "\(answer.output)")
  }

  @Test func findingsOfRulesAreFixed() throws {
    let record =
      #"{"content_type":"checklist","title":"T","content_data":{"sections":[{"title":"S","items":[{"title":"A","isRequired":true,"isOptional":true}]}]}}"#
    let path = try scratch.write("a.json", "[\n  \(record)\n]\n")
    var fixes: [Fix] = []
    let runner = RuleRunner([TitleRule.self])
    _ = try RecordScan(sources: try SourceList([path])).run(context: RunContext(now: Timestamp(milliseconds: 0))) {
      fixes += runner.check($0).compactMap(\.fix)
    }
    #expect(fixes.map(\.before) == [#""T""#])
    #expect(try FixRun().run(fixes).applied == 1)
    #expect(try scratch.text("a.json") == "[\n  \(record.replacing(#""title":"T""#, with: #""title":"Better""#))\n]\n")
  }
}

/// A rule that requires a different title.
private struct TitleRule: Rule {
  static let code = DiagnosticCode("LNT9999", "other-title", .note, "s", why: "w", fix: "f")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let title = item.root?.member("title") else { return }
    report.finding("another title", at: title, edit: .text("Better"))
  }
}
