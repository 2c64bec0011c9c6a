import Foundation
import Interchange
import TestSupport
import Testing

@testable import Spreadsheet

/// Small workbooks that expand to large tables: a shared text is stored once, and a cell may be far to the right.
@Suite struct SpreadsheetBudgetTests {
  private let scratch = Scratch()

  /// Returns a workbook with a sheet in which each row has two cells with the same shared text.
  private func shared(rows: Int, text: Int) -> HandmadeBook {
    let sheet = (1...rows).map { row in
      "<row r=\"\(row)\"><c r=\"A\(row)\" t=\"s\"><v>0</v></c><c r=\"B\(row)\" t=\"s\"><v>0</v></c></row>"
    }
    return HandmadeBook(
      sheet: sheet.joined(), strings: "<si><t>" + String(repeating: "x", count: text) + "</t></si>")
  }

  /// Returns the number of bytes in a workbook's rows, and the reason why it was not read to its end.
  private func read(_ path: String) throws -> (bytes: Int, rows: Int, failure: RunFailure?, most: Int) {
    let workbook = try Workbook(path, name: "book.xlsx")
    let rows = SheetRows(try #require(workbook.sheets.first), of: workbook, findings: nil, sharing: SheetContext())
    var row = TableRow()
    var (bytes, count) = (0, 0)
    do {
      while try rows.next(into: &row) {
        bytes += row.bytes.count
        count += 1
      }
    } catch let failure as RunFailure {
      return (bytes, count, failure, workbook.text.most)
    }
    return (bytes, count, nil, workbook.text.most)
  }

  @Test func boundsTheTextThatCellsShare() throws {
    var before = 0
    for size in [1, 2, 4] {
      let path = try shared(rows: 2_500 * size, text: 100_000).write(scratch, "book-\(size).xlsx")
      let found = try read(path)
      #expect(found.failure?.status == .failed)
      #expect(found.failure?.finding?.place.member == "Лист1")
      #expect(found.failure?.finding?.place.line.map { $0 >= found.rows } == true)
      #expect(found.bytes <= found.most)
      #expect(before == 0 || Double(found.bytes) <= 2.2 * Double(before))
      before = found.bytes
    }
  }

  @Test func readsShortTextsThatManyCellsShare() throws {
    let found = try read(shared(rows: 50_000, text: 20).write(scratch))
    #expect(found.failure == nil)
    #expect(found.rows == 50_000)
    #expect(found.bytes == 2_000_000)
  }

  @Test func countsSheetsOnceAndTogether() {
    let budget = TextBudget(xml: 1_000)
    #expect(budget.most == TextBudget.free + 16_000)
    #expect(budget.claim(TextBudget.free, of: "a"))
    // The same sheet is read again.
    #expect(budget.claim(1_000, of: "a"))
    #expect(budget.claim(TextBudget.free, of: "a"))
    #expect(budget.claim(16_000, of: "b"))
    #expect(!budget.claim(1, of: "c"))
    #expect(TextBudget(xml: .max).most == .max)
  }

  @Test func keepsCellsWithTextOnly() throws {
    let rows = (1...3_000).map { "<row r=\"\($0)\"><c r=\"AMJ\($0)\"><v>1</v></c></row>" }
    let path = try HandmadeBook(sheet: rows.joined()).write(scratch)
    let workbook = try Workbook(path, name: "book.xlsx")
    var (cells, rowCount) = (0, 0)
    let part = SheetPart(
      formats: workbook.formats, dates: workbook.dates, strings: SharedStringCursor(try workbook.strings())
    ) { batch in
      cells += batch.cells.count
      rowCount += batch.rows.count
    }
    #expect(try workbook.file.parse(try #require(workbook.sheets.first).part, part))
    try part.finish()
    #expect(rowCount == 3_000)
    #expect(cells == 3_000)
    let read = try SheetText.read(path)
    #expect(read.rows.count == 3_000)
    #expect(read.rows.last == ["3000"] + Array(repeating: "", count: 1_023) + ["1"])
  }

  @Test func ordersCellsByTheirColumns() throws {
    let book = HandmadeBook(
      sheet: "<row r=\"1\"><c r=\"D1\"><v>4</v></c><c r=\"A1\"><v>1</v></c><c r=\"C1\"><v>3</v></c></row>"
        + "<row r=\"2\"><c r=\"C2\"><v>3</v></c><c r=\"A2\"><v>1</v></c><c r=\"A2\"><v>2</v></c></row>")
    #expect(
      try SheetText.read(book.write(scratch)).rows == [["1", "1", "", "3", "4"], ["2", "!A2"]])
  }
}
