import FleetKit
import Foundation
import TestSupport
import Testing

/// Undoing runs, including after later changes to the library.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct UndoTests {
  private static let ids = (1...4).map { "1111111\($0)-1111-4111-8111-111111111111" }

  private static func write(_ scratch: Scratch, _ name: String, _ titles: [Int: String]) throws -> String {
    try scratch.write(
      name, titles.sorted { $0.key < $1.key }.map { ImportTests.line(ids[$0.key], $0.value) }.joined())
  }

  /// Creates a library of the app with two imports. The second one changes an item of the first and adds another item.
  private static func twoImports() throws -> (scratch: Scratch, library: String, images: [LibraryImage]) {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    // The sidecar's rows before the first run.
    let empty = try write(scratch, "0.jsonl", [3: "Old"])
    try UndoPropertyTests.run([empty], library, .replace)
    var images = [try LibraryImage(library)]
    try UndoPropertyTests.run([try write(scratch, "a.jsonl", [0: "One", 1: "Two"])], library, .replace)
    images.append(try LibraryImage(library))
    try UndoPropertyTests.run([try write(scratch, "b.jsonl", [1: "Two, better", 2: "Three"])], library, .replace)
    images.append(try LibraryImage(library))
    return (scratch, library, images)
  }

  @Test func aChainGoesBackStepByStep() throws {
    let (scratch, library, images) = try Self.twoImports()
    defer { withExtendedLifetime(scratch) {} }
    let second = try UndoRun(3, of: library).run()
    #expect(second.removed == ["item": 1] && second.putBack == ["item": 1] && second.run == 4)
    #expect(try LibraryImage(library) == images[1])
    let first = try UndoRun(2, of: library).run()
    #expect(first.removed == ["item": 2] && first.putBack.isEmpty)
    #expect(try LibraryImage(library) == images[0])
    // The undos can be undone, too.
    _ = try UndoRun(5, of: library).run()
    #expect(try LibraryImage(library) == images[1])
    _ = try UndoRun(4, of: library).run()
    #expect(try LibraryImage(library) == images[2])
    let states = try RunList(library).runs.map { "\($0.id) \($0.state.rawValue) \($0.undoneBy ?? 0)" }
    #expect(
      states == ["7 done 0", "6 done 0", "5 undone 6", "4 undone 7", "3 done 0", "2 done 0", "1 done 0"], "\(states)")
  }

  /// `undo last` undoes one earlier run after another. An undo never counts as the last run.
  @Test func lastIsTheNewestThatWasNotUndone() throws {
    let (scratch, library, images) = try Self.twoImports()
    #expect(try RunList(library).last?.id == 3)
    #expect(try Shell.fleetkit("undo", "last", library, "-q").status == 0)
    #expect(try LibraryImage(library) == images[1])
    #expect(try Shell.fleetkit("undo", library, "last", "-q").status == 0)
    #expect(try LibraryImage(library) == images[0])
    // Without an argument, the only library in the folder is used.
    #expect(try Shell.fleetkit("undo", "last", "-q", folder: scratch.path).status == 0)
    #expect(try RunList(library).last == nil)
    #expect(try Shell.fleetkit("undo", "last", "--library", library).status == 64)
  }

  @Test func whatALaterRunChangedIsNamedAndStopsIt() throws {
    let (scratch, library, images) = try Self.twoImports()
    defer { withExtendedLifetime(scratch) {} }
    let report = try UndoRun(2, of: library).run()
    #expect(report.isRefused && report.status == .refused && report.run == nil)
    #expect(report.changed.map(\.id) == [Self.ids[1]] && report.changed.first?.title == "Two, better")
    #expect(report.changed.first?.what == .changed)
    let refused = try RunList(library).runs.first
    #expect(refused?.state == .refused && refused?.undoes == 2 && refused?.canUndo == false)
    #expect(try LibraryImage(library) == images[2])
    // The other changes are undone, and only that record is left as it is.
    var undo = UndoRun(2, of: library)
    undo.skipsChanged = true
    undo.dryRun = true
    #expect(try undo.run().removed == ["item": 1])
    #expect(try LibraryImage(library) == images[2])
    undo.dryRun = false
    let skipped = try undo.run()
    #expect(skipped.status == .partial && skipped.removed == ["item": 1] && skipped.changed.count == 1)
    #expect(
      try SQLiteShell.run(library, "SELECT title FROM checklists WHERE id GLOB '1111*' ORDER BY id;")
        == "Two, better\nThree\nOld\n")
    _ = try UndoRun(try #require(skipped.run), of: library).run()
    #expect(try LibraryImage(library) == images[2])
  }

  @Test func whatTheAppChangedStopsItToo() throws {
    let (scratch, library, _) = try Self.twoImports()
    defer { withExtendedLifetime(scratch) {} }
    try SQLiteShell.run(
      library,
      "UPDATE library_content SET isPinned = 1 WHERE id = '\(Self.ids[2])'; "
        + "DELETE FROM checklists WHERE id = '\(Self.ids[1])'; DELETE FROM library_content WHERE id = '\(Self.ids[1])';"
    )
    let report = try UndoRun(3, of: library).run()
    let what = Dictionary(uniqueKeysWithValues: report.changed.map { ($0.id, $0.what) })
    #expect(report.isRefused && what == [Self.ids[2]: .changed, Self.ids[1]: .deleted])
  }

  @Test func whatSomethingNewNeedsStays() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    let charter = "22222222-2222-4222-8222-222222222222"
    let source = try scratch.write(
      "c.jsonl",
      "{\"kind\":\"charter\",\"id\":\"\(charter)\",\"name\":\"Week\",\"start_date\":\"2026-06-06T00:00:00.000Z\","
        + "\"end_date\":\"2026-06-13T00:00:00.000Z\"}\n" + ImportTests.line(Self.ids[0], "One"))
    try UndoPropertyTests.run([source], library, .replace)
    // The app ticks a step.
    try SQLiteShell.run(
      library,
      "INSERT INTO checklistExecutionStates (id, checklistID, charterID, createdAt, lastUpdated) VALUES "
        + "('33333333-3333-4333-8333-333333333333', '\(Self.ids[0])', '\(charter)', '2026-06-07', '2026-06-07');")
    let report = try UndoRun(1, of: library).run()
    #expect(report.isRefused)
    #expect(
      Set(report.changed.map(\.id)) == [charter, Self.ids[0]] && report.changed.allSatisfy { $0.what == .needed })
  }

  @Test func importingAgainAfterAnUndoIsLikeTheFirstTime() throws {
    let (scratch, library, images) = try Self.twoImports()
    defer { withExtendedLifetime(scratch) {} }
    _ = try UndoRun(3, of: library).run()
    let report = try UndoPropertyTests.run([scratch["b.jsonl"]], library, .replace)
    #expect(report.summary.tally.total.created == 1 && report.summary.tally.total.updated == 1)
    #expect(try LibraryImage(library).library == images[2].library)
  }

  @Test func aVacuumBetweenDoesNoHarm() throws {
    let (scratch, library, images) = try Self.twoImports()
    defer { withExtendedLifetime(scratch) {} }
    try SQLiteShell.run(
      library, "DELETE FROM checklists WHERE rowid = 1; VACUUM; PRAGMA integrity_check;")
    let report = try UndoRun(3, of: library).run()
    #expect(report.changed.isEmpty && report.removed == ["item": 1])
    #expect(!images[2].library.isEmpty)
  }

  @Test func onlyTheLastTwentyJournalsAreKept() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    for index in 0..<23 {
      try UndoPropertyTests.run([try Self.write(scratch, "a.jsonl", [0: "Version \(index)"])], library, .replace)
    }
    let runs = try RunList(library).runs
    #expect(runs.count == 23 && runs.filter(\.canUndo).map(\.id) == (4...23).reversed())
    #expect(throws: RunFailure.self) { try UndoRun(3, of: library).run() }
  }

  @Test func whatCannotBeUndoneSaysWhy() throws {
    let scratch = Scratch()
    func failure(_ id: Int64, _ library: String) -> RunFailure? {
      do {
        _ = try UndoRun(id, of: library).run()
        return nil
      } catch {
        return error as? RunFailure
      }
    }
    let made = scratch["made.sqlite"]
    let source = try Self.write(scratch, "a.jsonl", [0: "One"])
    try UndoPropertyTests.run([source], made, .replace, create: true)
    #expect(failure(1, made)?.status == .refused)
    #expect(failure(1, made)?.advice?.contains("backups") == false)
    #expect(try RunList(made).runs.first.map { $0.madeLibrary && $0.state == .done && !$0.canUndo } ?? false)
    #expect(failure(2, made)?.status == .usage)
    try UndoPropertyTests.run([source], made, .replace)
    #expect(failure(2, made)?.status == .refused)
    let old = try scratch.writable("library-v1.4.0.sqlite", as: "old.sqlite")
    #expect(failure(1, old)?.status == .usage)
    _ = try LibraryMigration(old).run()
    let migrated = failure(1, old)
    #expect(migrated?.status == .refused && migrated?.advice?.contains("migrate") ?? false)
    _ = try MigrationUndo(old).run()
    #expect(try RunList(old).runs.map(\.state) == [.done, .undone])
  }

  @Test func aRepairIsTakenBack() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    try SQLiteShell.run(
      library,
      "UPDATE checklists SET tags = 'safety,crew' WHERE rowid = 1; UPDATE library_content SET id = lower(id) "
        + "WHERE rowid % 2; UPDATE checklists SET id = lower(id) WHERE rowid % 2;")
    let before = try SQLiteShell.run(library, ".dump")
    _ = try LibraryDoctor(library).repair(now: Timestamp(milliseconds: 0))
    #expect(try SQLiteShell.run(library, ".dump") != before)
    let report = try UndoRun(1, of: library).run()
    #expect(report.command == "doctor" && report.changed.isEmpty)
    #expect(try SQLiteShell.run(library, ".dump") == before)
  }

  /// Libraries with rows that a repair fixes, and one library with a table that the repair rebuilds.
  @Test(arguments: [
    "library-v1.4.0-orphans.sqlite", "library-v1.6.0-buggy-queue.sqlite", "library-v1.6.0-snakecase-queue.sqlite",
  ])
  func theRepairOfADamagedLibraryIsTakenBackStraightAway(_ name: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable(name, as: "l.sqlite")
    let before = try SQLiteShell.run(library, ".dump")
    let repair = try LibraryDoctor(library).repair(now: Timestamp(milliseconds: 0))
    let repaired = try SQLiteShell.run(library, ".dump")
    #expect(!repair.isEmpty && repaired != before)
    guard !name.contains("snakecase") else {
      let refusal = #expect(throws: RunFailure.self) { try UndoRun(1, of: library).run() }
      #expect(refusal?.status == .refused)
      #expect(refusal?.advice?.contains("-doctor.sqlite'") ?? false)
      #expect(try SQLiteShell.run(library, ".dump") == repaired)
      return
    }
    let report = try UndoRun(1, of: library).run()
    #expect(report.changed.isEmpty && report.status == .success)
    #expect(try SQLiteShell.run(library, ".dump") == before)
    // The undo can be undone, which repeats the repair.
    _ = try UndoRun(try #require(report.run), of: library).run()
    #expect(try SQLiteShell.run(library, ".dump") == repaired)
  }

  /// Every other library of the app is sound or beyond repair, so the list above is complete.
  @Test func noOtherLibraryIsRepairedByRows() throws {
    let folder = Paths.libraries
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sqlite") }.sorted()
    let repairable = names.filter { ((try? LibraryDoctor(folder + "/" + $0).examine().repairable) ?? 0) > 0 }
    #expect(
      repairable == [
        "library-v1.4.0-orphans.sqlite", "library-v1.6.0-buggy-queue.sqlite", "library-v1.6.0-snakecase-queue.sqlite",
        "library-v1.6.0.sqlite", "library-v1.7.0.sqlite", "library-v1.9.0.sqlite", "library-v2.0.0.sqlite",
      ])
  }

  @Test func bytesOfAttachmentsGoAndComeBack() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    try FileManager.default.createDirectory(atPath: scratch["vault"], withIntermediateDirectories: true)
    _ = try scratch.write("vault/a.md", "---\nid: \(Self.ids[0])\n---\n# A\n\n![k](knot.png)\n")
    _ = try scratch.write("vault/knot.png", "\u{1}PNG")
    try UndoPropertyTests.run([scratch["vault"]], library, .merge)
    let after = try LibraryImage(library)
    #expect(after.media.count == 1)
    let report = try UndoRun(1, of: library).run()
    #expect(report.media == 1)
    #expect(try LibraryImage(library).media.isEmpty)
    _ = try UndoRun(2, of: library).run()
    let again = try LibraryImage(library)
    #expect(again == after, "\(again.difference(after))")
  }
}
