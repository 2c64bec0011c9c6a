import Foundation
import TestSupport
import Testing

/// Rows after an unreadable row that may have named their checklist or section.
@Suite struct LostRowsTests {
  /// A table, its good rows, the lines that wait for other lines, its correction, and the expected result.
  struct Example: CustomTestStringConvertible {
    var testDescription: String
    var table: String
    var loaded: [String]
    var waiting: [String]
    var corrections: [(from: String, to: String)]
    var whole: [String]
  }

  static let header = "checklist,section,item,minutes\n"

  static let examples = [
    Example(
      testDescription: "a row of too many cells names a checklist",
      table: """
        Departure,On deck,Fenders,5
        Arrival,Harbour,Lines, all of them,3
        ,,Marina,1
        ,Below,Seacocks,1
        ,,Bilge,1
        Storm,Deck,Reef,1

        """,
      loaded: ["Departure: On deck[Fenders]", "Storm: Deck[Reef]"],
      waiting: ["4:checklist:3", "5:checklist:3", "6:checklist:3"],
      corrections: [("Lines, all of them", "\"Lines, all of them\"")],
      whole: [
        "Arrival: Harbour[Lines, all of them|Marina] Below[Seacocks|Bilge]", "Departure: On deck[Fenders]",
        "Storm: Deck[Reef]",
      ]),
    Example(
      testDescription: "a row of too few cells names a checklist",
      table: """
        Departure,On deck,Fenders,5
        Arrival Harbour,Lines,3
        ,,Marina,1
        Storm,Deck,Reef,1

        """,
      loaded: ["Departure: On deck[Fenders]", "Storm: Deck[Reef]"],
      waiting: ["4:checklist:3"],
      corrections: [("Arrival Harbour", "Arrival,Harbour")],
      whole: ["Arrival: Harbour[Lines|Marina]", "Departure: On deck[Fenders]", "Storm: Deck[Reef]"]),
    Example(
      testDescription: "an open quote hides the whole row",
      table: """
        Departure,On deck,Fenders,5
        "Arrival,Harbour,Lines,3
        ,,Marina,1
        ,,Agent,1
        Storm,Deck,Reef,1

        """,
      loaded: ["Departure: On deck[Fenders]", "Storm: Deck[Reef]"],
      waiting: ["4:checklist:3", "5:checklist:3"],
      corrections: [("\"Arrival", "Arrival")],
      whole: ["Arrival: Harbour[Lines|Marina|Agent]", "Departure: On deck[Fenders]", "Storm: Deck[Reef]"]),
    Example(
      testDescription: "a row that certainly names nothing costs itself alone",
      table: """
        Departure,On deck,Fenders,5
        ,,Lines, all of them,3
        ,,Engine,1

        """,
      loaded: ["Departure: On deck[Fenders|Engine]"], waiting: [],
      corrections: [("Lines, all of them", "\"Lines, all of them\"")],
      whole: ["Departure: On deck[Fenders|Lines, all of them|Engine]"]),
    Example(
      testDescription: "a row names a section",
      table: """
        Departure,On deck,Fenders,5
        ,Below,Seacocks, all,1
        ,,Bilge,1
        ,Galley,Gas,1
        ,,Lockers,1

        """,
      loaded: ["Departure: On deck[Fenders] Galley[Gas|Lockers]"], waiting: ["4:section:3"],
      corrections: [("Seacocks, all", "\"Seacocks, all\"")],
      whole: ["Departure: On deck[Fenders] Below[Seacocks, all|Bilge] Galley[Gas|Lockers]"]),
    Example(
      testDescription: "every row names its checklist, and only some their section",
      table: """
        Departure,On deck,Fenders,5
        Departure,Below,Seacocks, all,1
        Departure,,Bilge,1
        Arrival,,Lines,1

        """,
      loaded: ["Arrival: Arrival[Lines]", "Departure: On deck[Fenders]"], waiting: ["4:section:3"],
      corrections: [("Seacocks, all", "\"Seacocks, all\"")],
      whole: ["Arrival: Arrival[Lines]", "Departure: On deck[Fenders] Below[Seacocks, all|Bilge]"]),
    Example(
      testDescription: "rows of a checklist stand in two places",
      table: """
        Departure,On deck,Fenders,5
        Arrival,Harbour,Lines, all of them,3
        ,,Marina,1
        Storm,Deck,Reef,1
        ,,Trysail, if any,1
        ,,Jacklines,1
        Departure,On deck,Engine,1

        """,
      loaded: ["Departure: On deck[Fenders|Engine]", "Storm: Deck[Reef|Jacklines]"], waiting: ["4:checklist:3"],
      corrections: [("Lines, all of them", "\"Lines, all of them\""), ("Trysail, if any", "\"Trysail, if any\"")],
      whole: [
        "Arrival: Harbour[Lines, all of them|Marina]", "Departure: On deck[Fenders|Engine]",
        "Storm: Deck[Reef|Trysail, if any|Jacklines]",
      ]),
    Example(
      testDescription: "a checklist goes on behind the rows that wait",
      table: """
        Departure,On deck,Fenders,5
        Arrival,Harbour,Lines, all of them,3
        ,,Marina,1
        Arrival,Harbour,Agent,1

        """,
      loaded: ["Arrival: Harbour[Agent]", "Departure: On deck[Fenders]"], waiting: ["4:checklist:3"],
      corrections: [("Lines, all of them", "\"Lines, all of them\"")],
      whole: ["Arrival: Harbour[Lines, all of them|Marina|Agent]", "Departure: On deck[Fenders]"]),
  ]

