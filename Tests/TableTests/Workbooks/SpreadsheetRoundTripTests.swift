import FleetKit
import Foundation
import Interchange
import Spreadsheet
import TableShapes
import TestSupport
import Testing

/// A library is exported to a workbook, edited there, and imported again.
@Suite struct SpreadsheetRoundTripTests {
  private let scratch = Scratch()

  /// Exports a library of the current schema to a workbook.
  private func export() throws -> (library: String, book: String) {
    let old = try scratch.copy("library-v1.4.0.sqlite", as: "old.sqlite")
    let library = scratch["library.sqlite"]
    #expect(try Shell.fleetkit("convert", old, "--to", library, "-q").status == 0)
    let answer = try Shell.fleetkit("convert", library, "--to", scratch["book.xlsx"], "-q")
    #expect(answer.status == 0, "\(answer.errors)")
    return (library, scratch["book.xlsx"])
  }

  /// Returns the row counts of an import.
  private func rows(_ book: String, _ library: String) throws -> [String: Int] {
    let answer = try Shell.fleetkit("import", book, "--into", library, "--dry-run", "--json", "-q")
    let summary = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
    let rows = try #require(summary?["rows"] as? [String: Any], "\(answer.output) \(answer.errors)")
    return rows.compactMapValues { $0 as? Int }
  }

  @Test func changesNothingWhenNobodyEdits() throws {
    let (library, book) = try export()
    let rows = try rows(book, library)
    #expect(rows["created"] == 0)
    #expect(rows["removed"] == 0)
    #expect((rows["unchanged"] ?? 0) > 300)
  }

  @Test(.enabled(if: Judges.has(module: "openpyxl"), Judges.reason))
  func findsEveryStepAgainThatWasEdited() throws {
    let (library, book) = try export()
    let before = try rows(book, library)
    let answer = try Shell.run(
      Judges.python,
      [
        "-c",
        """
        import openpyxl
        b = openpyxl.load_workbook('\(book)'); s = b['Steps']
        h = [c.value for c in s[1]]; item = h.index('item') + 1
        for row in range(2, 14): s.cell(row, item).value = '=not a formula ' + str(row)
        for row in range(2, 14): s.cell(row, item).data_type = 's'
        b.save('\(scratch["edited.xlsx"])')
        """,
      ])
    #expect(answer.status == 0, "\(answer.errors)")
    let after = try rows(scratch["edited.xlsx"], library)
    #expect(after["created"] == 0)
    #expect(after["removed"] == 0)
    #expect(after["updated"] == (before["updated"] ?? 0) + 12)
  }

  @Test func writesTheSameBytes() throws {
    let (library, book) = try export()
    #expect(try Shell.fleetkit("convert", library, "--to", scratch["again.xlsx"], "-q").status == 0)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: scratch["again.xlsx"])) == Data(contentsOf: URL(fileURLWithPath: book)))
  }

  @Test func readsThroughAPipe() throws {
    let (_, book) = try export()
    let answer = try Shell.run(
      "sh",
      ["-c", "cat '\(book)' | '\(Paths.command)' convert - --from-format xlsx --to '\(scratch["piped.jsonl"])' -q"])
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try scratch.text("piped.jsonl").split(separator: "\n").count == 25)
  }

  /// A step of the library takes -5 minutes. A table that people write cannot hold this value, but a table that
  /// FleetKit writes can.
  @Test func minutesOfALibraryComeBack() throws {
    let (_, book) = try export()
    #expect(try Shell.fleetkit("convert", book, "--to", scratch["minutes.jsonl"], "-q").status == 0)
    #expect(try scratch.text("minutes.jsonl").contains("\"estimatedMinutes\":-5"))
  }

  @Test(arguments: TableShape.allCases) func givesTemplatesThatAreRead(_ shape: TableShape) throws {
    let path = scratch["\(shape.rawValue).xlsx"]
    let format = SpreadsheetFormat(notes: notes)
    #expect(try format.writeTemplate(shape, to: Target(path), TableOptions()) > 0)
    let answer = try Shell.fleetkit("convert", path, "--to", scratch["\(shape.rawValue).jsonl"], "-q")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(throws: RunFailure.self) { try format.writeTemplate(shape, to: Target(path), TableOptions()) }
  }

  @Test func refusesTextsThatNoCellHolds() throws {
    let long = String(repeating: "слово ", count: 8000)
    let text = """
      title,type,document
      Guide,practice_guide,\(long)
      """
    let csv = try scratch.write("long.csv", text)
    let answer = try Shell.fleetkit("convert", csv, "--to", scratch["long.xlsx"], "-q")
    #expect(answer.status == 4, "\(answer.output) \(answer.errors)")
    #expect(["C2", "'Catalogue'", "32767"].allSatisfy { answer.errors.contains($0) }, "\(answer.errors)")
    #expect(!scratch.names.contains { $0.hasPrefix("long.xlsx") || $0.hasSuffix(".tmp") })
  }
}
