import FleetKit
import Foundation
import TestSupport
import Testing

/// Undoing any import restores the previous state. `FLEETKIT_UNDO_RUNS` sets the number of runs;
/// `FLEETKIT_UNDO_SEEDS=24,33` runs only these seeds.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct UndoPropertyTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_UNDO_RUNS"] ?? "") ?? 60
  private static let perLibrary = 10

  private static let seeds =
    ProcessInfo.processInfo.environment["FLEETKIT_UNDO_SEEDS"].map { $0.split(separator: ",").compactMap { Int($0) } }
    ?? Array(0..<(runs + perLibrary - 1) / perLibrary)

  @Test(arguments: seeds)
  func undoingAnImportGivesTheLibraryBack(_ seed: Int) throws {
    let scratch = Scratch()
    var content = RandomContent(seed: UInt64(seed) &* 7919 &+ 17)
    let library = scratch["l.sqlite"]
    // Some seeds begin with the app's own library, and others with a new one.
    if seed % 3 == 0 { _ = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite") }
    var changed = 0
    try Self.run(try content.write(to: scratch, "source"), library, .replace, create: true)
    if seed % 4 == 1 { try SQLiteShell.run(library, "PRAGMA journal_mode = WAL;") }
    for _ in 0..<Self.perLibrary {
      for _ in 0..<1 + content.random.below(6) { content.change() }
      let before = try LibraryImage(library)
      let mode = content.random.pick([OnConflict.replace, .replace, .newest, .merge, .keep])
      let report = try Self.run(try content.write(to: scratch, "source"), library, mode)
      let after = try LibraryImage(library)
      guard let run = try RunList(library).runs.first, run.canUndo else {
        // If nothing changed, there is nothing to undo.
        #expect(before.library == after.library && before.media == after.media, "\(report.summary.tally)")
        continue
      }
      changed += 1
      #expect(run.id == report.run)
      let undone = try UndoRun(run.id, of: library).run()
      #expect(undone.changed.isEmpty && undone.status == .success)
      let back = try LibraryImage(library)
      #expect(back == before, "seed \(seed), run \(run.id): \(back.difference(before))")
      if content.random.below(3) == 0, let redo = undone.run {
        _ = try UndoRun(redo, of: library).run()
        let again = try LibraryImage(library)
        #expect(again == after, "seed \(seed), redo of \(run.id): \(again.difference(after))")
        if content.random.below(2) == 0 {
          _ = try UndoRun(run.id, of: library).run()
          let twice = try LibraryImage(library)
          #expect(twice == before, "seed \(seed), again \(run.id): \(twice.difference(before))")
        }
      } else if content.random.below(2) == 0 {
        // The next import continues from here.
        try Self.run(try content.write(to: scratch, "source"), library, mode)
      }
    }
    #expect(changed > Self.perLibrary / 3)
  }

  @discardableResult
  static func run(
    _ sources: [String], _ library: String, _ mode: OnConflict, create: Bool = false
  ) throws -> LibraryImport.Report {
    var job = LibraryImport(sources: try SourceList(sources), library: library)
    job.createsLibrary = create
    job.onConflict = mode
    return try job.run(context: Run.context())
  }
}
