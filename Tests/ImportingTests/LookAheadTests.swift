import Content
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Records are looked up ahead of time. The result must equal the library's state when their turn comes.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct LookAheadTests {
  private static let start = SharedList.of("Oil", "Coolant", "Springs off")

  /// Returns a list for each number, each with its own ids.
  private static func lists(_ numbers: Range<Int>, title: String = "List", updated: String) -> [SharedList] {
    numbers.map { number in
      var list = SharedList.of("Oil", "Coolant", updated: updated)
      list.id = String(format: "22222222-2222-4222-8222-%012X", number)
      list.section = String(format: "CCCCCCCC-0000-4000-8000-%012X", number)
      list.title = "\(title) \(number)"
      return list
    }
  }

  /// The app changes a column of a record without changing the times.
  @Test(arguments: [
    "UPDATE checklists SET content = replace(content, 'Coolant', 'Coolanu')",
    "UPDATE checklists SET title = 'Leaving the bertH'",
    "UPDATE checklists SET description = 'x'",
    "UPDATE checklists SET tags = '[\"x\"]'",
    "UPDATE library_content SET title = 'Leaving the bertH'",
    "UPDATE library_content SET tags = '[\"x\"]'",
    "UPDATE library_content SET language = 'de'",
    "UPDATE library_content SET description = 'x'",
    "DELETE FROM checklists",
  ])
  func anEditWithoutATimeIsSeen(edit: String) throws {
    let bench = try Bench()
    try bench.add(Self.start)
    #expect(try bench.add(Self.start).summary.tally[.item].unchanged == 1)
    try bench.sql(edit + ";")
    let tables = ["checklists", "library_content"]
    let before = try tables.map { try SQLiteShell.rows(bench.library, $0) }
    let tally = try bench.add(Self.start).summary.tally[.item]
    #expect(tally.unchanged == 0 && tally.read == 1)
    if !edit.hasPrefix("DELETE") { #expect(try tables.map { try SQLiteShell.rows(bench.library, $0) } == before) }
  }

  /// Returns a canonical line whose sections also occur byte for byte in the column.
  private static func canonical(_ list: SharedList) throws -> String {
    try Array(list.line.utf8).withUnsafeBufferPointer { buffer in
      var tape = JSONTape()
      let parse = try tape.parse(buffer.span)
      let node = JSONNode(text: try #require(buffer.baseAddress), tokens: tape.tokens, index: parse.root)
      var canonicalizer = Canonicalizer(mode: .bundle)
      var out = ByteBuffer()
      canonicalizer.writeRecord(node, kind: .item, derivedID: { "" }, into: &out)
      return String(decoding: out.bytes, as: UTF8.self) + "\n"
    }
  }

  /// The column begins with the source's text, stores the text as another type, or contains more or less than the text.
  @Test(arguments: [
    "content", "content || '  '", "content || ']'", "content || ' x'", "substr(content, 1, length(content) - 1)",
    "CAST(content AS BLOB)",
    "CAST(content || '[]' AS BLOB)", "replace(content, '\"sortOrder\":0}]', '\"sortOrder\":0,\"photo\":\"x\"}]')",
    "'{\"sections\":' || content || '}'", "'[' || content || ']'", "replace(content, 'Oil', 'Oi1')", "'[]'", "''",
    "replace(content, 'AAAAAAAA', 'aaaaaaaa')",
  ])
  func aLineThatIsAsWeWriteItIsDecidedLikeAnother(content: String) throws {
    // For the line that must be rewritten, the column is always parsed.
    let lines = [Self.start.line, try Self.canonical(Self.start)]
    let ends = try lines.map { line in
      let bench = try Bench()
      try bench.add(more: line)
      #expect(try bench.add(more: line).summary.tally[.item].unchanged == 1)
      try bench.sql("UPDATE checklists SET content = \(content);")
      let before = try SQLiteShell.rows(bench.library, "checklists")
      let tally = try bench.add(more: line).summary.tally[.item]
      #expect(tally.read == 1)
      let after = try SQLiteShell.rows(bench.library, "checklists")
      if tally.unchanged == 1 { #expect(after == before) }
      return (tally: "\(tally)", rows: after)
    }
    #expect(ends[0].tally == ends[1].tally)
    #expect(ends[0].rows == ends[1].rows)
  }

  @Test func theFirstOfTwoOfOneIDIsTaken() throws {
    let bench = try Bench()
    try bench.add(Self.start)
    var other = Self.start
    other[2].title = "Coolant!"
    other.updated = "2026-03-01T00:00:00.000Z"
    // The library's version comes first and is unchanged, so the other one is the duplicate.
    var tally = try bench.add(Self.start, other).summary.tally[.item]
    #expect(tally.unchanged == 1 && tally.rejected == 1)
    #expect(try bench.list() == Self.start.untimed)
    // In reverse order, the library's own version comes second and does not count as unchanged.
    tally = try bench.add(other, Self.start).summary.tally[.item]
    #expect(tally.updated == 1 && tally.rejected == 1 && tally.unchanged == 0)
    #expect(try bench.list() == other.untimed)
  }

  /// A file changes a record, and the next file contains the record's former version.
  @Test(arguments: [3, 900]) func whatARunHasChangedIsNotUnchanged(count: Int) throws {
    let bench = try Bench()
    let old = Self.lists(0..<count, updated: "2026-02-01T00:00:00.000Z")
    let new = Self.lists(0..<count, title: "New", updated: "2026-03-01T00:00:00.000Z")
    func add(_ files: [(String, [SharedList])]) throws -> LibraryImport.Report {
      for (name, lists) in files { _ = try bench.scratch.write("all/\(name)", lists.map(\.line).joined()) }
      var job = LibraryImport(sources: try SourceList([bench.scratch["all"]]), library: bench.library)
      job.createsLibrary = true
      return try job.run(context: RunContext(now: Timestamp(milliseconds: 1_780_000_000_000)))
    }
    try FileManager.default.createDirectory(atPath: bench.scratch["all"], withIntermediateDirectories: true)
    _ = try add([("b.jsonl", old)])
    #expect(try add([("b.jsonl", old)]).summary.tally[.item].unchanged == count)
    let tally = try add([("a.jsonl", new), ("b.jsonl", old)]).summary.tally[.item]
    #expect(tally.updated == count && tally.unchanged == 0 && tally.read == 2 * count)
    let titles = try bench.sql("SELECT count(*) FROM library_content WHERE title GLOB 'New *';")
    #expect(titles == "\(count)\n")
  }

  /// More records than are processed at the same time, some of which the library already has.
  @Test func everyRecordMeetsItsOwn() throws {
    let bench = try Bench()
    let lists = Self.lists(0..<2500, updated: "2026-02-01T00:00:00.000Z")
    func add(_ lists: [SharedList]) throws -> RunSummary {
      let lines = lists.map(\.line).joined()
      return try bench.add(more: lines).summary
    }
    _ = try add(lists.enumerated().filter { $0.offset % 3 != 0 }.map(\.element))
    var source = lists
    for index in source.indices where index % 5 == 0 {
      source[index].title = "Edited"
      source[index].updated = "2026-03-01T00:00:00.000Z"
    }
    let tally = try add(source).tally[.item]
    let has = lists.indices.filter { $0 % 3 != 0 }
    #expect(tally.created == lists.count - has.count)
    #expect(tally.updated == has.filter { $0 % 5 == 0 }.count)
    #expect(tally.unchanged == has.filter { $0 % 5 != 0 }.count)
    #expect(try add(source).tally[.item].unchanged == source.count)
  }

  /// New records of a file are written while the rest of the file is read. The result for each line and the order of
  /// the rows must equal those of a file whose records all wait for the end of the file.
  @Test(arguments: [40, 900]) func aFileOfNewRecordsIsDecidedLikeAnother(count: Int) throws {
    var lists = Self.lists(0..<count, updated: "2026-02-01T00:00:00.000Z")
    var edited = Self.start
    edited[1].title = "Oil, dipped twice"
    edited.updated = "2026-03-01T00:00:00.000Z"
    var newer = lists[7]
    newer.title = "The same id, later"
    newer.updated = "2026-04-01T00:00:00.000Z"
    var older = lists[8]
    older.title = "The same id, earlier"
    older.updated = "2026-01-15T00:00:00.000Z"
    // Repeated records: an unchanged one, and one with a different text. Then the library's version is changed,
    // unchanged and changed again.
    lists.insert(contentsOf: [lists[7], newer, older], at: count / 2)
    lists += [edited, Self.start, edited, lists[3]]
    let ends = try [false, true].map { changesFirst in
      let bench = try Bench()
      try bench.add(Self.start)
      // The second source begins with an update, so that its new records have to wait.
      var first = Self.start
      first.id = "33333333-3333-4333-8333-333333333333"
      first.section = "CCCCCCCC-0000-4000-8001-000000000000"
      try bench.add(Self.start, first)
      first.title = "Changed first"
      first.updated = "2026-03-01T00:00:00.000Z"
      let source = try bench.scratch.write(
        "other.jsonl", (changesFirst ? [first] + lists : lists + [first]).map(\.line).joined())
      let job = LibraryImport(sources: try SourceList([source]), library: bench.library)
      let report = try job.run(context: RunContext(now: Timestamp(milliseconds: 1_780_000_000_000)))
      let tally = report.summary.tally[.item]
      return (
        tally: [tally.read, tally.created, tally.updated, tally.unchanged, tally.rejected],
        rows: try bench.sql("SELECT id, title FROM library_content ORDER BY rowid;"),
        texts: try bench.sql("SELECT id, content, updatedAt FROM checklists ORDER BY rowid;")
      )
    }
    #expect(ends[0].tally == ends[1].tally)
    #expect(ends[0].tally[1...] == [count, 2, 3, 3])
    #expect(ends[0].rows == ends[1].rows)
    #expect(ends[0].texts == ends[1].texts)
  }
}