  @Test(arguments: examples) func rowsWaitForTheRowThatNamesTheirList(_ example: Example) throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.header + example.table)
    let first = try Imported("steps.csv", scratch)
    #expect(first.status == 3)
    #expect(try Self.outline(scratch) == example.loaded)
    let waiting = first.findings.filter { $0.code == "TBL0120" }.map { finding in
      let words = finding.message.split(separator: " ")
      let noun = words[5].dropLast()
      return "\(finding.place.dropFirst("steps.csv:".count).prefix { $0 != ":" }):\(noun):\(words[7].dropLast())"
    }
    #expect(waiting == example.waiting)
    let total = example.table.split(separator: "\n").count
    let rejected = example.waiting.count + example.corrections.count
    #expect(first.rows["read"] == total && first.rows["rejected"] == rejected)

    // Rows that are retried unchanged are rejected again.
    let again = try Imported("--retry", try scratch.rejects(), scratch)
    #expect(again.status == 3 && again.rows["read"] == rejected && again.rows["rejected"] == rejected)
    #expect(try Self.outline(scratch) == example.loaded)

    // The newest file is the one from the second attempt.
    let path = try scratch.rejects()
    var text = try String(contentsOfFile: scratch[path], encoding: .utf8)
    for correction in example.corrections { text = text.replacing(correction.from, with: correction.to) }
    try text.write(toFile: scratch[path], atomically: true, encoding: .utf8)
    let retried = try Imported("--retry", path, scratch)
    #expect(retried.status == 0, "\(retried.errors)")
    #expect(retried.rows["read"] == rejected && retried.rows["created"] == rejected)
    #expect(try Self.outline(scratch) == example.whole)

    // The corrected whole table adds nothing.
    var whole = example.table
    for correction in example.corrections { whole = whole.replacing(correction.from, with: correction.to) }
    _ = try scratch.write("steps.csv", Self.header + whole)
    let last = try Imported("steps.csv", scratch)
    #expect(last.status == 0 && last.rows["unchanged"] == total && last.rows["created"] == 0)
    #expect(try Self.outline(scratch) == example.whole)
  }

  @Test func aRowThatIsStillWrongKeepsItsPlace() throws {
    let scratch = Scratch()
    _ = try scratch.write(
      "steps.csv", Self.header + "Departure,Deck,Fenders,5\nArrival,Deck,Lines, all,1\n,,Marina,soon\n,,Agent,2\n")
    _ = try Imported("steps.csv", scratch)
    var path = try scratch.rejects()
    var text = try String(contentsOfFile: scratch[path], encoding: .utf8).replacing(
      "Lines, all", with: "\"Lines, all\"")
    try text.write(toFile: scratch[path], atomically: true, encoding: .utf8)
    // The row that names the checklist is now in the library, so the next reject file has to name the checklist itself.
    #expect(try Imported("--retry", path, scratch).rows["rejected"] == 1)
    path = try scratch.rejects()
    text = try String(contentsOfFile: scratch[path], encoding: .utf8).replacing("soon", with: "1")
    try text.write(toFile: scratch[path], atomically: true, encoding: .utf8)
    #expect(try Imported("--retry", path, scratch).status == 0)
    #expect(
      try Self.outline(scratch) == ["Arrival: Deck[Lines, all|Marina|Agent]", "Departure: Deck[Fenders]"])
  }

  @Test func todoistsTasksWaitForTheirSection() throws {
    let scratch = Scratch()
    _ = try scratch.write(
      "Trip.csv",
      """
      TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT
      section,Deck,,,
      task,Fenders,,1,1
      section,Below, and aft,,,
      task,Seacocks,,1,1
      section,Galley,,,
      task,Gas,,1,1

      """)
    let first = try Imported("Trip.csv", scratch)
    #expect(first.status == 3 && first.findings.contains { $0.code == "TBL0120" && $0.place.hasPrefix("Trip.csv:5:") })
    #expect(try Self.outline(scratch) == ["Trip: Deck[Fenders] Galley[Gas]"])
    let path = try scratch.rejects()
    let text = try String(contentsOfFile: scratch[path], encoding: .utf8)
    try text.replacing("Below, and aft,", with: "\"Below, and aft\",").write(
      toFile: scratch[path], atomically: true, encoding: .utf8)
    let retried = try Imported("--retry", path, scratch)
    #expect(retried.status == 0, "\(retried.errors)")
    #expect(try Self.outline(scratch) == ["Trip: Deck[Fenders] Below, and aft[Seacocks] Galley[Gas]"])
  }

  /// Returns checklists in a short notation, by title.
  static func outline(_ scratch: Scratch) throws -> [String] {
    let answer = try Shell.fleetkit("export", "l.sqlite", "--to", "-", "--to-format", "jsonl", folder: scratch.path)
    return try answer.output.split(separator: "\n").compactMap { line -> String? in
      let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard let record, record["kind"] as? String == "item", let body = record["content_data"] as? [String: Any] else {
        return nil
      }
      let sections = (body["sections"] as? [[String: Any]] ?? []).map { section in
        let steps = (section["items"] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
        return "\(section["title"] as? String ?? "")[\(steps.joined(separator: "|"))]"
      }
      return "\(record["title"] as? String ?? ""): \(sections.joined(separator: " "))"
    }.sorted()
  }
}
