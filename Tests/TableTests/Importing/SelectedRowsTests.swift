import Foundation
import TestSupport
import Testing

/// Imports of selected checklists from sources in which other checklists have errors.
@Suite struct SelectedRowsTests {
  private static let table = """
    checklist,checklist tags,item,minutes,required
    Arrival,evening,Drop the anchor,,maybe
    Arrival,,Check the swing,,no
    Departure,morning,Check the fenders,,no
    Departure,,Single up the lines,,perhaps
    ,,Stow the lines,,no

    """
  private static let workbook = """
    import openpyxl
    b = openpyxl.Workbook()
    s = b.active
    s.append(['checklist', 'checklist tags', 'item', 'required'])
    s.append(['Arrival', 'evening', 'Drop the anchor', 'maybe'])
    s.append(['Departure', 'morning', 'Check the fenders', 'perhaps'])
    s.append(['Departure', None, 'Single up the lines', 'no'])
    b.save('steps.xlsx')
    """

  /// Imports with selectors.
  /// - Returns: the exit status, the findings as code and line, the numbers of rows, and the rejected lines.
  private func imported(
    _ source: String, _ selectors: [String], in scratch: Scratch
  ) throws -> (status: Int32, findings: [String], rows: [String: Int], rejects: [String]) {
    let answer = try Shell.run(
      Paths.command, ["import", source] + selectors + ["--into", "l.sqlite", "--create", "--json"],
      folder: scratch.path)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any])
    let findings = (json["findings"] as? [String: Any])?["items"] as? [[String: Any]] ?? []
    let path = json["rejects"] as? String
    let rejects = try path.map { try String(contentsOfFile: scratch[$0], encoding: .utf8) } ?? ""
    return (
      answer.status,
      findings.filter { $0["severity"] as? String == "error" }
        .map { "\($0["code"] as? String ?? "") \($0["place"] as? String ?? "")" },
      json["rows"] as? [String: Int] ?? [:], rejects.split(separator: "\n").dropFirst().map(String.init)
    )
  }

  @Test(arguments: [
    ["--title", "Departure"], ["--title", "dep*"], ["--tag", "morning"],
    ["--title", "Departure", "--type", "checklist"],
  ])
  func rowsOfOtherChecklistsAreSkipped(selectors: [String]) throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    let result = try imported("steps.csv", selectors, in: scratch)
    #expect(result.status == 3)
    #expect(result.findings == ["TBL0113 steps.csv:5:33"])
    #expect(result.rows["read"] == 5 && result.rows["rejected"] == 1 && result.rows["skipped"] == 2)
    #expect(result.rejects == ["Departure,,Single up the lines,,perhaps"])
  }

  @Test func aRunWithoutSelectedErrorsSucceeds() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table.replacing("perhaps", with: "yes"))
    let result = try imported("steps.csv", ["--title", "Departure"], in: scratch)
    #expect(result.status == 0 && result.findings.isEmpty && result.rejects.isEmpty)
    #expect(result.rows["rejected"] == 0)
  }

  @Test func otherTypesAreSkipped() throws {
    let scratch = Scratch()
    _ = try scratch.write(
      "cards.jsonl",
      #"{"id":"00000000-0000-0000-0000-0000000000D1","content_type":"flashcard_deck","title":"Knots","content_data":{"cards":[]}}"#
        + "\n")
    _ = try scratch.write("steps.csv", Self.table)
    let answer = try Shell.fleetkit(
      "import", "steps.csv", "cards.jsonl", "--type", "deck", "--into", "l.sqlite", "--create", folder: scratch.path)
    #expect(answer.status == 0, "\(answer.errors)")
  }

  @Test func rowsOfAnUnknownChecklistAreReported() throws {
    let scratch = Scratch()
    _ = try scratch.write(
      "steps.csv", "checklist,item,required\n,Drop the anchor,maybe\nDeparture,Check the fenders,no\n")
    let result = try imported("steps.csv", ["--title", "Departure"], in: scratch)
    #expect(result.status == 3 && result.findings == ["TBL0113 steps.csv:2:18"])
  }

  @Test func catalogueRowsOfOtherItemsAreSkipped() throws {
    let scratch = Scratch()
    _ = try scratch.write(
      "items.csv", "title,type,language,document\nArrival,guide,not a language,Text\nDeparture,guide,en,Text\n")
    let result = try imported("items.csv", ["--title", "Departure"], in: scratch)
    #expect(result.status == 0 && result.findings.isEmpty)
    #expect(result.rows["read"] == 2 && result.rows["skipped"] == 1)
    #expect(try imported("items.csv", ["--title", "*"], in: scratch).status == 3)
  }

  @Test func recordsOfOtherItemsAreSkipped() throws {
    func line(_ title: String, _ sections: String) -> String {
      #"{"kind":"item","content_type":"checklist","title":"\#(title)","content_data":{"sections":\#(sections)}}"# + "\n"
    }
    let scratch = Scratch()
    _ = try scratch.write("items.jsonl", line("Arrival", #""none""#) + line("Departure", "[]"))
    let result = try imported("items.jsonl", ["--title", "Departure"], in: scratch)
    #expect(result.status == 0 && result.findings.isEmpty)
    let all = try imported("items.jsonl", ["--title", "*"], in: scratch)
    #expect(all.status == 3 && all.findings.count == 1)
  }

  @Test(.enabled(if: Judges.has(module: "openpyxl"), Judges.reason))
  func sheetRowsOfOtherChecklistsAreSkipped() throws {
    let scratch = Scratch()
    #expect(try Shell.run(Judges.python, ["-c", Self.workbook], folder: scratch.path).status == 0)
    let result = try imported("steps.xlsx", ["--title", "Departure"], in: scratch)
    #expect(result.status == 3 && result.findings == ["TBL0113 steps.xlsx!Sheet:3:4"])
    #expect(result.rows["read"] == 3 && result.rows["rejected"] == 1 && result.rows["skipped"] == 1)
  }

  @Test func validateSkipsThemToo() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    let answer = try Shell.fleetkit(
      "validate", "steps.csv", "--title", "Departure", "--report", "jsonl", folder: scratch.path)
    let lines = answer.output.split(separator: "\n").filter { $0.contains(#""code":"TBL0113""#) }
    #expect(answer.status == 1 && lines.count == 1 && lines.first?.contains("5:33") == true)
  }
}
