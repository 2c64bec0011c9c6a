import FleetKit
import Foundation
import TestSupport
import Testing

/// Five thousand rows of a spreadsheet. Some are bad, corrected and retried; the table is imported twice, edited and
/// shuffled.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct BulkImportTests {
  static func context(_ reading: ReadingOptions = ReadingOptions()) -> RunContext {
    RunContext(
      findings: DiagnosticLog(keepPerCode: 100), reading: reading, now: Timestamp(milliseconds: 1_800_000_000_000))
  }

  @discardableResult
  static func bring(_ source: String, into library: String) throws -> LibraryImport.Report {
    var job = LibraryImport(sources: try SourceList([source]), library: library)
    job.createsLibrary = true
    let report = try job.run(context: context())
    #expect(report.summary.tally.balances)
    return report
  }

  static func retry(_ path: String, into library: String) throws -> LibraryImport.Report {
    let rejects = try RejectsRetry(path)
    let report = try LibraryImport(retrying: rejects, library: library).run(
      context: context(rejects.reading(ReadingOptions())))
    #expect(report.summary.tally.balances)
    return report
  }

  /// Returns the steps in order, each with its id, checklist, section and title.
  static func steps(_ library: String) throws -> [(id: String, row: BulkTable.Row)] {
    var found: [(id: String, row: BulkTable.Row)] = []
    try RecordScan(sources: SourceList([library])).run(context: context()) { record in
      guard record.kind == .item else { return }
      let item = try record.document().root
      for section in item["content_data"]?["sections"]?.elements ?? [] {
        for step in section["items"]?.elements ?? [] {
          found.append(
            (
              step["id"]?.string ?? "",
              BulkTable.Row(
                checklist: item["title"]?.string ?? "", section: section["title"]?.string ?? "",
                item: step["title"]?.string ?? "",
                minutes: step["estimatedMinutes"]?.integer.map(String.init) ?? "")
            ))
        }
      }
    }
    return found
  }

  /// Returns the rows of each checklist, in order.
  private static func byList(_ rows: [BulkTable.Row]) -> [String: [BulkTable.Row]] {
    Dictionary(grouping: rows, by: \.checklist)
  }

  // MARK: Bad rows

  @Test func thirtySevenBadRowsAreCorrectedAndComeInLater() throws {
    let scratch = Scratch()
    let good = BulkTable()
    var bad = good
    for number in 0..<37 { bad.rows[number * 131 + 3].minutes = "a while" }
    let source = try scratch.write("steps.csv", bad.csv)
    let library = scratch["library.sqlite"]
    let first = try Self.bring(source, into: library).summary
    #expect(first.status == .partial)
    #expect(first.tally.rows.read == 5_000 && first.tally.rows.created == 4_963 && first.tally.rows.rejected == 37)
    #expect(first.tally[.item].created == 250 && first.tally[.item].rejected == 0)
    #expect(try Self.steps(library).count == 4_963)

    // The rejects form a table like the original, with the reasons in a file next to it.
    let rejects = try #require(first.rejectsPaths.first)
    #expect(first.rejectsPaths.count == 1 && rejects.hasSuffix(".csv"))
    let text = try String(contentsOfFile: rejects, encoding: .utf8)
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.first == "checklist,section,item,minutes" && lines.count == 39 && lines.last == "")
    #expect(Array(lines[1...37]) == bad.rows.filter { $0.minutes == "a while" }.map(\.line))
    let reasons = try String(
      contentsOfFile: rejects.replacing(".csv", with: ".reasons.jsonl"), encoding: .utf8
    ).split(separator: "\n")
    #expect(reasons.count == 38 && reasons.dropFirst().allSatisfy { $0.contains("minutes") })

    // A second import deletes nothing and adds nothing twice.
    let again = try Self.bring(source, into: library)
    #expect(again.summary.tally.rows.unchanged == 4_963 && again.summary.tally.rows.rejected == 37)
    #expect(again.summary.tally.total.updated == 0 && again.stepChanges.total == 0)

    // One row is corrected wrongly and remains rejected.
    var number = 0
    let corrected = lines.map { line in
      guard line.hasSuffix("\"a while\"") else { return line }
      let row = good.rows[number * 131 + 3]
      number += 1
      return number == 20 ? line : row.line
    }
    try corrected.joined(separator: "\r\n").write(toFile: rejects, atomically: true, encoding: .utf8)
    let retried = try Self.retry(rejects, into: library)
    #expect(retried.summary.tally.rows.read == 37 && retried.summary.tally.rows.created == 36)
    #expect(retried.summary.tally.rows.rejected == 1 && retried.stepChanges.steps == [.added: 36])
    let left = try #require(retried.summary.rejectsPaths.first)
    let leftText = try String(contentsOfFile: left, encoding: .utf8)
    try leftText.replacing("\"a while\"", with: "\"\(good.rows[19 * 131 + 3].minutes)\"")
      .write(toFile: left, atomically: true, encoding: .utf8)
    let last = try Self.retry(left, into: library).summary
    #expect(last.tally.rows.created == 1 && last.tally.rows.rejected == 0 && last.rejectsPaths.isEmpty)

    // All steps exist, each in its position.
    #expect(Self.byList(try Self.steps(library).map(\.row)) == Self.byList(good.rows))
    // The uncorrected table deletes nothing, and the corrected table equals the library.
    let unfixed = try Self.bring(source, into: library)
    #expect(unfixed.stepChanges.total == 0 && unfixed.summary.tally.total.updated == 0)
    _ = try scratch.write("steps.csv", good.csv)
    let fixed = try Self.bring(source, into: library)
    #expect(fixed.summary.tally.rows.unchanged == 5_000 && fixed.stepChanges.total == 0)
    #expect(try Self.steps(library).count == 5_000)
  }

  /// Cells that continue the cell above are also empty in the rejects.
  @Test func aRejectedRowGoesBackIntoTheChecklistAndSectionAboveIt() throws {
    let scratch = Scratch()
    let source = try scratch.write(
      "steps.csv",
      """
      checklist,section,item,minutes
      Leaving,Engine,Oil,5
      ,,Sea cock,soon
      ,Lines,Springs off,soon
      ,,Fenders in,
      Arriving,,Fenders out,
      ,,Anchor ready,soon

      """)
    let library = scratch["library.sqlite"]
    let first = try Self.bring(source, into: library).summary
    #expect(first.tally.rows.rejected == 3 && first.tally.rows.created == 3)
    let rejects = try #require(first.rejectsPaths.first)
    let text = try String(contentsOfFile: rejects, encoding: .utf8)
    #expect(text == "checklist,section,item,minutes\n,,Sea cock,soon\n,Lines,Springs off,soon\n,,Anchor ready,soon\n")
    try text.replacing("soon", with: "2").write(toFile: rejects, atomically: true, encoding: .utf8)
    let last = try Self.retry(rejects, into: library).summary
    #expect(last.tally[.item].updated == 2 && last.tally[.item].created == 0 && last.tally.rows.created == 3)
    #expect(
      Self.byList(try Self.steps(library).map(\.row)).mapValues { $0.map { $0.section + "/" + $0.item } } == [
        "Leaving": ["Engine/Oil", "Engine/Sea cock", "Lines/Springs off", "Lines/Fenders in"],
        "Arriving": ["Arriving/Fenders out", "Arriving/Anchor ready"],
      ])
  }

  // MARK: Edits

  /// Ticks every step of every fifth checklist on a charter.
  private static func tick(_ library: String, _ scratch: Scratch) throws {
    var lines = [
      "{\"kind\":\"charter\",\"id\":\"C0000000-0000-4000-8000-000000000001\",\"name\":\"Summer\","
        + "\"start_date\":\"2026-07-01T00:00:00.000Z\",\"end_date\":\"2026-07-08T00:00:00.000Z\"}"
    ]
    var number = 0
    try RecordScan(sources: SourceList([library])).run(context: context()) { record in
      number += 1
      guard record.kind == .item, number % 5 == 0 else { return }
      let item = try record.document().root
      let ids = item["content_data"]?["sections"]?.elements.flatMap { $0["items"]?.elements ?? [] }.compactMap {
        $0["id"]?.string
      }
      let states = (ids ?? []).map { "\"\($0)\":{\"checked\":true,\"checkedAt\":\"2026-07-02T08:00:00Z\"}" }
      lines.append(
        "{\"kind\":\"execution\",\"id\":\"E0000000-0000-4000-8000-\(String(format: "%012d", number))\","
          + "\"checklist_id\":\"\(record.id)\",\"charter_id\":\"C0000000-0000-4000-8000-000000000001\","
          + "\"item_states\":{\(states.joined(separator: ","))}}")
    }
    try bring(try scratch.write("charter.jsonl", lines.joined(separator: "\n") + "\n"), into: library)
  }

  private static func check(
    _ edited: LibraryImport.Report, _ edit: BulkTable.Edit, before: [(id: String, row: BulkTable.Row)],
    ticks: String, _ library: String
  ) throws {
    #expect(edited.stepChanges.steps[.changed] == 12 && edited.stepChanges.steps[.added] == 2)
    #expect(edited.stepChanges.steps[.removed] == 3 && (edited.stepChanges.steps[.moved] ?? 0) > 0)
    let rows = edited.summary.tally.rows
    #expect(rows.read == 4_999 && rows.created == 2 && rows.updated == 12 && rows.unchanged == 4_985)
    #expect(rows.removed == 3 && rows.rejected == 0 && rows.moved == edited.stepChanges.steps[.moved])
    #expect(edited.summary.tally[.item].created == 0 && edited.summary.tally[.item].rejected == 0)
    let changed = Set(
      edited.stepChanges.entries.filter { $0.change == .changed }.map {
        "\($0.itemTitle)|\($0.title)|\($0.newTitle ?? "")"
      })
    #expect(changed == Set(edit.renamed.map { "\($0.checklist)|\($0.old)|\($0.new)" }))
    // Every id still belongs to the same step, so the charters' ticks, which were not touched, still refer to the same
    // steps.
    let names = Dictionary(uniqueKeysWithValues: edit.renamed.map { ("\($0.checklist)|\($0.old)", $0.new) })
    let after = Dictionary(try steps(library).map { ($0.id, $0.row) }, uniquingKeysWith: { first, _ in first })
    for (id, row) in before where !edit.deleted.contains(row) {
      let now = try #require(after[id])
      #expect(now.checklist == row.checklist && now.item == names["\(row.checklist)|\(row.item)"] ?? row.item)
    }
    #expect(try SQLiteShell.run(library, "SELECT * FROM checklistExecutionStates ORDER BY id;") == ticks)
    #expect(!ticks.isEmpty)
  }

  @Test func editedAndShuffledRowsWithoutIDsAreTheSameSteps() throws {
    let scratch = Scratch()
    var table = BulkTable()
    let source = try scratch.write("steps.csv", table.csv)
    let library = scratch["library.sqlite"]
    #expect(try Self.bring(source, into: library).summary.tally.rows.created == 5_000)
    let twice = try Self.bring(source, into: library).summary.tally
    #expect(twice.rows.unchanged == 5_000 && twice.rows.created == 0 && twice.rows.updated == 0)
    try Self.tick(library, scratch)
    let before = try Self.steps(library)
    let ticks = try SQLiteShell.run(library, "SELECT * FROM checklistExecutionStates ORDER BY id;")
    let edit = table.edit()
    _ = try scratch.write("steps.csv", table.csv)
    let edited = try Self.bring(source, into: library)
    try Self.check(edited, edit, before: before, ticks: ticks, library)
    let again = try Self.bring(source, into: library)
    #expect(again.summary.tally.rows.unchanged == 4_999 && again.stepChanges.total == 0)
  }

  @Test(.enabled(if: Shell.has("python3"), "python3 is not there"))
  func anExportThatWasEditedGoesBackIntoItsPlace() throws {
    let scratch = Scratch()
    var table = BulkTable()
    let library = scratch["library.sqlite"]
    try Self.bring(try scratch.write("first.csv", table.csv), into: library)
    // Set the fields that have no column.
    try SQLiteShell.run(library, "UPDATE library_content SET description = 'Kept';")
    try Self.tick(library, scratch)
    let before = try Self.steps(library)
    let ticks = try SQLiteShell.run(library, "SELECT * FROM checklistExecutionStates ORDER BY id;")
    _ = try Conversion(sources: SourceList([library]), target: Target(scratch["export.csv"])).run(
      context: Self.context())
    let unedited = try Self.bring(scratch["export.csv"], into: library).summary.tally
    #expect(unedited.rows.unchanged == 5_000 && unedited.total.updated == 0 && unedited.total.rejected == 0)

    let edit = table.edit()
    let script = """
      import csv, json, random, sys
      rows = list(csv.DictReader(open('export.csv', encoding='utf-8-sig', newline='')))
      edit = json.load(open('edit.json'))
      for list_, old, new in edit['renamed']:
          for row in rows:
              if row['checklist'] == list_ and row['item'] == old: row['item'] = new
      gone = {tuple(pair) for pair in edit['deleted']}
      rows = [row for row in rows if (row['checklist'], row['item']) not in gone]
      rows += [dict(row) for pair in edit['copied'] for row in rows if [row['checklist'], row['item']] == pair]
      random.Random(5).shuffle(rows)
      with open('edited.csv', 'w', encoding='utf-8', newline='') as out:
          writer = csv.DictWriter(out, fieldnames=list(rows[0]))
          writer.writeheader()
          writer.writerows(rows)
      """
    let plan: [String: Any] = [
      "renamed": edit.renamed.map { [$0.checklist, $0.old, $0.new] },
      "deleted": edit.deleted.map { [$0.checklist, $0.item] }, "copied": edit.copied.map { [$0.checklist, $0.item] },
    ]
    _ = try scratch.write(
      "edit.json", String(decoding: JSONSerialization.data(withJSONObject: plan), as: UTF8.self))
    _ = try scratch.write("edit.py", script)
    let python = try Shell.run("python3", ["edit.py"], folder: scratch.path)
    try #require(python.status == 0, "\(python.errors)")
    let edited = try Self.bring(scratch["edited.csv"], into: library)
    try Self.check(edited, edit, before: before, ticks: ticks, library)
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM library_content WHERE description = 'Kept';") == "250\n")
    let again = try Self.bring(scratch["edited.csv"], into: library)
    #expect(again.summary.tally.rows.unchanged == 4_999 && again.stepChanges.total == 0)
  }
}
