import Content
import FleetKit
import Foundation
import Interchange
import JSONText
import SQLiteLibrary
import TestSupport
import Testing

/// A plan lists the changes of an import, and applying the plan makes exactly these changes.
@Suite struct PlanTests {
  private struct Change {
    let action: String
    let kind: String
    let id: String
    let before: String?
    let after: String?
    let rows: Int

    init(_ json: [String: Any]) {
      action = json["action"] as? String ?? ""
      kind = json["kind"] as? String ?? ""
      id = json["id"] as? String ?? ""
      before = json["before"] as? String
      after = json["after"] as? String
      rows = json["rows"] as? Int ?? 0
    }
  }

  @Test func listsWhatTheImportDoesAndApplyDoesIt() throws {
    var met = Set<String>()
    for seed in 0..<24 { met.formUnion(try actions(seed)) }
    // Worlds that lack a kind of change would prove nothing about it.
    #expect(met == ["create", "update", "beside", "conflict", "reject", "keep", "gone"])
  }

  /// Plans an import, runs it, and applies the plan.
  /// - Returns: the plan's changes.
  private func actions(_ seed: Int) throws -> [String] {
    let world = try PlanWorld(seed: UInt64(seed) &* 7919)
    let rehearsal = try world.plan()
    let before = try PlanWorld.rows(world.library)
    let direct = try world.copy(as: "direct.sqlite")
    let report = try world.job(into: direct).run(context: RunContext(now: PlanWorld.now))
    let plan = try world.parsed()
    let changes = (plan["changes"] as? [[String: Any]] ?? []).map(Change.init)

    // The counts in the plan equal the counts that the import reports.
    let total = report.summary.tally.total
    func count(_ test: (Change) -> Bool) -> Int { changes.count(where: test) }
    #expect(count { $0.action == "create" || $0.action == "beside" && $0.before == nil } == total.created)
    #expect(count { $0.action == "update" || $0.action == "beside" && $0.before != nil } == total.updated)
    #expect(count { ($0.action == "conflict" || $0.action == "reject") && $0.rows == 0 } == total.rejected)
    #expect(count { $0.action == "keep" } <= total.skipped.values.reduce(0, +))
    let counts = plan["counts"] as? [String: Any] ?? [:]
    #expect(counts["created"] as? Int == total.created)
    #expect(counts["updated"] as? Int == total.updated)
    #expect(counts["unchanged"] as? Int == total.unchanged)
    #expect(counts["rejected"] as? Int == total.rejected)
    #expect((plan["losses"] as? [Any])?.count == report.summary.context.losses.total)
    #expect(rehearsal.outline.groups.reduce(0) { $0 + $1.count } == changes.count)

    // Checking whether the plan could be applied changes nothing.
    #expect(try PlanApplication(world.scratch["plan.json"]).run(dryRun: true).summary.tally == report.summary.tally)
    #expect(try PlanWorld.rows(world.library) == before)

    // Applying the plan gives the same result as the import, row for row.
    let applied = try PlanApplication(world.scratch["plan.json"]).run()
    #expect(applied.summary.tally == report.summary.tally)
    #expect(try PlanWorld.rows(world.library) == PlanWorld.rows(direct), "seed \(seed)")
    try expectLines(changes, in: world.library)

    // A plan can be applied only once: afterwards the library no longer has the expected state.
    let wrote = changes.contains { $0.action == "create" || $0.action == "update" || $0.action == "beside" }
    if wrote {
      let failure = #expect(throws: RunFailure.self) { try PlanApplication(world.scratch["plan.json"]).run() }
      #expect(failure?.status == .refused, "seed \(seed)")
    }
    return changes.map(\.action)
  }

  /// Checks that every changed record equals the plan's version, byte for byte.
  private func expectLines(_ changes: [Change], in path: String) throws {
    var last: [String: Change] = [:]
    for change in changes where change.action == "create" || change.action == "update" {
      last[change.kind + " " + change.id] = change
    }
    let library = try WritableLibrary(path)
    defer { library.rollback() }
    let lookup = try LibraryLookup(library)
    for change in last.values {
      var id = change.id
      let line = try id.withUTF8 { try lookup.record(RecordKind(change.kind), id: $0.span).map { Array($0) } }
      let hash = line.map { Digest.hex(Digest.sha256($0.span)) }
      #expect(hash == change.after, "\(change.kind) \(change.id)")
    }
  }

