import FleetKit
import Foundation
import SQLiteLibrary
import TestSupport
import Testing

/// Libraries of every version, migrated in place to the current schema and checked with the `sqlite3` shell.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct MigrationTests {
  static let older = [
    "v1.0.0", "v1.1.0", "v1.3.0", "v1.4.0", "v1.5.0", "v1.6.0", "v1.6.0-buggy-queue", "v1.6.0-snakecase-queue",
    "v1.7.0", "v1.9.0", "v2.0.0", "v1.4.0-orphans",
  ]

  @Test func phaseOneBecomesWhatTheAppMakesOfIt() throws {
    let scratch = Scratch()
    let mine = try scratch.writable("library-v1.4.0.sqlite")
    _ = try LibraryMigration(mine).run()
    let theirs = try scratch.copy("library-v2.2.0-upgraded-from-v1.4.0.sqlite", as: "app.sqlite")
    #expect(try SQLiteShell.run(mine, ".dump") == SQLiteShell.run(theirs, ".dump"))
    for sql in [
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid;", "SELECT * FROM sqlite_sequence;",
    ] {
      #expect(try SQLiteShell.run(mine, sql) == SQLiteShell.run(theirs, sql))
    }
  }

  @Test(arguments: older)
  func everyRowIsKept(_ version: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-\(version).sqlite")
    let original = try scratch.copy("library-\(version).sqlite", as: "original.sqlite")
    let report = try LibraryMigration(library).run()
    #expect(!report.plan.isEmpty && report.plan.to == "2.2.0")
    let newest = try scratch.copy("library-v2.2.0.sqlite", as: "app.sqlite")
    for sql in [
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid;", "SELECT * FROM grdb_migrations;",
      "PRAGMA page_size; PRAGMA user_version; PRAGMA journal_mode;",
    ] {
      #expect(try SQLiteShell.run(library, sql) == SQLiteShell.run(newest, sql), "\(sql)")
    }
    #expect(try SQLiteShell.run(library, "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
    let old = ["content_id": "contentID", "visibility_state": "visibilityState", "created_at": "createdAt"]
    for table in try SQLiteShell.tables(original) where table != "grdb_migrations" && table != "sqlite_sequence" {
      let before = try SQLiteShell.rows(original, table)
      let after = try SQLiteShell.rows(library, table)
      #expect(before.count == after.count)
      for (row, new) in zip(before, after) {
        for (column, value) in row {
          let now = new[old[column] ?? column] ?? "missing"
          let zero = column == "creatorID" && SQLiteShell.text(value) == CanonicalUUID.zero
          #expect(now == value || (zero && now.hasSuffix(":null")), "\(table).\(column)")
        }
      }
    }
    // The second migration is a no-op.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: library))
    #expect(try LibraryMigration(library).plan().isEmpty)
    let again = try Shell.fleetkit("migrate", library, "--yes", "--json")
    #expect(again.status == 0 && again.value("/migrated") as? Bool == false, "\(again.output)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) == bytes)
  }

  @Test(arguments: older)
  func undoGivesTheOriginalBack(_ version: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-\(version).sqlite")
    let original = try Data(contentsOf: URL(fileURLWithPath: library))
    _ = try LibraryMigration(library).run()
    let report = try MigrationUndo(library).run()
    #expect(version.hasPrefix("v" + report.version))
    #expect(try Self.withoutCounters(Data(contentsOf: URL(fileURLWithPath: library))) == Self.withoutCounters(original))
    #expect(throws: RunFailure.self, "there is nothing left to undo") { try MigrationUndo(library).run() }
  }

  /// Returns every byte except the header's counters.
  private static func withoutCounters(_ data: Data) -> Data {
    var data = data
    for range in [24..<28, 40..<44, 92..<100] { data.resetBytes(in: range) }
    return data
  }

  @Test func whatTheAppChangedSinceIsNotUndoneByAccident() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v1.4.0.sqlite")
    _ = try LibraryMigration(library).run()
    try SQLiteShell.run(library, "UPDATE charters SET name = 'Since then' WHERE rowid = 1;")
    #expect(throws: RunFailure.self) { try MigrationUndo(library).run() }
    #expect(try SQLiteShell.run(library, "SELECT name FROM charters WHERE rowid = 1;") == "Since then\n")
    var undo = MigrationUndo(library)
    undo.discardsChanges = true
    let report = try undo.run()
    #expect(try SQLiteShell.run(report.saved, "SELECT name FROM charters WHERE rowid = 1;") == "Since then\n")
  }

  /// An import and its undo leave different bytes but the same rows.
  @Test(arguments: older.filter { !$0.contains("orphans") }) func anImportThatWasUndoneIsNoChange(_ version: String)
    throws
  {
    let scratch = Scratch()
    let library = try scratch.writable("library-\(version).sqlite")
    let original = try Data(contentsOf: URL(fileURLWithPath: library))
    _ = try LibraryMigration(library).run()
    let migrated = try Data(contentsOf: URL(fileURLWithPath: library))
    let source = Paths.root + "/samples/curated-checklists.jsonl"
    #expect(try Shell.fleetkit("import", source, "--into", library, "-q").status == 0)
    #expect(throws: RunFailure.self, "the import is still there") { try MigrationUndo(library).run() }
    #expect(try Shell.fleetkit("undo", "last", library, "-q").status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) != migrated)
    _ = try MigrationUndo(library).run()
    #expect(try Self.withoutCounters(Data(contentsOf: URL(fileURLWithPath: library))) == Self.withoutCounters(original))
  }

  /// One additional or changed value, type or row in any table counts as a change.
  @Test(arguments: [
    "UPDATE charters SET name = name || ' ' WHERE rowid = 1;",
    "UPDATE library_content SET isPinned = CAST(isPinned AS BLOB) WHERE rowid = 1;",
    "DELETE FROM checklistExecutionStates WHERE rowid = 1;", "CREATE TABLE own (a); INSERT INTO own VALUES (1);",
    "CREATE INDEX own ON charters (name);", "PRAGMA user_version = 7;",
  ])
  func theSmallestChangeSinceIsOne(_ sql: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v1.4.0.sqlite")
    _ = try LibraryMigration(library).run()
    // A difference that affects only pages does not count as a change.
    try SQLiteShell.run(library, "CREATE TABLE gone (a); INSERT INTO gone VALUES (randomblob(9000)); DROP TABLE gone;")
    try SQLiteShell.run(library, sql)
    #expect(throws: RunFailure.self) { try MigrationUndo(library).run() }
  }

  @Test func aNewFileLeavesTheOriginalAlone() throws {
    let scratch = Scratch()
    let library = try scratch.copy("library-v1.4.0.sqlite", as: "old.sqlite")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: library))
    var migration = LibraryMigration(library)
    migration.output = scratch["new.sqlite"]
    _ = try migration.run()
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) == bytes)
    #expect(scratch.names == ["new.sqlite", "old.sqlite"])
    let theirs = try scratch.copy("library-v2.2.0-upgraded-from-v1.4.0.sqlite", as: "app.sqlite")
    #expect(try SQLiteShell.run(scratch["new.sqlite"], ".dump") == SQLiteShell.run(theirs, ".dump"))
    #expect(throws: RunFailure.self, "a file is never replaced") { try migration.run() }
  }

  @Test func aLogBesideTheLibraryIsPartOfIt() throws {
    let scratch = Scratch()
    for suffix in ["", "-wal"] {
      _ = try scratch.writable("library-wal/library.sqlite" + suffix, as: "wal.sqlite" + suffix)
    }
    let before = try Run.records(scratch["wal.sqlite"]).count
    _ = try LibraryMigration(scratch["wal.sqlite"]).run()
    #expect(try Run.records(scratch["wal.sqlite"]).count == before)
    #expect(try SQLiteShell.run(scratch["wal.sqlite"], "PRAGMA journal_mode; PRAGMA integrity_check;") == "wal\nok\n")
    #expect(try MigrationUndo(scratch["wal.sqlite"]).run().version == "1.4.0")
    #expect(try Run.records(scratch["wal.sqlite"]).count == before)
  }

  @Test func backAndForthAsOftenAsOneLikes() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v1.4.0.sqlite")
    let original = try Data(contentsOf: URL(fileURLWithPath: library))
    for _ in 0..<4 {
      _ = try LibraryMigration(library).run()
      _ = try MigrationUndo(library).run()
      #expect(
        try Self.withoutCounters(Data(contentsOf: URL(fileURLWithPath: library))) == Self.withoutCounters(original))
    }
    let backups = try FileManager.default.contentsOfDirectory(atPath: library + ".fleetkit/backups")
    #expect(backups.count <= 4)
  }

  @Test func unknownTablesAndColumnsAreKept() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v1.4.0.sqlite")
    try SQLiteShell.run(
      library,
      """
      ALTER TABLE checklists ADD COLUMN mood TEXT; UPDATE checklists SET mood = 'calm' WHERE rowid = 2;
      CREATE TABLE tides (place TEXT, height REAL); INSERT INTO tides VALUES ('Brest', 6.9);
      CREATE INDEX tides_place ON tides(place);
      """)
    let report = try LibraryMigration(library).run()
    #expect(report.plan.unknown == ["table tides", "column checklists.mood"])
    let kept =
      "SELECT mood FROM checklists WHERE rowid = 2; SELECT * FROM tides INDEXED BY tides_place WHERE place > '';"
    #expect(try SQLiteShell.run(library, kept) == "calm\nBrest|6.9\n")
  }

  @Test func otherPageSizesAndEncodingsStay() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v1.4.0.sqlite")
    try SQLiteShell.run(library, "PRAGMA page_size = 8192; VACUUM; PRAGMA user_version = 7;")
    _ = try LibraryMigration(library).run()
    #expect(try SQLiteShell.run(library, "PRAGMA page_size; PRAGMA user_version;") == "8192\n7\n")
    let utf16 = scratch["utf16.sqlite"]
    let dump = try SQLiteShell.run(try scratch.copy("library-v1.4.0.sqlite", as: "x.sqlite"), ".dump")
    try SQLiteShell.run(utf16, "PRAGMA encoding = 'UTF-16le';\n" + dump)
    _ = try LibraryMigration(utf16).run()
    #expect(try SQLiteShell.run(utf16, "PRAGMA encoding; PRAGMA integrity_check;") == "UTF-16le\nok\n")
    #expect(try Run.records(utf16).count == Run.records(Libraries.path("library-v1.4.0.sqlite")).count)
  }

  @Test func largeLibrariesGetLargerPagesAndGiveThemBack() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v1.4.0.sqlite")
    let original = try Data(contentsOf: URL(fileURLWithPath: library))
    var migration = LibraryMigration(library)
    migration.largeFrom = 0
    _ = try migration.run()
    #expect(try SQLiteShell.run(library, "PRAGMA page_size; PRAGMA integrity_check;") == "16384\nok\n")
    let theirs = try scratch.copy("library-v2.2.0-upgraded-from-v1.4.0.sqlite", as: "app.sqlite")
    #expect(try SQLiteShell.run(library, ".dump") == SQLiteShell.run(theirs, ".dump"))
    _ = try MigrationUndo(library).run()
    #expect(try Self.withoutCounters(Data(contentsOf: URL(fileURLWithPath: library))) == Self.withoutCounters(original))
  }

  /// Cases that must be refused without changing the file.
  @Test(arguments: [
    ("library-v1.4.0-bitflip.sqlite", "", 2), ("library-v1.4.0-truncated.sqlite", "", 2),
    ("library-not-a-database.sqlite", "", 2), ("library-zero-bytes.sqlite", "", 2),
    ("library-v1.4.0.sqlite", "PRAGMA foreign_keys = OFF; DELETE FROM charters WHERE rowid = 1;", 4),
    ("library-v1.4.0.sqlite", "DELETE FROM grdb_migrations WHERE identifier LIKE 'v1.2%';", 4),
    ("library-v2.2.0.sqlite", "INSERT INTO grdb_migrations VALUES ('v9.0.0_future');", 6),
  ])
  func refuses(_ name: String, _ damage: String, _ status: Int32) throws {
    let scratch = Scratch()
    let library = try scratch.writable(name)
    if !damage.isEmpty { try SQLiteShell.run(library, damage) }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: library))
    let answer = try Shell.fleetkit("migrate", library, "--yes", "-q")
    #expect(answer.status == status, "\(answer.errors)")
    #expect(answer.errors.split(separator: "\n").count == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) == bytes)
  }

  @Test func anotherProgramsLockIsRespected() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v1.4.0.sqlite")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: library))
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    holder.arguments = ["sqlite3", library]
    let input = Pipe()
    let output = Pipe()
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE; SELECT 'locked';\n".utf8))
    _ = output.fileHandleForReading.availableData
    let answer = try Shell.fleetkit("migrate", library, "--yes", "-q")
    #expect(answer.status == 7, "\(answer.errors)")
    input.fileHandleForWriting.write(Data("ROLLBACK;\n.quit\n".utf8))
    holder.waitUntilExit()
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) == bytes)
    #expect(try Shell.fleetkit("migrate", library, "--yes", "-q").status == 0)
  }
}
