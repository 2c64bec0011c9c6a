import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

@testable import Markdown

/// Ticks in notes, which are either reported once or converted to executions.
@Suite struct NoteTicksTests {
  private static func vault(_ scratch: Scratch) throws {
    try Notes.put("source: mine\n", scratch["vault/.fleetkit.yml"])
    try Notes.put(
      "---\ntype: checklist\n---\n## Engine\n\n- [x] Oil\n- [ ] Belt\n- [X] Water\n", scratch["vault/a.md"])
    try Notes.put(
      "---\ntype: checklist\n---\n| Step | Done |\n|---|---|\n| Milk | ✓ |\n| Salt | |\n", scratch["vault/b.md"])
    try Notes.put("---\ntype: checklist\n---\n- [ ] Lines\n", scratch["vault/c.md"])
  }

  private static func records(_ scratch: Scratch, _ options: [String]) throws -> (lines: [JSONValue], errors: String) {
    let target = scratch["out-\(UUID().uuidString).jsonl"]
    let answer = try Shell.run(Paths.command, ["convert", scratch["vault"], "--to", target, "-v"] + options)
    #expect(answer.status == 0, "\(answer.errors)")
    let text = try String(contentsOfFile: target, encoding: .utf8)
    return (try text.split(separator: "\n").map { try JSONDocument(parsing: String($0)).root }, answer.errors)
  }

  private static func named(_ kind: String, _ lines: [JSONValue]) -> [JSONValue] {
    lines.filter { $0["kind"]?.string == kind }
  }

  @Test func withoutTheOptionTheyAreReportedOnce() throws {
    let scratch = Scratch()
    try Self.vault(scratch)
    let (lines, errors) = try Self.records(scratch, [])
    #expect(Self.named("execution", lines).isEmpty && Self.named("charter", lines).isEmpty)
    let found = errors.split(separator: "\n").filter { $0.contains("[MKD0107]") }
    #expect(found.count == 1)
    #expect(found.first?.contains("a.md:6:3: ") == true && found.first?.contains(/\b3\b.*\b2\b/) == true)
  }

  @Test func theyBecomeExecutionsOfOneCharter() throws {
    let scratch = Scratch()
    try Self.vault(scratch)
    let (lines, errors) = try Self.records(scratch, ["--with-ticks"])
    #expect(!errors.contains("MKD0107"))
    let charters = Self.named("charter", lines)
    #expect(charters.count == 1 && charters.first?["name"]?.string == "Ticks in vault")
    let executions = Self.named("execution", lines)
    #expect(executions.count == 2)
    #expect(executions.allSatisfy { $0["charter_id"]?.string == charters.first?["id"]?.string })
    var ticked: Set<String> = []
    for execution in executions {
      let item = Self.named("item", lines).first { $0["id"]?.string == execution["checklist_id"]?.string }
      let steps = (item?["content_data"]?["sections"]?.elements ?? []).flatMap { $0["items"]?.elements ?? [] }
      for (id, state) in execution["item_states"]?.members.map({ ($0, $1) }) ?? [] {
        #expect(state["checked"]?.bool == true)
        ticked.insert(steps.first { $0["id"]?.string == id }?["title"]?.string ?? id)
      }
    }
    #expect(ticked == ["Oil", "Water", "Milk"])
  }

  @Test func anImportTakesThem() throws {
    let scratch = Scratch()
    try Self.vault(scratch)
    let library = scratch["a.sqlite"]
    #expect(
      try Shell.fleetkit("import", scratch["vault"], "--into", library, "--create", "--with-ticks").status == 0)
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM checklistExecutionStates").contains("2"))
    #expect(
      try SQLiteShell.run(
        library, "SELECT count(*) FROM checklistExecutionStates e JOIN charters c ON c.id = e.charterID"
      ).contains("2"))
    // A second import changes nothing.
    let answer = try Shell.run(
      Paths.command, ["import", scratch["vault"], "--into", library, "--with-ticks", "--json"])
    let counts = try JSONDocument(parsing: answer.output).root.text
    #expect(answer.status == 0 && counts.contains("\"updated\":0"))
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM charters").contains("1"))
  }

  @Test func otherSourcesRefuseIt() throws {
    let scratch = Scratch()
    let table = try scratch.write("a.csv", "Step\nOil\n")
    #expect(
      try Shell.run(Paths.command, ["convert", table, "--to", scratch["a.jsonl"], "--with-ticks"]).status == 64)
    let text = try scratch.write("a.txt", "Kit\n\n[x] Oil\n[ ] Belt\n[ ] Pins\n")
    #expect(
      try Shell.run(Paths.command, ["convert", text, "--to", scratch["b.jsonl"], "--with-ticks"]).status == 0)
    #expect(try scratch.text("b.jsonl").contains("\"kind\":\"execution\""))
  }
}
