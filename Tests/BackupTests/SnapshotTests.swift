import Backup
import ContentPack
import FleetKit
import Foundation
import TestSupport
import Testing

/// Backing up and restoring every library of the app: all rows and all files next to the library are preserved.
@Suite struct SnapshotTests {
  static let hasJudge = Shell.has("sqldiff")

  static let openable = [
    "library-v1.0.0.sqlite", "library-v1.1.0.sqlite", "library-v1.3.0.sqlite", "library-v1.4.0-orphans.sqlite",
    "library-v1.4.0.sqlite", "library-v1.5.0.sqlite", "library-v1.6.0-buggy-queue.sqlite",
    "library-v1.6.0-snakecase-queue.sqlite", "library-v1.6.0.sqlite", "library-v1.7.0.sqlite",
    "library-v1.9.0.sqlite", "library-v2.0.0.sqlite", "library-v2.2.0-upgraded-from-v1.4.0.sqlite",
    "library-v2.2.0.sqlite",
  ]

  @Test(.enabled(if: hasJudge, Judges.reason), arguments: openable, ["fleetpack", "zip", "tar.gz"])
  func everyLibraryComesBack(_ name: String, _ ending: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable(name)
    let before = try Backups.state(of: library)
    let report = try Backups.make(library, to: scratch["b." + ending])
    #expect(try Backups.state(of: library) == before)
    let mode = try FileManager.default.attributesOfItem(atPath: report.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let snapshot = try Backups.assemble(report.path, in: scratch, as: "back")
    #expect(try Backups.difference(library, snapshot.library) == "")
    #expect(snapshot.info == report.info)
    #expect(snapshot.state == nil && snapshot.media.isEmpty)
  }

  @Test(arguments: [
    "library-not-a-database.sqlite", "library-zero-bytes.sqlite", "library-v1.4.0-bitflip.sqlite",
    "library-v1.4.0-truncated.sqlite",
  ])
  func damageIsNotBackedUp(_ name: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable(name)
    let failure = #expect(throws: RunFailure.self) { try Backups.make(library, to: scratch["b/"]) }
    #expect(failure?.status == .failed)
    #expect(scratch.names.filter { $0 != "library.sqlite" && $0 != "b" } == [])
    #expect(((try? FileManager.default.contentsOfDirectory(atPath: scratch["b"])) ?? []) == [])
  }

  @Test(.enabled(if: hasJudge, Judges.reason)) func contentOnlyInTheLogComesBack() throws {
    let scratch = Scratch()
    for folder in ["wal", "judge"] {
      try FileManager.default.copyItem(atPath: Paths.libraries + "/library-wal", toPath: scratch[folder])
      _ = try Shell.run("chmod", ["-R", "u+w", scratch[folder]])
    }
    let library = scratch["wal/library.sqlite"]
    let before = try Backups.state(of: library)
    let report = try Backups.make(library, to: scratch["b.fleetpack"])
    #expect(try Backups.state(of: library) == before)
    let snapshot = try Backups.assemble(report.path, in: scratch, as: "back")
    #expect(try Backups.difference(scratch["judge/library.sqlite"], snapshot.library) == "")
    // Without its log, the library has less content.
    #expect(try SQLiteShell.run(scratch["judge/library.sqlite"], "PRAGMA wal_checkpoint;").isEmpty == false)
  }

  @Test(.enabled(if: hasJudge, Judges.reason)) func aHotJournalIsPlayedBackInACopy() throws {
    let scratch = Scratch()
    let original = try scratch.writable("library-v2.2.0.sqlite", as: "original.sqlite")
    let library = try scratch.writable("library-v2.2.0.sqlite")
    // The shell is killed during a transaction that has already spilled into the file.
    _ = try Shell.run(
      "sqlite3", [library],
      input: """
        PRAGMA cache_size = 1; PRAGMA cache_spill = 1;
        BEGIN; UPDATE library_content SET title = 'half done'; UPDATE practice_guides SET description = 'half done';
        UPDATE checklists SET title = 'half done'; UPDATE charters SET name = 'half done';
        .shell kill -9 $PPID
        """)
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) != Data(contentsOf: URL(fileURLWithPath: original)))
    let before = try Backups.state(of: library)
    #expect(before[3] != "none")
    let report = try Backups.make(library, to: scratch["b.fleetpack"])
    #expect(try Backups.state(of: library) == before)
    let snapshot = try Backups.assemble(report.path, in: scratch, as: "back")
    #expect(try Backups.difference(original, snapshot.library) == "")
  }

  @Test func whatLiesBesideTheLibraryComesBack() throws {
    let scratch = Scratch()
    let library = scratch["library.sqlite"]
    let card = "{\"id\":\"c1\",\"front\":\"Red over red?\",\"back\":\"Not under command\"}"
    let source = try scratch.write(
      "decks.jsonl",
      "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
        + "{\"kind\":\"item\",\"id\":\"3A473796-0000-4000-8000-000000000001\",\"content_type\":\"flashcard_deck\","
        + "\"title\":\"Lights\",\"content_data\":{\"cards\":[\(card)]}}\n")
    var job = LibraryImport(sources: try SourceList([source]), library: library)
    job.createsLibrary = true
    _ = try job.run(context: Backups.context())
    let first = try Backups.make(library, to: scratch["b/"])
    #expect(first.info.stateSHA256 != nil)
    let second = try Backups.make(library, to: scratch["b/"], since: scratch["b/"], number: 1)
    #expect(second.info.stateSHA256 == first.info.stateSHA256)
    #expect(second.info.depth == 1)
    let snapshot = try Backups.assemble(second.path, in: scratch, as: "back")
    let state = try #require(snapshot.state)
    #expect(try SQLiteShell.rows(state, "records") == SQLiteShell.rows(library + ".fleetkit/state.sqlite", "records"))
    // The backup can also be read as a source. Its records then name the file inside the backup.
    let reader = try SnapshotReader(Source(second.path), library: SQLiteLibraryFormat(), context: Backups.context())
    var records: [Record] = []
    while let batch = try reader.next() { records += batch.records }
    let record = try #require(records.first)
    #expect(record.title == "Lights")
    #expect(record.place().file == second.path + "/data/library.sqlite")
  }

  @Test func aFileThatIsThereStays() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let target = try scratch.write("b.fleetpack", "mine")
    let failure = #expect(throws: RunFailure.self) { try Backups.make(library, to: target) }
    #expect(failure?.status == .refused)
    #expect(try scratch.text("b.fleetpack") == "mine")
    // In a folder, a second backup with the same time gets a different name.
    let first = try Backups.make(library, to: scratch["b/"])
    let second = try Backups.make(library, to: scratch["b/"])
    #expect(first.path != second.path)
    #expect(first.path.hasSuffix("/library-20261121T231800Z.fleetpack"))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: first.path)) == Data(contentsOf: URL(fileURLWithPath: second.path)))
  }
}
