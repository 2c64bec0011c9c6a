import FleetKit
import Foundation
import TestSupport
import Testing

/// The items that `--restore-publishing` restores, and the items that it leaves unchanged.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct RestorePublishingTests {
  @discardableResult
  private func run(_ source: String, into library: String, _ onConflict: OnConflict) throws -> LibraryImport.Report {
    var job = LibraryImport(sources: try SourceList([source]), library: library)
    job.onConflict = onConflict
    job.restoresPublishing = true
    let report = try job.run(context: Run.context())
    #expect(report.summary.tally.balances)
    return report
  }

  /// Returns the content of a library as a bundle.
  private func text(_ library: String, in scratch: Scratch) throws -> String {
    let name = UUID().uuidString + ".jsonl"
    try Run.convert(library, to: scratch[name])
    return try scratch.text(name)
  }

  private static let published = "3A473796-4407-4338-B2DC-132362E6088A"

  @Test func whatWasDeletedComesBackAsItWas() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let before = try text(library, in: scratch)
    try SQLiteShell.run(
      library,
      "DELETE FROM library_content; DELETE FROM checklists; DELETE FROM practice_guides; DELETE FROM charters;"
        + "DELETE FROM checklistExecutionStates;")
    let report = try run(Libraries.path("library-v2.2.0.sqlite"), into: library, .replace)
    #expect(report.summary.tally.total.rejected == 0 && report.publishedRestored > 3)
    #expect(try text(library, in: scratch) == before)
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM sync_queue;") == "11\n")
    #expect(try SQLiteShell.run(library, "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
    let again = try run(Libraries.path("library-v2.2.0.sqlite"), into: library, .replace).summary.tally.total
    #expect(again.created == 0 && again.updated == 0 && again.rejected == 0)
  }

  @Test func anOlderTextOfAPublishedItemMustBePublishedAgain() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    try SQLiteShell.run(library, "UPDATE checklists SET title = 'Spoilt' WHERE id = '\(Self.published)';")
    let report = try run(Libraries.path("library-v2.2.0.sqlite"), into: library, .replace)
    #expect(report.summary.tally.total.rejected == 0 && report.summary.tally.total.updated == 1)
    let row = try SQLiteShell.run(
      library, "SELECT visibility, syncStatus, publicID FROM library_content WHERE id = '\(Self.published)';")
    #expect(row == "public|pending|yacht-check-in-46-ft-monohull-270544C3\n")
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM checklists WHERE title = 'Spoilt';") == "0\n")
  }

  @Test func whatIsPublishedNowIsNotForgotten() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let old = try scratch.writable("library-v2.2.0.sqlite", as: "old.sqlite")
    try SQLiteShell.run(
      old,
      "UPDATE library_content SET visibility = 'private', publicID = NULL, publicMetadata = NULL, publishedAt = NULL "
        + "WHERE id = '\(Self.published)';")
    let before = try SQLiteShell.run(library, ".dump")
    let tally = try run(old, into: library, .replace).summary.tally.total
    #expect(tally.rejected == 1 && tally.updated == 0)
    #expect(try SQLiteShell.run(library, ".dump") == before)
    // In the other direction, a withdrawn item counts as published again.
    let other = try run(Libraries.path("library-v2.2.0.sqlite"), into: old, .replace)
    #expect(other.summary.tally.total.updated == 1 && other.publishedRestored == 1)
    #expect(try text(old, in: scratch) == text(library, in: scratch))
  }

  @Test func withoutItNothingBecomesPublic() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    try SQLiteShell.run(library, "DELETE FROM library_content; DELETE FROM checklists; DELETE FROM practice_guides;")
    var job = LibraryImport(sources: try SourceList([Libraries.path("library-v2.2.0.sqlite")]), library: library)
    job.onConflict = .replace
    #expect(try job.run(context: Run.context()).publishedRestored == 0)
    #expect(
      try SQLiteShell.run(library, "SELECT count(*) FROM library_content WHERE publicID IS NOT NULL;") == "0\n")
  }
}
