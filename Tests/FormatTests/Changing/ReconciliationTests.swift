import FleetKit
import Foundation
import TestSupport
import Testing

/// Random mixtures of good, bad, repeated, conflicting and unsupported records. Every record must be accounted for: in
/// the library, among the rejects, or by a reason.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ReconciliationTests {
  private static let rounds = Int(ProcessInfo.processInfo.environment["FLEETKIT_IMPORT_ROUNDS"] ?? "") ?? 60

  private static func id(_ number: Int) -> String { String(format: "%08X-0000-4000-8000-000000000000", number) }

  /// Returns one line of a bundle, which may be invalid.
  private static func record(_ random: inout SeededRandom) -> String {
    let id = id(random.below(12))
    let time = random.pick(["", ",\"updated_at\":\"2026-0\(1 + random.below(9))-01T00:00:00.000Z\""])
    let title = "T\(random.below(4))"
    switch random.below(12) {
    case 0: return "{\"content_type\":\"checklist\",\"title\":7}"
    case 1: return "{not json"
    case 2:
      return
        "{\"kind\":\"sync_operation\",\"id\":\(random.below(5)),\"content_id\":\"\(id)\",\"operation\":\"publish\"}"
    case 3: return "{\"kind\":\"charter\",\"id\":\"\(id)\",\"name\":\"\(title)\",\"start_date\":\"2026-05-01\"\(time)}"
    case 4: return "{\"kind\":\"charter\",\"id\":\"\(id)\",\"name\":\"no dates\"}"
    case 5:
      return
        "{\"kind\":\"execution\",\"id\":\"\(id)\",\"checklist_id\":\"\(Self.id(random.below(12)))\",\"charter_id\":"
        + "\"\(Self.id(random.below(12)))\",\"item_states\":{}}"
    case 6:
      return
        "{\"id\":\"\(id)\",\"content_type\":\"flashcard_deck\",\"title\":\"\(title)\"\(time),\"content_data\":{\"cards\":[]}}"
    case 7:
      return
        "{\"kind\":\"foreign\",\"id\":\"f\(random.below(3))\",\"system\":\"s\",\"type\":\"t\",\"raw\":\(random.below(3))}"
    case 8: return "{\"kind\":\"mystery\",\"id\":\"m\(random.below(3))\",\"x\":\(random.below(3))}"
    case 9:
      return
        "{\"id\":\"\(id)\",\"content_type\":\"practice_guide\",\"title\":\"\(title)\"\(time),\"visibility\":\"public\","
        + "\"public_id\":\"p\",\"content_data\":{\"markdown\":\"\(title)\"}}"
    default:
      return
        "{\"id\":\"\(id)\",\"content_type\":\"checklist\",\"title\":\"\(title)\"\(time),\"content_data\":{\"sections\":"
        + "[{\"title\":\"\(title)\",\"items\":[{\"title\":\"x\"}]}]}}"
    }
  }

  @Test func everyRecordIsAccountedFor() throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: 2026)
    for round in 0..<Self.rounds {
      let library = scratch["l\(round).sqlite"]
      for run in 0..<3 {
        let count = 1 + random.below(40)
        let lines = (0..<count).map { _ in Self.record(&random) }
        let source = try scratch.write("s\(round)-\(run % 2).jsonl", lines.joined(separator: "\n"))
        let mode = random.pick(OnConflict.allCases.filter { $0 != .fail })
        let report = try ImportTests.run(source, into: library, create: true, mode)
        let total = report.summary.tally.total
        #expect(total.read == count && report.summary.tally.balances, "round \(round), run \(run)")
        let rejects = try report.summary.rejectsPath.map { try String(contentsOfFile: $0, encoding: .utf8) } ?? ""
        #expect(rejects.split(separator: "\n").count == total.rejected)
        for line in rejects.split(separator: "\n") {
          #expect(lines.contains(String(line)), "rejects are byte for byte")
        }
        try Self.checkLibrary(library)
        // A second import changes nothing except the records that were in conflict before.
        let again = try ImportTests.run(source, into: library, mode).summary.tally.total
        #expect(again.created == 0 && again.read == count)
      }
    }
  }

  private static func checkLibrary(_ library: String) throws {
    let answer = try SQLiteShell.run(
      library,
      """
      PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT count(*) FROM sync_queue;
      SELECT count(*) FROM library_content WHERE visibility <> 'private' OR publicID IS NOT NULL;
      SELECT count(*) FROM library_content WHERE type = 'flashcard_deck';
      SELECT count(*) FROM library_content l WHERE NOT EXISTS (SELECT 1 FROM checklists c WHERE c.id = l.id)
        AND NOT EXISTS (SELECT 1 FROM practice_guides g WHERE g.id = l.id);
      SELECT count(*) FROM checklists c JOIN practice_guides g USING (id);
      """)
    #expect(answer == "ok\n0\n0\n0\n0\n0\n")
  }
}
