import FleetKit
import SQLiteLibrary
import TestSupport
import Testing

/// Libraries of every app version, compared with files that the app wrote.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct SchemaVersionTests {
  @Test(arguments: ["1.0.0", "1.1.0", "1.3.0", "1.4.0", "1.5.0", "1.6.0", "1.7.0", "1.9.0", "2.0.0", "2.2.0"])
  func anOlderLibraryIsWhatThatAppMade(_ version: String) throws {
    let scratch = Scratch()
    let context = Run.context()
    _ = try Conversion(
      sources: SourceList([Libraries.path("library-v2.2.0.sqlite")]),
      target: Target(scratch["old.sqlite"], schemaVersion: version)
    ).run(context: context)
    let theirs = try scratch.copy("library-v\(version).sqlite", as: "app.sqlite")
    for sql in [
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid;",
      "SELECT rowid, identifier FROM grdb_migrations;",
    ] {
      #expect(try SQLiteShell.run(scratch["old.sqlite"], sql) == SQLiteShell.run(theirs, sql))
    }
    #expect(try SQLiteShell.run(scratch["old.sqlite"], "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
    // Every value that the older schema cannot hold is reported. The newest schema holds everything.
    #expect((context.losses.total == 0) == (version == "2.2.0"))
  }

  @Test func whatAnOlderSchemaCannotHoldIsNamed() throws {
    let scratch = Scratch()
    let context = Run.context()
    let source = try scratch.write(
      "a.jsonl",
      """
      {"content_type":"practice_guide","title":"Guide","content_data":{"markdown":"x"}}
      {"content_type":"checklist","title":"List","public_id":"list-1","is_pinned":true,"content_data":{"sections":[]}}
      {"kind":"charter","name":"Ionian","start_date":"2026-05-01","end_date":"2026-05-08","latitude":38.5}
      """)
    let summary = try Conversion(
      sources: SourceList([source]), target: Target(scratch["old.sqlite"], schemaVersion: "1.3.0")
    ).run(context: context)
    #expect(summary.tally[.item].created == 1 && summary.tally[.item].skipped.values.reduce(0, +) == 1)
    #expect(Set(context.losses.kept.map(\.field)) == ["", "/public_id", "/latitude"])
    let pinned = try SQLiteShell.run(scratch["old.sqlite"], "SELECT isPinned, creatorID FROM library_content;")
    #expect(pinned == "1|\(CanonicalUUID.zero)\n", "before v1.9.0 a missing author is all zeros")
    #expect(throws: RunFailure.self) {
      _ = try Conversion(
        sources: SourceList([source]), target: Target(scratch["no.sqlite"], schemaVersion: "1.3.0")
      ).run(context: Run.context(noLoss: true))
    }
  }
}
