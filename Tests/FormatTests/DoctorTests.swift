import Doctor
import FleetKit
import Foundation
import Migration
import TestSupport
import Testing

/// The doctor and the sample libraries: damaged libraries are sound after a repair, and sound libraries are unchanged.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there")) struct DoctorTests {
  static let damaged = [
    "library-v1.4.0-orphans.sqlite", "library-v1.6.0-buggy-queue.sqlite", "library-v1.6.0-snakecase-queue.sqlite",
  ]

  @Test(arguments: damaged)
  func aDamagedLibraryIsSoundAfterwards(_ name: String) throws {
    let scratch = Scratch()
    let path = try scratch.copy(name, as: "x.sqlite")
    let before = try Run.records(path)
    let checkup = try Clinic.examine(path)
    #expect(checkup.hasErrors && checkup.repairable > 0)
    #expect(scratch.names == ["x.sqlite"], "looking changes nothing")
    let repair = try Clinic.repair(path)
    #expect(repair.backup != nil && repair.settled.values.reduce(0, +) == checkup.repairable)
    #expect(try Data(contentsOf: URL(fileURLWithPath: #require(repair.backup))).count > 0)
    try Clinic.expectSound(path, repair, before: before)
    // The library itself now contains the records that the reader recovered.
    let texts = Clinic.texts(try Run.records(path))
    for (id, text) in Clinic.texts(before) where !repair.quarantined.contains(where: { $0.id == id }) {
      #expect(texts[id] == text)
    }
    for record in repair.quarantined { #expect(record.reason?.isEmpty == false) }
    // The backup contains the library as it was before the repair.
    let old = try Run.records(#require(repair.backup))
    #expect(old.map(\.text) == before.map(\.text))
    let runs = try SQLiteShell.run(path + ".fleetkit/state.sqlite", "SELECT command, state, backup FROM runs;")
    #expect(runs == "doctor|done|\((try #require(repair.backup) as NSString).lastPathComponent)\n")
    // The library can also be migrated to the current schema.
    _ = try LibraryMigration(path).run()
    let after = try Clinic.examine(path)
    #expect(after.version == "2.2.0" && (after.findings.worst ?? .note) == .note)
  }

  /// Readable libraries in which the doctor finds damage: items that the app could not withdraw, and numeric times in
  /// queued operations.
  private static let unsent = ["v1.6.0", "v1.7.0", "v1.9.0", "v2.0.0"].map { "library-\($0).sqlite" }

  @Test(
    arguments: Libraries.sound.filter { !$0.contains("queue") && !$0.contains("wal") && !unsent.contains($0) })
  func aSoundLibraryIsLeftAlone(_ name: String) throws {
    let scratch = Scratch()
    let path = try scratch.copy(name, as: "x.sqlite")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let checkup = try Clinic.examine(path)
    #expect(
      checkup.repairable == 0 && (checkup.findings.worst ?? .note) == .note, "\(checkup.findings.kept.map(\.message))")
    #expect(try Clinic.repair(path).isEmpty)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(scratch.names == ["x.sqlite"])
  }

  @Test func rehearsingLeavesEverythingAsItIs() throws {
    for name in Self.damaged {
      let scratch = Scratch()
      let path = try scratch.copy(name, as: "x.sqlite")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      let rehearsal = try Clinic.repair(path, dryRun: true)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes && scratch.names == ["x.sqlite"])
      let repair = try Clinic.repair(path)
      #expect(rehearsal.settled == repair.settled && rehearsal.quarantined == repair.quarantined)
      #expect(rehearsal.backup == nil && rehearsal.quarantine == nil)
    }
  }

  @Test func theQueueOfAnEarlyBuildGetsTheAppsOwnSchema() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v1.6.0-snakecase-queue.sqlite", as: "x.sqlite")
    let item = "SELECT id FROM library_content ORDER BY id LIMIT 1"
    try SQLiteShell.run(
      path,
      """
      INSERT INTO sync_queue (content_id, operation, visibility_state, payload, created_at, retry_count, synced_at)
      VALUES ((\(item)), 'publish', 'public', '{"title":"T","content_type":"checklist","content_data":{},"public_id":"t-1"}',
        '2025-12-25 10:00:03.130', 1, '2025-12-25 10:00:04.000');
      """)
    let queued = try SQLiteShell.run(path, "SELECT * FROM sync_queue;")
    try Clinic.repair(path)
    #expect(try SQLiteShell.run(path, "SELECT * FROM sync_queue;") == queued)
    let sql = "SELECT rowid, type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid;"
    #expect(try SQLiteShell.run(path, sql) == SQLiteShell.run(Libraries.path("library-v1.6.0.sqlite"), sql))
    #expect(
      try SQLiteShell.run(
        path, "SELECT contentID FROM sync_queue INDEXED BY idx_sync_queue_content WHERE contentID = (\(item));"
      )
      .isEmpty == false)
    // The migrated library equals the one that the app itself migrated.
    _ = try LibraryMigration(path).run()
    let names = "SELECT name, sql FROM sqlite_schema ORDER BY name;"
    #expect(try SQLiteShell.run(path, names) == SQLiteShell.run(Libraries.path("library-v2.2.0.sqlite"), names))
  }

  @Test func whatIsQuarantinedCanBeListedAndSaysWhy() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v1.4.0-orphans.sqlite", as: "x.sqlite")
    let repair = try Clinic.repair(path)
    let records = try Run.records(#require(repair.quarantine))
    #expect(records.count == 8 && repair.quarantined.count == 8)
    for record in records { #expect(record["extras"]?["quarantine"]?["reason"]?.string?.isEmpty == false) }
    let listing = try Shell.fleetkit("list", #require(repair.quarantine))
    #expect(listing.status == 0 && listing.output.contains("Meta without body (guide)"))
    // If the repaired form holds less, the complete original is kept.
    let originals = try Run.records(#require(repair.originals))
    let cut = originals.first { $0["title"]?.string == "Invalid JSON (cut off)" }
    #expect(cut?["extras"]?["raw"]?["content"]?.string?.hasSuffix("\"isExpandedByDefault") == true)
    #expect(originals.contains { $0["content_data"]?["sections"]?[0]?["color"] != nil })
    #expect(originals.contains { $0["visibility"]?.string == "friends" })
  }
}
