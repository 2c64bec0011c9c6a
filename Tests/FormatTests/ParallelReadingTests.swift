import FleetKit
import Foundation
import TestSupport
import Testing

/// Large libraries are read on two threads. The result must be identical every time, in order and with every finding.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ParallelReadingTests {
  private static func library(_ scratch: Scratch, shuffled: Bool) throws -> String {
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "large.sqlite")
    let order = shuffled ? "ORDER BY n * 7919 % 4001" : ""
    let id = "printf('%08X-0000-4000-8000-%012X', n * 1000, n)"
    let numbers = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4000) "
    try SQLiteShell.run(
      path,
      """
      \(numbers) INSERT INTO library_content (id, title, type, createdAt, updatedAt)
        SELECT \(id), 'Item ' || n, 'checklist', '2026-01-01 00:00:00.000', '2026-01-01 00:00:00.000' FROM c
        WHERE n % 100 != 50 \(order);
      \(numbers) INSERT INTO checklists (id, title, content, createdAt, updatedAt)
        SELECT \(id), 'Item ' || n,
          CASE WHEN n % 500 = 7 THEN '[{"title":"cut off"' ELSE '[]' END, '2026-01-01 00:00:00.000', '2026-01-01 00:00:00.000'
        FROM c WHERE n % 100 != 60 \(order);
      """)
    return path
  }

  @Test(arguments: [false, true])
  func everythingIsThereInOrder(_ shuffled: Bool) throws {
    let scratch = Scratch()
    let path = try Self.library(scratch, shuffled: shuffled)
    var texts: [String] = []
    var places: [[String]] = []
    for run in 0..<3 {
      let context = Run.context()
      try Run.convert(path, to: scratch["\(run).jsonl"], context: context)
      texts.append(try scratch.text("\(run).jsonl"))
      places.append(context.findings.kept.map { "\($0.code.id) \($0.place)" })
    }
    #expect(texts[0] == texts[1] && texts[1] == texts[2])
    #expect(places[0] == places[1] && places[1] == places[2])
    let records = try Run.records(scratch["0.jsonl"])
    let ids = records.filter { $0["kind"]?.string == "item" }.compactMap { $0["id"]?.string }
    #expect(ids.count == 4024 && ids == ids.sorted() && Set(ids).count == ids.count)
    let codes = Dictionary(grouping: places[0]) { String($0.prefix(7)) }.mapValues(\.count)
    #expect(codes["LIB0602"] == 40 && codes["LIB0601"] == 40 && codes["LIB0101"] == 8, "\(codes)")
  }

  @Test func damageOnEitherThreadEndsTheRun() throws {
    let scratch = Scratch()
    let path = try Self.library(scratch, shuffled: false)
    let sound = try Data(contentsOf: URL(fileURLWithPath: path))
    for part in 1..<8 {
      var bytes = sound
      let at = bytes.count * part / 8 / 4096 * 4096
      bytes.replaceSubrange(at..<at + 4096, with: Data(repeating: 0xA5, count: 4096))
      try bytes.write(to: URL(fileURLWithPath: scratch["broken.sqlite"]))
      do {
        try Run.convert(scratch["broken.sqlite"], to: scratch["x.jsonl"])
        Issue.record("page \(at / 4096) was not missed")
      } catch let failure as RunFailure { #expect(failure.status == .failed) }
      #expect(!scratch.names.contains("x.jsonl"))
    }
  }
}