  @Test func ofAnUnchangedSourceListsNothing() throws {
    let scratch = Scratch()
    let source = Paths.root + "/samples/curated-checklists.jsonl"
    try PlanWorld.run(source, into: scratch["l.sqlite"]) { $0.createsLibrary = true }
    let job = LibraryImport(sources: try SourceList([source]), library: scratch["l.sqlite"])
    let rehearsal = try job.plan(
      to: scratch["plan.json"], overwrites: false, context: RunContext(dryRun: true, now: PlanWorld.now))
    #expect(rehearsal.outline.groups.isEmpty)
    #expect(try scratch.text("plan.json").contains("\"changes\": [],\n  \"losses\": []\n"))
    // If a plan contains no change, applying it twice is the same as applying it once.
    for _ in 0..<2 { #expect(try PlanApplication(scratch["plan.json"]).run().summary.tally.total.unchanged == 10) }
  }

  @Test func isAFileWithALineForEachChange() throws {
    let world = try PlanWorld(seed: 3)
    try world.plan()
    let text = try world.scratch.text("plan.json")
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("    {\"action\"") }
    #expect(lines.count == (try world.parsed()["changes"] as? [Any])?.count)
    // Control characters are shown as escapes.
    #expect(!text.unicodeScalars.contains("\u{202E}"))
    #expect(text.hasSuffix("}\n"))
  }

  @Test func saysWhatDiffersFieldByField() throws {
    let scratch = Scratch()
    func bundle(_ description: String, _ first: String, _ second: String, _ time: String) -> String {
      """
      {"kind":"item","id":"11111111-1111-4111-8111-111111111111","content_type":"checklist","title":"Engine",\
      "description":"\(description)","updated_at":"\(time)","content_data":{"sections":[{"id":\
      "22222222-2222-4222-8222-222222222222","title":"Below","items":[\(first),\(second)]}]}}

      """
    }
    func step(_ number: Int, _ title: String) -> String {
      "{\"id\":\"33333333-3333-4333-8333-33333333333\(number)\",\"title\":\"\(title)\"}"
    }
    let long = String(repeating: "Every word of it is shown. ", count: 400)
    let source = try scratch.write(
      "a.jsonl", bundle("Old", step(1, "Check oil"), step(2, "Open seacock"), "2026-01-01T00:00:00.000Z"))
    try PlanWorld.run(source, into: scratch["l.sqlite"]) { $0.createsLibrary = true }
    _ = try scratch.write(
      "a.jsonl", bundle(long, step(2, "Open the seacock"), step(3, "Start"), "2026-01-02T00:00:00.000Z"))
    let rehearsal = try LibraryImport(sources: SourceList([source]), library: scratch["l.sqlite"]).plan(
      to: scratch["plan.json"], overwrites: false, context: RunContext(dryRun: true, now: PlanWorld.now))
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch["plan.json"]))
    let plan = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    let change = (plan["changes"] as? [[String: Any]])?.first ?? [:]
    let fields = change["fields"] as? [[String: Any]] ?? []
    func field(_ pointer: String) -> [String: Any] { fields.first { $0["pointer"] as? String == pointer } ?? [:] }
    #expect(change["action"] as? String == "update")
    #expect(field("/description")["from"] as? String == "Old")
    #expect(field("/description")["to"] as? String == long)
    let title = field("/content_data/sections/0/items/0/title")
    #expect(title["from"] as? String == "Open seacock")
    #expect(title["to"] as? String == "Open the seacock")
    let labels = fields.compactMap { $0["label"] as? String }
    for step in ["Open the seacock", "Check oil", "Start"] {
      #expect(labels.contains { $0.contains("\"Below\"") && $0.contains("\"\(step)\"") }, "\(labels)")
    }
    #expect((title["label"] as? String)?.contains("\"Open the seacock\"") == true)
    #expect(rehearsal.outline.groups.first?.entries.first?.details.contains("description") ?? false)
  }
}
