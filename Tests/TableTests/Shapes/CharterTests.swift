import Content
import Diagnostics
import Interchange
import JSONText
import TableShapes
import TestSupport
import Testing

/// Tables in which each row is a trip.
@Suite struct CharterTests {
  /// Returns the name, days, boat and place of all charters.
  private func charters(_ read: ReadTables) throws -> [String] {
    try read.records.map { record in
      #expect(record.kind == .charter)
      let root = try record.document().root
      return ["name", "start_date", "end_date", "boat_name", "location"]
        .map { root[$0]?.string.map { String($0.prefix(10)) } ?? "-" }.joined(separator: " ")
    }
  }

  private static let expected = ["Saronic 2026-06-06 2026-06-13 Maia Athens", "Ionian 2026-09-05 2026-09-12 - -"]

  @Test(arguments: [
    "Name | Start | End | Boat | Location", "Trip | From | To | Yacht | Port", "Törn | Beginn | Ende | Boot | Hafen",
    "Nom | Début | Fin | Bateau | Port", "Nombre | Inicio | Fin | Barco | Puerto",
    "Nome | Inizio | Fine | Barca | Porto",
    "Название | Начало | Конец | Яхта | Порт", "Title | Start date | End date | Boat name | Marina",
  ])
  func rowsBecomeCharters(_ header: String) throws {
    let read = try ReadTables(
      "\(header)\nSaronic | 2026-06-06 | 13.06.2026 | Maia | Athens\nIonian | 5.9.2026 | 2026-09-12 | |")
    #expect(try charters(read) == Self.expected)
    #expect(read.codes == ["columns-read"] && read.rejected.isEmpty)
    let record = try #require(read.records.first)
    func place(_ pointer: String) throws -> String {
      record.locate(try #require(JSONPointer(pointer)), part: .value).place.description
    }
    #expect(try place("/end_date") == "steps.csv:2:201" && place("/boat_name") == "steps.csv:2:301")
  }

  @Test func idsStayTheSame() throws {
    let header = ["Name", "Start", "End"]
    let one = ["Saronic", "2026-06-06", "2026-06-13"]
    let two = ["Saronic", "2027-06-05", "2027-06-12"]
    let ids = try ReadTables([header, one, two]).records.map(\.id)
    #expect(Set(ids).count == 2)
    #expect(try ReadTables([header, two, one]).records.map(\.id) == ids.reversed())
    #expect(try Set(ReadTables([header, one, one]).records.map(\.id)).count == 2)
    let keyed = try ReadTables([header + ["No"], one + ["7"], two + ["7"]]) { $0.key = "No" }
    #expect(keyed.records.count == 2)
  }

  @Test func badRowsAreRejectedAlone() throws {
    let read = try ReadTables(
      """
      Name | Start | End
      A | soon | 2026-06-13
      | 2026-06-06 | 2026-06-13
      B | 06/07/2026 | 2026-06-13
      C | 31.02.2026 | 2026-06-13
      D | 2026-06-06 | 5.6.26
      E | 2026-06-06 |
      !broken
      """)
    #expect(try charters(read) == ["E 2026-06-06 - - -"])
    #expect(
      read.context.findings.kept.dropFirst().map { "\($0.place) \($0.code.id)" } == [
        "steps.csv:2:101 TBL0113", "steps.csv:3:1 TBL0112", "steps.csv:4:101 TBL0113", "steps.csv:5:101 TBL0113",
        "steps.csv:6:201 TBL0113", "steps.csv:8:1 TBL0111",
      ])
    #expect(read.rejected.count == 6)
  }

  /// Steps with dates are still steps.
  @Test func otherTablesStayWhatTheyAre() throws {
    let steps = try ReadTables("Section | Task | Start | End\nDeck | Lines | 1 | 2")
    #expect(try steps.outline == ["steps: Deck[Lines]"])
    #expect(try ReadTables("Name | Start\nLines | 1").outline == ["steps: steps[Lines]"])
  }

  @Test func aLibrarysChartersAreWrittenWhenAskedFor() throws {
    let scratch = Scratch()
    let table = try scratch.write(
      "trips.csv",
      "Name,Start,End,Boat,Location\nSaronic,2026-06-06,2026-06-13,Maia,Athens\nIonian,2026-09-05,2026-09-12,,\n")
    #expect(try Shell.fleetkit("import", table, "--into", scratch["l.sqlite"], "--create", "-q").status == 0)
    for ending in ["csv", "xlsx"] {
      let out = scratch["out.\(ending)"]
      let written = try Shell.fleetkit(
        "convert", scratch["l.sqlite"], "--to", out, "--shape", "charters", "--prove", "-q")
      #expect(written.status == 0, "\(written.errors)")
      let again = try Shell.fleetkit("import", out, "--into", scratch["l.sqlite"], "--dry-run", "--json", "-q")
      #expect(
        again.status == 0 && again.output.contains("\"created\":0") && again.output.contains("\"unchanged\":2"),
        "\(again.output)")
    }
    // A row has the same outcome as its charter.
    _ = try scratch.write(
      "trips.csv",
      "Name,Start,End,Boat,Location\nSaronic,2026-06-06,2026-06-14,Maia,Athens\nIonian,2026-09-05,2026-09-12,,\n")
    let changed = try Shell.fleetkit("import", table, "--into", scratch["l.sqlite"], "--json", "-q")
    let rows = try JSONDocument(parsing: changed.output).root["rows"]
    #expect(["read", "created", "updated", "unchanged"].map { rows?[$0]?.text } == ["2", "0", "1", "1"])
    let other = try Shell.fleetkit("convert", scratch["l.sqlite"], "--to", scratch["steps.csv"], "--json", "-q")
    #expect(other.status == 0 && other.output.contains("\"skipped\""))
  }
}
