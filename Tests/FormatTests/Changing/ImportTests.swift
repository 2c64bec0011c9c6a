import FleetKit
import Foundation
import TestSupport
import Testing

/// Imports into real libraries, checked with the `sqlite3` shell.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ImportTests {
  @discardableResult
  static func run(
    _ sources: String..., into library: String, create: Bool = false, _ onConflict: OnConflict = .merge,
    context: RunContext = Run.context()
  ) throws -> LibraryImport.Report {
    var job = LibraryImport(sources: try SourceList(sources), library: library)
    job.createsLibrary = create
    job.onConflict = onConflict
    let report = try job.run(context: context)
    #expect(report.summary.tally.balances)
    return report
  }

  static func line(
    _ id: String, _ title: String, updated: String? = nil, items: [String] = ["one", "two"], more: String = ""
  ) -> String {
    let steps = items.map { "{\"title\":\"\($0)\"}" }.joined(separator: ",")
    let time = updated.map { ",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"\($0)\"" } ?? ""
    return """
      {"id":"\(id)","content_type":"checklist","title":"\(title)"\(time)\(more),"content_data":{"sections":\
      [{"title":"A","items":[\(steps)]}]}}

      """
  }

  private static let first = "11111111-1111-4111-8111-111111111111"

  // MARK: Importing twice

  @Test(arguments: Libraries.sound)
  func theSecondTimeEverythingIsUnchanged(_ name: String) throws {
    let scratch = Scratch()
    let library = scratch["new.sqlite"]
    try Run.convert(Libraries.path(name), to: scratch["all.jsonl"])
    let created = try Self.run(scratch["all.jsonl"], into: library, create: true).summary.tally
    #expect(created.total.rejected == 0 && created.total.updated == 0 && created.total.unchanged == 0)
    let before = try SQLiteShell.run(library, ".dump")
    for source in [scratch["all.jsonl"], Libraries.path(name)] {
      let again = try Self.run(source, into: library).summary.tally
      #expect(again.total.created == 0 && again.total.updated == 0 && again.total.rejected == 0)
      #expect(again.total.unchanged == created.total.created)
      for mode in [OnConflict.keep, .newest, .replace, .fail] {
        #expect(try Self.run(source, into: library, mode).summary.tally.total.unchanged == created.total.created)
      }
    }
    #expect(try SQLiteShell.run(library, ".dump") == before)
    #expect(try SQLiteShell.run(library, "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
  }

  @Test func anExistingLibraryGetsWhatIsNewAndKeepsTheRest() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let before = Set(try SQLiteShell.run(library, ".dump").split(separator: "\n"))
    let report = try Self.run(Libraries.path("library-v1.9.0.sqlite"), into: library, .keep)
    #expect(report.summary.tally.total.created > 0)
    let after = Set(try SQLiteShell.run(library, ".dump").split(separator: "\n"))
    #expect(before.isSubset(of: after), "every row that was there is there, as it was")
    #expect(try SQLiteShell.run(library, "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
    let queue = try SQLiteShell.run(library, "SELECT count(*) FROM sync_queue;")
    #expect(queue == "11\n", "the queue is left alone")
  }

  // MARK: Content, not publication

  @Test func aStrangersBundleBecomesPrivate() throws {
    let scratch = Scratch()
    try Run.convert(Libraries.path("library-v2.2.0.sqlite"), to: scratch["stranger.jsonl"])
    let library = scratch["mine.sqlite"]
    try Run.convert(
      try scratch.write("empty.jsonl", "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1}\n"),
      to: library)
    let context = Run.context()
    try Self.run(scratch["stranger.jsonl"], into: library, context: context)
    let sql = """
      SELECT count(*) FROM sync_queue;
      SELECT count(*) FROM library_content WHERE visibility <> 'private' OR syncStatus <> 'pending'
        OR publishedAt IS NOT NULL OR publicID IS NOT NULL OR publicMetadata IS NOT NULL;
      SELECT count(*) FROM charters WHERE visibility <> 'private' OR needsSync OR serverID IS NOT NULL
        OR lastSyncedAt IS NOT NULL;
      SELECT count(*) FROM checklists WHERE syncStatus <> 'pending';
      """
    #expect(try SQLiteShell.run(library, sql) == "0\n0\n0\n0\n")
    #expect(context.findings.counts[.publicationLeftOut, default: 0] > 0)
    let answer = try Shell.fleetkit(
      "import", scratch["stranger.jsonl"], "--into", scratch["n.sqlite"], "--create", "--json")
    #expect(answer.number("/findings/codes/IMP0103") == context.findings.counts[.publicationLeftOut])
    let operations = answer.value("/kinds/sync_operation/skipped") as? [String: Int] ?? [:]
    #expect(operations.values.reduce(0, +) == answer.number("/kinds/sync_operation/read"), "\(answer.output)")
  }

  @Test func publishedItemsKeepTheirPublication() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let sql =
      "SELECT id, title, publicID, visibility FROM library_content WHERE visibility = 'public' AND "
      + "syncStatus = 'synced' ORDER BY id LIMIT 1;"
    let row = try SQLiteShell.run(library, sql).split(separator: "\n")[0].split(separator: "|").map(String.init)
    let source = try scratch.write("a.jsonl", Self.line(row[0], "Changed", updated: "2031-01-01T00:00:00.000Z"))
    let refused = try Self.run(source, into: library, .replace)
    #expect(refused.summary.tally[.item].rejected == 1, "a publication is not replaced")
    let updated = try Self.run(source, into: library, .newest)
    #expect(updated.summary.tally[.item].updated == 1)
    let after = try SQLiteShell.run(
      library, "SELECT title, publicID, visibility, syncStatus FROM library_content WHERE id = '\(row[0])';")
    #expect(after == "Changed|\(row[2])|public|pending\n")
    let replaced = try #require(updated.replaced)
    #expect(try Run.records(replaced).first?["title"]?.string == row[1], "what was written over is kept")
  }

  // MARK: Conflicts

  @Test(arguments: [
    (OnConflict.merge, "2026-03-01T00:00:00.000Z", "updated"), (.merge, "2026-01-15T00:00:00.000Z", "skipped"),
    (.merge, "2026-02-01T00:00:00.000Z", "updated"), (.merge, "", "rejected"), (.newest, "", "rejected"),
    (.newest, "2026-02-01T00:00:00.000Z", "updated"), (.newest, "2026-01-15T00:00:00.000Z", "skipped"),
    (.keep, "2026-03-01T00:00:00.000Z", "skipped"), (.replace, "2026-01-15T00:00:00.000Z", "updated"),
    (.replace, "", "updated"),
  ])
  func conflict(_ mode: OnConflict, _ updated: String, _ outcome: String) throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    let old = try scratch.write("old.jsonl", Self.line(Self.first, "Old", updated: "2026-02-01T00:00:00.000Z"))
    try Self.run(old, into: library, create: true)
    let text = Self.line(Self.first, "New", updated: updated.isEmpty ? nil : updated)
    // In a folder of its own, the file is a different source, whose previous content is unknown.
    try FileManager.default.createDirectory(atPath: scratch["other"], withIntermediateDirectories: true)
    let new = try scratch.write("other/new.jsonl", text)
    let context = Run.context()
    let report = try Self.run(new, into: library, mode, context: context)
    let tally = report.summary.tally[.item]
    let counts = ["updated": tally.updated, "skipped": tally.skipped.values.reduce(0, +), "rejected": tally.rejected]
    #expect(counts[outcome] == 1 && counts.values.reduce(0, +) == 1)
    let title = try SQLiteShell.run(library, "SELECT title FROM library_content;")
    #expect(title == (outcome == "updated" ? "New\n" : "Old\n"))
    if outcome == "rejected" {
      let path = try #require(report.summary.rejectsPath)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text, "byte for byte")
      #expect(context.findings.counts[.importConflict] == 1)
      // Rejects can be imported again once the conflict is decided.
      #expect(try Self.run(path, into: library, .replace).summary.tally[.item].updated == 1)
      #expect(try SQLiteShell.run(library, "SELECT title FROM library_content;") == "New\n")
    }
  }

  @Test func failStopsEverything() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    try Self.run(try scratch.write("old.jsonl", Self.line(Self.first, "Old")), into: library, create: true)
    let before = try Data(contentsOf: URL(fileURLWithPath: library))
    let new = try scratch.write(
      "new.jsonl", Self.line("22222222-2222-4222-8222-222222222222", "Another") + Self.line(Self.first, "New"))
    let answer = try Shell.fleetkit("import", new, "--into", library, "--on-conflict", "fail", "-q")
    #expect(answer.status == 4 && answer.errors.contains("new.jsonl:2:1"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) == before)
    // A second attempt does not report the run as already done.
    #expect(try Self.run(new, into: library, .replace).summary.tally[.item].updated == 1)
  }

  // MARK: Identity

  @Test func idsOfStepsStayWhenAStepIsPutInAtTheTop() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    // The library's steps have ids that the source does not contain.
    let withIDs = """
      {"id":"\(Self.first)","content_type":"checklist","title":"List","updated_at":"2026-01-01T00:00:00.000Z",\
      "content_data":{"sections":[{"id":"AAAAAAAA-0000-4000-8000-000000000001","title":"A","items":[\
      {"id":"AAAAAAAA-0000-4000-8000-000000000002","title":"one"},\
      {"id":"AAAAAAAA-0000-4000-8000-000000000003","title":"two"}]}]}}
      """
    try Self.run(try scratch.write("ids.jsonl", withIDs), into: library, create: true)
    let source = try scratch.write("list.jsonl", Self.line(Self.first, "List", items: ["one", "two"]))
    #expect(try Self.run(source, into: library).summary.tally[.item].unchanged == 1)
    let longer = try scratch.write(
      "list.jsonl",
      Self.line(Self.first, "List", updated: "2026-05-01T00:00:00.000Z", items: ["zero", "one", "one b", "two"]))
    #expect(try Self.run(longer, into: library).summary.tally[.item].updated == 1)
    let content = try #require(try Run.records(library).first?["content_data"]?["sections"]?[0])
    #expect(content["id"]?.string == "AAAAAAAA-0000-4000-8000-000000000001")
    let ids = content["items"]?.elements.compactMap { $0["id"]?.string } ?? []
    #expect(ids.count == 4 && Set(ids).count == 4)
    #expect(ids[1] == "AAAAAAAA-0000-4000-8000-000000000002" && ids[3] == "AAAAAAAA-0000-4000-8000-000000000003")
  }

  @Test func aFileThatWasRenamedIsTheSameItem() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    try FileManager.default.createDirectory(atPath: scratch["vault"], withIntermediateDirectories: true)
    func item(_ title: String) -> String {
      "{\"content_type\":\"checklist\",\"title\":\"\(title)\",\"content_data\":{\"sections\":[{\"title\":\"A\"}]}}"
    }
    _ = try scratch.write("vault/anchor.json", item("Anchoring"))
    _ = try scratch.write("vault/dock.json", item("Docking"))
    try Self.run(scratch["vault"], into: library, create: true)
    let before = try SQLiteShell.run(library, "SELECT id, title FROM library_content ORDER BY title;")
    try FileManager.default.moveItem(atPath: scratch["vault/anchor.json"], toPath: scratch["vault/b-anchor.json"])
    #expect(try Self.run(scratch["vault"], into: library).summary.tally[.item].unchanged == 2)
    #expect(try Self.run(scratch["vault"], into: library).summary.tally[.item].unchanged == 2)
    #expect(try SQLiteShell.run(library, "SELECT id, title FROM library_content ORDER BY title;") == before)
    // A file that is imported alone is still identified as a file of its folder.
    try FileManager.default.moveItem(atPath: scratch["vault/b-anchor.json"], toPath: scratch["vault/c-anchor.json"])
    #expect(try Self.run(scratch["vault/c-anchor.json"], into: library).summary.tally[.item].unchanged == 1)
    #expect(try SQLiteShell.run(library, "SELECT id, title FROM library_content ORDER BY title;") == before)
    // A second file with the same content is another item, because no file has vanished.
    try FileManager.default.copyItem(atPath: scratch["vault/c-anchor.json"], toPath: scratch["vault/d-anchor.json"])
    #expect(try Self.run(scratch["vault"], into: library).summary.tally[.item].created == 1)
    try FileManager.default.copyItem(atPath: scratch["vault/dock.json"], toPath: scratch["vault/dock copy.json"])
    #expect(try Self.run(scratch["vault"], into: library).summary.tally[.item].created == 1)
  }

  @Test func ofSeveralFilesTheNewestWins() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    let new = try scratch.write("a.jsonl", Self.line(Self.first, "New", updated: "2026-03-01T00:00:00.000Z"))
    let old = try scratch.write("b.jsonl", Self.line(Self.first, "Old", updated: "2026-02-01T00:00:00.000Z"))
    for (sources, created, updated) in [([new, old], 1, 0), ([old, new], 0, 0)] {
      var job = LibraryImport(sources: try SourceList(sources), library: library)
      job.createsLibrary = true
      let tally = try job.run(context: Run.context()).summary.tally[.item]
      #expect(tally.created == created && tally.updated == updated && tally.rejected == 0 && tally.balances)
      #expect(try SQLiteShell.run(library, "SELECT title FROM library_content;") == "New\n")
    }
    try FileManager.default.removeItem(atPath: library)
    let tally = try Self.run(old, new, into: library, create: true).summary.tally[.item]
    #expect(tally.created == 1 && tally.updated == 1)
    #expect(try SQLiteShell.run(library, "SELECT title FROM library_content;") == "New\n")
  }

  @Test func anExecutionOfTheSameChecklistOnTheSameCharterIsTheSame() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    let charter = "22222222-2222-4222-8222-222222222222"
    func execution(_ id: String, _ checked: Bool, _ updated: String) -> String {
      """
      {"kind":"execution","id":"\(id)","checklist_id":"\(Self.first)","charter_id":"\(charter)","created_at":\
      "2026-01-01T00:00:00Z","last_updated":"\(updated)","item_states":{"\(Self.first)":{"checked":\(checked)}}}

      """
    }
    let base =
      execution("33333333-3333-4333-8333-333333333333", false, "2026-01-02T00:00:00Z")
      + "{\"kind\":\"charter\",\"id\":\"\(charter)\",\"name\":\"Ionian\",\"start_date\":\"2026-05-01\",\"end_date\":\"2026-05-02\"}\n"
      + Self.line(Self.first, "List")
    try Self.run(try scratch.write("a.jsonl", base), into: library, create: true)
    let other = execution("44444444-4444-4444-8444-444444444444", true, "2026-01-03T00:00:00Z")
    let report = try Self.run(try scratch.write("b.jsonl", other), into: library)
    #expect(report.summary.tally[.execution].updated == 1)
    let rows = try SQLiteShell.run(library, "SELECT id, itemStates LIKE '%true%' FROM checklistExecutionStates;")
    #expect(rows == "33333333-3333-4333-8333-333333333333|1\n")
    // An execution without its charter is rejected and kept.
    let lost = execution("55555555-5555-4555-8555-555555555555", true, "2026-01-03T00:00:00Z")
      .replacing(charter, with: "66666666-6666-4666-8666-666666666666")
    let rejected = try Self.run(try scratch.write("c.jsonl", lost), into: library)
    #expect(rejected.summary.tally[.execution].rejected == 1 && rejected.summary.rejectsPath != nil)
  }

  /// Ticks belong to independent steps, so a version with fewer ticks deletes none.
  @Test func ticksOfBothSidesStay() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    let charter = "22222222-2222-4222-8222-222222222222"
    func tick(_ number: Int) -> String { "AAAAAAAA-0000-4000-8000-00000000000\(number)" }
    func execution(_ states: String, _ updated: String) -> String {
      """
      {"kind":"execution","id":"33333333-3333-4333-8333-333333333333","checklist_id":"\(Self.first)","charter_id":\
      "\(charter)","created_at":"2026-01-01T00:00:00Z","last_updated":"\(updated)","item_states":{\(states)}}

      """
    }
    let base =
      "{\"kind\":\"charter\",\"id\":\"\(charter)\",\"name\":\"Ionian\",\"start_date\":\"2026-05-01\",\"end_date\":\"2026-05-02\"}\n"
      + Self.line(Self.first, "List")
      + execution(
        "\"\(tick(1))\":{\"checked\":true,\"notes\":\"loose\"},\"\(tick(2))\":{\"checked\":false}",
        "2026-02-01T00:00:00Z")
    try Self.run(try scratch.write("a.jsonl", base), into: library, create: true)
    func states() throws -> String {
      try SQLiteShell.run(library, "SELECT itemStates FROM checklistExecutionStates;")
    }
    // Both versions have the same time: the source wins for steps that both contain, and a note that only the library
    // has is kept.
    let same = "\"\(tick(1))\":{\"checked\":false},\"\(tick(3))\":{\"checked\":true}"
    let part = try scratch.write("b.jsonl", execution(same, "2026-02-01T00:00:00Z"))
    #expect(try Self.run(part, into: library).summary.tally[.execution].updated == 1)
    #expect(
      try states() == """
        {"\(tick(1))":{"checked":false,"notes":"loose"},"\(tick(2))":{"checked":false},"\(tick(3))":{"checked":true}}

        """)
    #expect(try Self.run(part, into: library).summary.tally[.execution].unchanged == 1)
    // An older version only adds ticks for steps that the library does not contain.
    let older = "\"\(tick(1))\":{\"checked\":true},\"\(tick(4))\":{\"checked\":true}"
    let old = try scratch.write("c.jsonl", execution(older, "2026-01-15T00:00:00Z"))
    #expect(try Self.run(old, into: library).summary.tally[.execution].updated == 1)
    #expect(
      try states().contains("\"\(tick(1))\":{\"checked\":false,\"notes\":\"loose\"}") && states().contains(tick(4)))
    #expect(try SQLiteShell.run(library, "SELECT lastUpdated FROM checklistExecutionStates;").hasPrefix("2026-02-01"))
    let again = try Self.run(old, into: library).summary.tally[.execution]
    #expect(again.updated == 0 && again.skipped.values.reduce(0, +) == 1)
    // `replace` replaces the execution, even with an older one.
    #expect(try Self.run(old, into: library, .replace).summary.tally[.execution].updated == 1)
    #expect(try !states().contains(tick(2)))
  }

  /// A valid record is committed, however many skipped records precede it.
  @Test func oneGoodRecordAfterManyBadOnes() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let charter = try SQLiteShell.run(library, "SELECT id FROM charters LIMIT 1;").trimmingCharacters(in: .newlines)
    var lines = ""
    for index in 0..<100 {
      let id = String(format: "%08X-0000-4000-8000-000000000000", index)
      let lost = "99999999-9999-4999-8999-999999999999"
      lines +=
        "{\"kind\":\"execution\",\"id\":\"\(id)\",\"checklist_id\":\"\(Self.first)\",\"charter_id\":"
        + "\"\(index == 99 ? charter : lost)\",\"item_states\":{}}\n"
    }
    let source = try scratch.write("a.jsonl", lines)
    let tally = try Self.run(source, into: library).summary.tally[.execution]
    #expect(tally.created == 1 && tally.rejected == 99)
    let sql = "SELECT count(*) FROM checklistExecutionStates WHERE id LIKE '00000063-%';"
    #expect(try SQLiteShell.run(library, sql) == "1\n")
  }

  /// When an execution moves to a checklist and charter that already have an execution, only that execution is
  /// rejected.
  @Test func twoExecutionsOfOnePairCannotBe() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    let charter = "22222222-2222-4222-8222-222222222222"
    func execution(_ id: String, _ checklist: String, _ updated: String) -> String {
      "{\"kind\":\"execution\",\"id\":\"\(id)\",\"checklist_id\":\"\(checklist)\",\"charter_id\":\"\(charter)\","
        + "\"created_at\":\"\(updated)\",\"last_updated\":\"\(updated)\",\"item_states\":{}}\n"
    }
    let other = "33333333-3333-4333-8333-333333333333"
    let day = "2026-05-01T00:00:00Z"
    let base =
      "{\"kind\":\"charter\",\"id\":\"\(charter)\",\"name\":\"A\",\"start_date\":\"2026-05-01\",\"end_date\":\"2026-05-02\"}\n"
      + execution("44444444-4444-4444-8444-444444444444", Self.first, day)
      + execution("55555555-5555-4555-8555-555555555555", other, day)
    try Self.run(try scratch.write("a.jsonl", base), into: library, create: true)
    let moved =
      execution("44444444-4444-4444-8444-444444444444", other, "2026-06-01T00:00:00Z")
      + Self.line("66666666-6666-4666-8666-666666666666", "Fine")
    let report = try Self.run(try scratch.write("b.jsonl", moved), into: library)
    #expect(report.summary.tally[.execution].rejected == 1 && report.summary.tally[.item].created == 1)
  }

  @Test func whatAnOlderSchemaDoesNotKnowStays() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    let charter =
      "{\"kind\":\"charter\",\"id\":\"\(Self.first)\",\"name\":\"A\",\"start_date\":\"2026-05-01\",\"end_date\":\"2026-05-02\""
      + ",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\""
    let item = Self.line(
      "22222222-2222-4222-8222-222222222222", "L", updated: "2026-01-01T00:00:00.000Z",
      more: ",\"is_pinned\":true,\"pinned_order\":2,\"original_author_username\":\"maria\"")
    try Self.run(try scratch.write("a.jsonl", charter + ",\"latitude\":38.5}\n" + item), into: library, create: true)
    let old = Self.line("22222222-2222-4222-8222-222222222222", "Lists", updated: "2026-01-01T00:00:00.000Z")
    let source = try scratch.write("b.jsonl", charter.replacing("\"A\"", with: "\"B\"") + "}\n" + old)
    #expect(try Self.run(source, into: library).summary.tally.total.updated == 2)
    let sql =
      "SELECT name, latitude FROM charters; SELECT title, isPinned, pinnedOrder, originalAuthorUsername FROM library_content;"
    #expect(try SQLiteShell.run(library, sql) == "B|38.5\nLists|1|2|maria\n")
  }

  @Test func anItemWithoutABodyIsRejected() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    let empty =
      "{\"id\":\"\(Self.first)\",\"content_type\":\"checklist\",\"title\":\"Empty\",\"content_data\":null,\"extras\":{\"foo\":1}}\n"
    let source = try scratch.write("a.jsonl", empty)
    #expect(try Self.run(source, into: library, create: true).summary.tally[.item].rejected == 1)
    #expect(
      try SQLiteShell.run(library, "SELECT count(*) FROM library_content; SELECT count(*) FROM checklists;") == "0\n0\n"
    )
    // If the library has a body, the body is kept.
    try Self.run(try scratch.write("b.jsonl", Self.line(Self.first, "Full")), into: library)
    #expect(try Self.run(source, into: library, .replace).summary.tally[.item].updated == 1)
    #expect(try SQLiteShell.run(library, "SELECT title FROM library_content;") == "Empty\n")
    #expect(try SQLiteShell.run(library, "SELECT id, content LIKE '%two%' FROM checklists;") == "\(Self.first)|1\n")
  }

  @Test func rejectsOfTwoRunsStandSideBySide() throws {
    let scratch = Scratch()
    let library = scratch["l.sqlite"]
    try Self.run(try scratch.write("a.jsonl", Self.line(Self.first, "Old")), into: library, create: true)
    let source = try scratch.write("b.jsonl", Self.line(Self.first, "New"))
    let paths = try (0..<4).map { _ in try #require(Self.run(source, into: library).summary.rejectsPath) }
    #expect(Set(paths).count == 4)
    for path in paths { #expect(FileManager.default.fileExists(atPath: path)) }
  }

  @Test func ofManyImportsAtOnceOneGoesThroughAndTheOthersSayWhy() async throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let source = try scratch.write("a.jsonl", Self.line(Self.first, "x"))
    let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
      for _ in 0..<6 {
        group.addTask { try Shell.fleetkit("import", source, "--into", library, "-q").status }
      }
      return try await group.reduce(into: [Int32]()) { $0.append($1) }
    }
    #expect(statuses.contains(0) && statuses.allSatisfy { $0 == 0 || $0 == 7 }, "\(statuses)")
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM library_content WHERE title = 'x';") == "1\n")
  }

  // MARK: Records without a table in the app

  @Test func decksLiveBesideTheLibrary() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let before = try Data(contentsOf: URL(fileURLWithPath: library))
    let source = try scratch.write(
      "d.jsonl",
      """
      {"content_type":"flashcard_deck","title":"Lights","content_data":{"cards":[{"front":"red","back":"port"}]}}
      {"kind":"foreign","id":"todoist/1","system":"todoist","type":"task","raw":{"a":1}}
      """)
    #expect(try Self.run(source, into: library).summary.tally.total.created == 2)
    #expect(try Self.run(source, into: library).summary.tally.total.unchanged == 2)
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) == before, "the app's file gets nothing of it")
    #expect(scratch.names == ["d.jsonl", "library.sqlite", "library.sqlite.fleetkit"])
    let decks = try Run.records(library).filter { $0["content_type"]?.string == "flashcard_deck" }
    #expect(decks.count == 1 && decks.first?["content_data"]?["cards"]?[0]?["back"]?.string == "port")
    // A reader combines the library's and the sidecar's records into one stream.
    try Run.convert(library, to: scratch["all.jsonl"])
    #expect(try scratch.text("all.jsonl").contains("todoist/1"))
  }

  // MARK: Refusals

  @Test func librariesOfOtherVersionsAreRefused() throws {
    let scratch = Scratch()
    let source = try scratch.write("a.jsonl", Self.line(Self.first, "x"))
    let old = try scratch.writable("library-v1.4.0.sqlite", as: "old.sqlite")
    let newer = try scratch.writable("library-v2.2.0.sqlite", as: "newer.sqlite")
    try SQLiteShell.run(newer, "INSERT INTO grdb_migrations VALUES ('v9.0.0_future');")
    let lost = try scratch.writable("library-v2.2.0.sqlite", as: "lost.sqlite")
    try SQLiteShell.run(lost, "UPDATE charters SET id = lower(id) WHERE rowid = 1;")
    for (library, status, advice) in [
      (old, 4, "fleetkit migrate"), (newer, 6, "Update FleetKit"), (lost, 4, "fleetkit doctor"),
      (scratch["none.sqlite"], 2, "--create"),
    ] {
      let answer = try Shell.fleetkit("import", source, "--into", library, "-q")
      #expect(answer.status == Int32(status) && answer.errors.contains(advice), "\(answer.errors)")
    }
    #expect(try Shell.fleetkit("import", old, "--into", old, "-q").status == 64)
    #expect(try Shell.fleetkit("import", source, "--into", old, "--on-conflict", "maybe").status == 64)
  }

  @Test func dryRunsLeaveNothingBehind() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let before = try Data(contentsOf: URL(fileURLWithPath: library))
    let source = try scratch.write("a.jsonl", Self.line(Self.first, "x"))
    for arguments in [[library], [scratch["new.sqlite"], "--create"]] {
      let answer = try Shell.run(Paths.command, ["import", source, "--into"] + arguments + ["--dry-run", "--json"])
      #expect(answer.status == 0 && answer.value("/dry_run") as? Bool == true)
    }
    #expect(scratch.names == ["a.jsonl", "library.sqlite"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: library)) == before)
  }
}
