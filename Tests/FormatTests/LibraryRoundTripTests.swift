import FleetKit
import Foundation
import TestSupport
import Testing

/// Conversions from a library to a bundle and back, checked with the `sqlite3` shell and Foundation's JSON.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct LibraryRoundTripTests {
  private static let jsonColumns: Set<String> = ["content", "tags", "itemStates", "publicMetadata", "payload"]

  @Test(arguments: Libraries.sound)
  func everyRowComesBack(_ name: String) throws {
    let scratch = Scratch()
    let old = try Self.copy(name, scratch)
    try Run.convert(old, to: scratch["all.jsonl"])
    try Run.convert(scratch["all.jsonl"], to: scratch["new.sqlite"])
    let new = scratch["new.sqlite"]
    for table in try SQLiteShell.tables(old) where table != "grdb_migrations" && table != "sqlite_sequence" {
      let before = try SQLiteShell.rows(old, table)
      let after = try SQLiteShell.rows(new, table)
      #expect(before.count == after.count, "\(table)")
      let byID = Dictionary(uniqueKeysWithValues: after.map { ($0["id"] ?? "", $0) })
      for row in before {
        let id = row["id"] ?? ""
        let copy = try #require(byID[id], "\(table)/\(id)")
        for (column, value) in row {
          guard let mine = copy[column] else { continue }  // the early queue has snake_case columns
          #expect(Self.same(value, mine, column), "\(table)/\(id)/\(column): \(value.prefix(80)) → \(mine.prefix(80))")
        }
        for (column, value) in copy where row[column] == nil && table != "sync_queue" {
          #expect(Self.defaults.contains(value), "\(table)/\(id)/\(column) must be at its default: \(value)")
        }
      }
    }
    #expect(try SQLiteShell.run(new, "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
  }

  /// NULL, 0 and 'private' as `rows` spells them.
  private static let defaults: Set<String> = ["X'':null", "NULL:null", "X'30':integer", "X'70726976617465':text"]

  private static func same(_ old: String, _ new: String, _ column: String) -> Bool {
    if old == new { return true }
    guard let before = SQLiteShell.text(old), let after = SQLiteShell.text(new) else {
      // Before v1.9.0, a missing author was stored as all zeros.
      return column == "creatorID" && SQLiteShell.text(old) == CanonicalUUID.zero && new.hasSuffix(":null")
    }
    return jsonColumns.contains(column) && ForeignJSON.same(before, after)
  }

  private static func copy(_ name: String, _ scratch: Scratch) throws -> String {
    guard name.hasPrefix("library-wal/") else { return try scratch.copy(name, as: "old.sqlite") }
    for suffix in ["", "-wal"] {
      _ = try scratch.copy("library-wal/library.sqlite" + suffix, as: "old.sqlite" + suffix)
    }
    return scratch["old.sqlite"]
  }

  @Test func aNewLibraryIsWhatTheAppMakes() throws {
    let scratch = Scratch()
    try Run.convert(Libraries.path("library-v2.2.0.sqlite"), to: scratch["new.sqlite"])
    let theirs = try scratch.copy("library-v2.2.0.sqlite", as: "app.sqlite")
    for sql in [
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid;", ".schema",
      "SELECT rowid, identifier FROM grdb_migrations;", "PRAGMA user_version; PRAGMA encoding; PRAGMA journal_mode;",
      "SELECT * FROM sqlite_sequence;", "PRAGMA application_id; PRAGMA auto_vacuum;",
    ] {
      #expect(try SQLiteShell.run(scratch["new.sqlite"], sql) == SQLiteShell.run(theirs, sql), "\(sql)")
    }
    let content = try SQLiteShell.run(scratch["new.sqlite"], "SELECT content FROM checklists WHERE content LIKE '%/%';")
    #expect(content.contains("\\/") && content.replacing("\\/", with: "").contains("/") == false)
  }

  @Test(arguments: Libraries.sound)
  func bundlesAreTheSameTheSecondTime(_ name: String) throws {
    let scratch = Scratch()
    try Run.convert(Libraries.path(name), to: scratch["1.json"])
    try Run.convert(scratch["1.json"], to: scratch["1.jsonl"])
    try Run.convert(scratch["1.jsonl"], to: scratch["2.json"])
    try Run.convert(scratch["2.json"], to: scratch["2.jsonl"])
    try Run.convert(Libraries.path(name), to: scratch["direct.jsonl"])
    #expect(try scratch.text("1.json") == scratch.text("2.json"))
    #expect(try scratch.text("1.jsonl") == scratch.text("2.jsonl"))
    #expect(try scratch.text("1.jsonl") == scratch.text("direct.jsonl"))
    #expect(ForeignJSON.parse(try scratch.text("1.json")) != nil)
    for line in try scratch.text("1.jsonl").split(separator: "\n") { #expect(ForeignJSON.parse(String(line)) != nil) }
  }

  @Test func comparisonSaysEqual() throws {
    let scratch = Scratch()
    try Run.convert(Libraries.path("library-v1.4.0.sqlite"), to: scratch["new.sqlite"])
    let old = try SourceList([Libraries.path("library-v1.4.0.sqlite")])
    let same = try Comparison(left: old, right: SourceList([scratch["new.sqlite"]])).run(context: Run.context())
    #expect(same.isEmpty && same.counts.equal == 38)
    let other = try Comparison(left: old, right: SourceList([Libraries.path("library-v1.9.0.sqlite")])).run(
      context: Run.context())
    #expect(!other.isEmpty && other.counts.onlyRight > 0 && other.counts.changed > 0)
    try SQLiteShell.run(scratch["new.sqlite"], "UPDATE checklists SET content = replace(content, 'Anchor', 'Anker');")
    let changed = try Comparison(left: old, right: SourceList([scratch["new.sqlite"]])).run(context: Run.context())
    let field = try #require(changed.changed.first?.fields.first)
    #expect(field.pointer.hasPrefix("/content_data/sections/") && field.left != field.right)
  }
}
