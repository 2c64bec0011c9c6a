import FleetKit
import Foundation
import TestSupport
import Testing

/// Deleting steps from a checklist while charters have ticks and notes on these steps.
@Suite struct LostTickTests {
  private static let table = "checklist,item\nLeaving,Oil\nLeaving,Springs off\nLeaving,Bilge\nArriving,Fenders\n"

  /// Creates a library from `table`, with an execution for each of two charters.
  /// - Parameter states: the state of each charter's execution, by step title.
  private static func library(_ scratch: Scratch, _ source: String, _ states: [[String: String]]) throws -> String {
    let library = scratch["library.sqlite"]
    #expect(try Shell.fleetkit("import", source, "--into", library, "--create").status == 0)
    let record = try #require(try items(library).first { $0["title"]?.string == "Leaving" })
    let steps = record["content_data"]?["sections"]?.elements.flatMap { $0["items"]?.elements ?? [] } ?? []
    var lines: [String] = []
    for (number, states) in states.enumerated() {
      let charter = "C0000000-0000-4000-8000-00000000000\(number)"
      lines.append(
        "{\"kind\":\"charter\",\"id\":\"\(charter)\",\"name\":\"Summer \(number)\","
          + "\"start_date\":\"2026-07-01T00:00:00.000Z\",\"end_date\":\"2026-07-08T00:00:00.000Z\"}")
      let items = steps.compactMap { step in
        states[step["title"]?.string ?? ""].map { "\"\(step["id"]?.string ?? "")\":{\($0)}" }
      }
      lines.append(
        "{\"kind\":\"execution\",\"id\":\"E0000000-0000-4000-8000-00000000000\(number)\","
          + "\"checklist_id\":\"\(record["id"]?.string ?? "")\",\"charter_id\":\"\(charter)\","
          + "\"item_states\":{\(items.joined(separator: ","))}}")
    }
    let charters = try scratch.write("charters.jsonl", lines.joined(separator: "\n") + "\n")
    #expect(try Shell.fleetkit("import", charters, "--into", library).status == 0)
    return library
  }

  private static func items(_ library: String) throws -> [JSONValue] {
    var all: [JSONValue] = []
    try RecordScan(sources: SourceList([library])).run(
      context: RunContext(now: Timestamp(milliseconds: 1_767_607_872_345))
    ) { if $0.kind == .item { all.append(try $0.document().root) } }
    return all
  }

  private static func ticks(_ library: String) throws -> String {
    try SQLiteShell.run(library, "SELECT * FROM checklistExecutionStates ORDER BY id;")
  }

  private static let tick = "\"checked\":true,\"checkedAt\":\"2026-07-02T08:00:00Z\""

  @Test func aTickOnAStepThatGoesIsSaidAndStays() throws {
    let scratch = Scratch()
    let source = try scratch.write("steps.csv", Self.table)
    let library = try Self.library(scratch, source, [["Oil": Self.tick, "Bilge": Self.tick]])
    let ticks = try Self.ticks(library)
    _ = try scratch.write("steps.csv", Self.table.replacing("Leaving,Bilge\n", with: ""))
    for dry in [["--dry-run"], []] {
      let answer = try Shell.run(Paths.command, ["import", source, "--into", library, "--json"] + dry)
      #expect(answer.status == 0)
      let lost = try #require(answer.findings.first { $0.code == "IMP0106" }, "\(answer.output)")
      #expect(lost.place.contains("steps.csv:2"))
      #expect(lost.message.contains("'Bilge'") && lost.message.contains("'Summer 0'"), "\(lost.message)")
    }
    #expect(try Self.ticks(library) == ticks && ticks.contains("checked"))
    let doctor = try Shell.fleetkit("doctor", library)
    #expect((doctor.output + doctor.errors).contains("LIB0703"), "\(doctor.output)\(doctor.errors)")
    // A second import deletes nothing.
    #expect(try !Shell.fleetkit("import", source, "--into", library).errors.contains("IMP0106"))
  }

  @Test func manyAreCountedAndNotesAreSaid() throws {
    let scratch = Scratch()
    let source = try scratch.write("steps.csv", Self.table)
    let library = try Self.library(
      scratch, source,
      [
        ["Oil": Self.tick + ",\"notes\":\"low\"", "Bilge": Self.tick, "Springs off": "\"checked\":false"],
        ["Oil": "\"checked\":false,\"notes\":\"topped up\"", "Bilge": Self.tick],
      ])
    let ticks = try Self.ticks(library)
    _ = try scratch.write("steps.csv", "checklist,item\nLeaving,Weather\nArriving,Fenders\n")
    let answer = try Shell.fleetkit("import", source, "--into", library, "--json")
    let lost = answer.findings.filter { $0.code == "IMP0106" }
    let message = try #require(lost.first?.message)
    #expect(lost.count == 1 && message.contains("'Oil'") && message.contains("'Summer 0'"), "\(message)")
    #expect(message.replacing(/'[^']*'/, with: "").numbers == [1, 2, 2], "two steps, two charters, and one more")
    #expect(try Self.ticks(library) == ticks)
  }

  @Test func stepsWithoutTicksGoWithoutAWord() throws {
    let scratch = Scratch()
    let source = try scratch.write("steps.csv", Self.table)
    let library = try Self.library(scratch, source, [["Oil": Self.tick, "Bilge": "\"checked\":false"]])
    _ = try scratch.write("steps.csv", Self.table.replacing("Leaving,Bilge\n", with: ""))
    #expect(try !Shell.fleetkit("import", source, "--into", library).errors.contains("IMP0106"))
  }

  /// A pasted list is not a table, but it causes the same message.
  @Test func aPastedListSaysItToo() throws {
    let scratch = Scratch()
    let source = try scratch.write("leaving.txt", "Leaving\n\n- Oil\n- Springs off\n- Weather\n- Bilge\n")
    let library = try Self.library(scratch, source, [["Bilge": Self.tick]])
    _ = try scratch.write("leaving.txt", "Leaving\n\n- Oil\n- Springs off\n- Weather\n")
    let answer = try Shell.fleetkit("import", source, "--into", library, "--json")
    let lost = try #require(answer.findings.first { $0.code == "IMP0106" }, "\(answer.output)")
    #expect(lost.message.contains("'Bilge'") && lost.message.contains("'Summer 0'"), "\(lost.message)")
    #expect(lost.place.contains("leaving.txt:1"))
  }
}
