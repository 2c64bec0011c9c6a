import Foundation
import Testing

@testable import SQLiteRecovery

/// Sound databases: the scan finds exactly the rows that SQLite reads.
@Suite struct SoundTests {
  @Test(arguments: ["p512", "p4096", "p65536", "utf16le", "utf16be", "vacuum"])
  func hasExactlyTheRows(kind: String) throws {
    let path = try TestDatabase.make(kind)
    let description = try TestDatabase.describe(path)
    let image = try DatabaseImage(path: path)
    #expect(image.notes == [])
    #expect(image.schemaRows().isComplete)
    let findings = try Findings(image, description.shapes(minimum: ["counters": 2]))
    #expect(findings.lines([.tree], columns: description.defaults).sorted() == description.rows.sorted())
    #expect(findings.entryLines([.tree]).sorted() == description.entries.sorted())
    #expect(findings.damage.map(\.reason) == [])
    #expect(findings.rows.allSatisfy { $0.origin == .tree })
    #expect(findings.withoutRowid == ["pairs"])
  }

  @Test(arguments: [
    "1.0.0", "1.1.0", "1.3.0", "1.4.0", "1.4.0-orphans", "1.5.0", "1.6.0", "1.6.0-buggy-queue", "1.7.0", "1.9.0",
    "2.0.0", "2.2.0", "2.2.0-upgraded-from-v1.4.0",
  ])
  func hasExactlyTheRowsOfALibrary(version: String) throws {
    let path = TestDatabase.libraries + "/library-v\(version).sqlite"
    let description = try TestDatabase.describe(path)
    let image = try DatabaseImage(path: path)
    let minimum = description.defaults.mapValues { max(1, $0.count - 8) }
    let findings = try Findings(image, description.shapes(minimum: minimum))
    let rows = findings.lines([.tree], columns: description.defaults)
    #expect(rows.count == description.rows.count)
    #expect(Set(rows).symmetricDifference(description.rows).map { $0.prefix(80) } == [])
    #expect(findings.entryLines([.tree]).sorted() == description.entries.sorted())
    #expect(findings.damage.map(\.reason) == [])
    #expect(findings.rows.allSatisfy { $0.origin == .tree || $0.origin == .freelist })
  }

  @Test func readsTheSchema() throws {
    let image = try DatabaseImage(path: TestDatabase.libraries + "/library-v2.2.0.sqlite")
    let schema = image.schemaRows()
    #expect(schema.isComplete)
    #expect(schema.rows.contains { $0.type == "table" && $0.name == "checklists" && $0.rootPage > 1 })
    #expect(schema.rows.contains { $0.name == "idx_charters_startDate" && $0.tableName == "charters" })
  }
}
