import Foundation
import Testing

@testable import SQLiteRecovery

/// Recovery from logs, journals and free pages.
@Suite struct SideFileTests {
  @Test func readsACommittedLogAndKeepsTheRestApart() throws {
    let path = try TestDatabase.make("wal")
    let description = try TestDatabase.describe(path)
    let image = try DatabaseImage(path: path)
    #expect(image.hasWAL)
    #expect(image.notes.contains { if case .walApplied = $0 { true } else { false } })
    #expect(image.notes.contains { if case .walUncommitted = $0 { true } else { false } })
    let findings = try Findings(image, description.shapes(minimum: ["counters": 2]))
    let columns = description.defaults
    #expect(findings.lines([.tree], columns: columns).sorted() == description.rows.sorted())
    #expect(findings.damage.map(\.reason) == [])
    let open = findings.rows.filter { $0.origin == .uncommitted && $0.values.last == .text(Array("uncommitted".utf8)) }
    print("uncommitted rows found in the log:", Set(open.map(\.rowid)).count)
    #expect(Set(open.map(\.rowid)).count > 20)
  }

  @Test func stopsAtABrokenFrame() throws {
    let path = try TestDatabase.make("wal")
    var log = try Data(contentsOf: URL(filePath: path + "-wal"))
    log[32 + 24 + 500] ^= 0xFF
    try log.write(to: URL(filePath: path + "-wal"))
    let description = try TestDatabase.describe(path)
    let image = try DatabaseImage(path: path)
    #expect(image.notes.contains(.walBroken(frame: 0)))
    let findings = try Findings(image, description.shapes(minimum: ["counters": 2]))
    #expect(findings.lines([.tree], columns: description.defaults).sorted() == description.rows.sorted())
    #expect(findings.rows.contains { $0.origin == .uncommitted })
  }

  @Test func readsAnOlderVersionOfADamagedPage() throws {
    let path = try TestDatabase.make("spoiled")
    let shapes = try TestDatabase.describe(TestDatabase.make("wal")).shapes(minimum: ["counters": 2])
    let image = try DatabaseImage(path: path)
    #expect(!image.notes.contains { if case .walBroken = $0 { true } else { false } })
    let findings = try Findings(image, shapes)
    let pages = Set(findings.damage.filter { $0.reason == .malformedPage }.map(\.page))
    #expect(pages.count == 1)
    let older = findings.rows.filter { $0.origin == .olderVersion }
    #expect(!older.isEmpty)
    #expect(Set(older.map(\.page)) == pages)
  }

  @Test func leavesAJournalWithoutItsSuperJournal() throws {
    let image = try DatabaseImage(path: TestDatabase.make("superseded"))
    #expect(image.notes.contains(.journalSuperseded))
    #expect(!image.notes.contains { if case .journalApplied = $0 { true } else { false } })
  }

  @Test(arguments: ["journal", "journalsynced"])
  func rollsAHotJournalBack(kind: String) throws {
    let path = try TestDatabase.make(kind)
    let description = try TestDatabase.describe(path)
    let image = try DatabaseImage(path: path)
    #expect(image.hasJournal)
    #expect(image.notes.contains { if case .journalApplied = $0 { true } else { false } })
    let findings = try Findings(image, description.shapes(minimum: ["counters": 2]))
    #expect(findings.lines([.tree], columns: description.defaults).sorted() == description.rows.sorted())
    #expect(findings.damage.map(\.reason) == [])
    #expect(findings.rows.contains { $0.origin == .uncommitted && $0.values.last == .text(Array("uncommitted".utf8)) })
  }

  @Test func ignoresAnEndedJournal() throws {
    let path = try TestDatabase.make("small")
    let description = try TestDatabase.describe(path)
    try Data(count: 2000).write(to: URL(filePath: path + "-journal"))
    let image = try DatabaseImage(path: path)
    #expect(image.hasJournal)
    #expect(image.notes == [])
    let findings = try Findings(image, description.shapes(minimum: ["counters": 2]))
    #expect(findings.lines([.tree], columns: description.defaults).sorted() == description.rows.sorted())
  }

  @Test func findsDeletedRowsOnFreePages() throws {
    let path = try TestDatabase.make("deleted")
    let description = try TestDatabase.describe(path)
    let findings = try Findings(DatabaseImage(path: path), description.shapes())
    #expect(findings.lines([.tree]).sorted() == description.rows.sorted())
    #expect(findings.damage.map(\.reason) == [])
    let deleted = findings.rows.filter { $0.origin == .freelist }
    print("deleted rows found:", Set(deleted.map(\.rowid)).count, "of 301")
    #expect(Set(deleted.map(\.rowid)).count > 100)
    for row in deleted {
      let isLong = (row.rowid - 1) % 50 == 0
      let name = String(repeating: "name \(row.rowid - 1) ", count: isLong ? 201 : 1)
      #expect(row.values == [.integer(row.rowid), .text(Array(name.utf8))])
    }
  }

  @Test func refusesWhatIsNoFile() throws {
    #expect(throws: RecoveryFailure.notAFile(path: "/tmp")) { try DatabaseImage(path: "/tmp") }
    #expect(throws: RecoveryFailure.open(path: "/nowhere", errno: ENOENT)) { try DatabaseImage(path: "/nowhere") }
    let empty = try DatabaseImage(path: TestDatabase.libraries + "/library-zero-bytes.sqlite")
    #expect(empty.pageCount == 0)
    #expect(try Findings(empty, ([], [])).rows.isEmpty)
    let text = try DatabaseImage(path: TestDatabase.libraries + "/library-not-a-database.sqlite")
    #expect(try Findings(text, ([], [])).rows.isEmpty)
    #expect(!text.schemaRows().isComplete)
  }
}
