import Diagnostics
import Foundation
import Interchange
import TestSupport
import Testing

@testable import Spreadsheet

/// Files that are damaged workbooks, workbooks with false values, or not workbooks.
@Suite struct SpreadsheetHostileTests {
  private let scratch = Scratch()

  private func failure(_ book: HandmadeBook) throws -> RunFailure? {
    let path = try book.write(scratch, "book-\(UInt32.random(in: .min ... .max)).xlsx")
    do {
      _ = try SheetText.read(path)
      return nil
    } catch {
      return error as? RunFailure
    }
  }

  /// Returns the status of a failure, its place in the sheet, and the quoted values in its message.
  private func problem(sheet: String, strings: String? = nil) throws -> String {
    guard let failure = try failure(HandmadeBook(sheet: sheet, strings: strings)) else { return "" }
    let rest = failure.message.components(separatedBy: "sheet1.xml:").last ?? ""
    let place = rest.prefixMatch(of: /[0-9]+:[0-9]+/)?.output ?? ""
    let quoted = rest.matches(of: /'[^']*'/).map(\.output)
    return (["\(failure.status.rawValue)", place] + quoted).joined(separator: " ")
  }

  @Test func saysWhereAPartIsBroken() throws {
    let start = 38 + "<worksheet xmlns=\"\(HandmadeBook.main)\"><sheetData>".count
    #expect(try problem(sheet: "<row>\n<c></row>") == "5 2:6")
    // The parser reports the correct place although it did not process the earlier rows.
    let plain = String(repeating: "<row><c><v>1</v></c></row>\n", count: 9000)
    #expect(try problem(sheet: plain + "<row>\n<c></row>") == "5 9002:6")
    #expect(try problem(sheet: "<row r=\"x\"/>") == "5 1:\(start + 1) 'x'")
    #expect(try problem(sheet: "<row r=\"0\"/>") == "5 1:\(start + 1) '0'")
    #expect(try problem(sheet: "\n<row r=\"3\"/>\n<row r=\"3\"/>") == "5 3:1")
    #expect(try problem(sheet: "\n<row r=\"1048577\"/>") == "5 2:1 '1048577'")
    #expect(try problem(sheet: "\n<row r=\"2\"><c r=\"A3\"/></row>") == "5 2:12 'A3'")
    #expect(try problem(sheet: "\n<row r=\"2\"><c r=\"XFE2\"/></row>") == "5 2:12 'XFE2'")
    #expect(try problem(sheet: "\n<row><c t=\"s\"><v>0</v></c></row>").hasPrefix("5 2:"))
    #expect(
      try problem(sheet: "\n<row><c t=\"s\"><v>1</v></c></row>", strings: "<si><t>a</t></si>")
        .hasSuffix(" '1'"))
  }

  @Test func leavesOutRowsThatAreNone() throws {
    let book = HandmadeBook(
      sheet: """
        <row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c><c r="XFD2"><v>2</v></c></row>
        <row r="3"><c r="B3"><v>1</v></c><c r="B3"><v>2</v></c></row><row r="4"><c r="XFD4"/><c r="A4"><v>4</v></c></row>
        """)
    #expect(
      try SheetText.read(book.write(scratch)).rows == [
        ["1", "1"], ["2", "!XFD2"], ["3", "!B3"], ["4", "4"],
      ])
  }

  @Test func refusesEntities() throws {
    var book = HandmadeBook(sheet: "")
    book.parts[3].text =
      "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
      + "<worksheet><sheetData><row><c t=\"str\"><v>&x;</v></c></row></sheetData></worksheet>"
    let found = try failure(book)
    #expect(found?.status == .failed)
    #expect(found?.message.contains("sheet1.xml:1:") == true)
  }

  @Test func namesPartsThatAreMissing() throws {
    for part in ["xl/worksheets/sheet1.xml", "xl/_rels/workbook.xml.rels"] {
      var book = HandmadeBook(sheet: "<row/>")
      book.parts.removeAll { $0.name == part }
      let found = try failure(book)
      #expect(found?.status == .mismatch)
      #expect(found?.message.contains("'Лист1'") == true)
    }
    var book = HandmadeBook(sheet: "<row/>")
    book.parts.removeAll { $0.name == "xl/workbook.xml" }
    #expect(try failure(book)?.status == .failed)
    // Without the root list of relationships, the usual paths are tried.
    book = HandmadeBook(sheet: "<row><c><v>1</v></c></row>")
    book.parts.removeAll { $0.name == "_rels/.rels" }
    #expect(try SheetText.read(book.write(scratch)).rows == [["1", "1"]])
  }

  @Test func goesInNoCircles() throws {
    var book = HandmadeBook(sheet: "")
    book.parts[0].text = book.parts[0].text.replacingOccurrences(of: "xl/workbook.xml", with: "_rels/.rels")
    #expect(try failure(book)?.message.contains("_rels/.rels") == true)
    book = HandmadeBook(sheet: "")
    book.parts[2].text = book.parts[2].text.replacingOccurrences(of: "worksheets/sheet1.xml", with: "workbook.xml")
    #expect(try failure(book)?.message.contains("workbook.xml") == true)
    book = HandmadeBook(sheet: "")
    book.parts[1].text = book.parts[1].text.replacingOccurrences(
      of: "</sheets>", with: "<sheet name=\"2\" sheetId=\"2\" r:id=\"rId1\"/></sheets>")
    #expect(try failure(book)?.message.contains("'2'") == true)
    book = HandmadeBook(sheet: "")
    book.parts[2].text = book.parts[2].text.replacingOccurrences(of: "worksheets/", with: "../../../../xl/worksheets/")
    #expect(try failure(book) == nil)
  }

  @Test func boundsSheets() throws {
    var book = HandmadeBook(sheet: "")
    let many = (2...1001).map { "<sheet name=\"\($0)\" sheetId=\"\($0)\" r:id=\"rId1\"/>" }.joined()
    book.parts[1].text = book.parts[1].text.replacingOccurrences(of: "</sheets>", with: many + "</sheets>")
    #expect(try failure(book)?.message.numbers.contains(1000) == true)
  }

  @Test func saysWhatElseAFileIs() throws {
    func problem(_ bytes: [UInt8]) throws -> String? {
      try Data(bytes).write(to: URL(fileURLWithPath: scratch["x.xlsx"]))
      do {
        _ = try Workbook(scratch["x.xlsx"], name: "x.xlsx")
        return nil
      } catch {
        return (error as? RunFailure)?.sentences
      }
    }
    #expect(try problem([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1])?.contains(/\.xls\b(?!x)/) == true)
    #expect(try problem(Array("a;b".utf8))?.contains("'x.xlsx'") == true)
    #expect(try problem([0x50, 0x4B, 3, 4])?.contains("'x.xlsx'") == true)
    var book = HandmadeBook(sheet: "")
    book.parts = [("content.xml", "<a/>"), ("mimetype", "application/vnd.oasis.opendocument.spreadsheet")]
    #expect(try failure(book)?.message.contains(".ods") == true)
    book.parts = [("xl/workbook.bin", "x")]
    #expect(try failure(book)?.message.contains(".xlsb") == true)
  }

  @Test func refusesBombs() throws {
    // One row of 120 MB, compressed nearly a thousandfold.
    let spaces = String(repeating: " ", count: 20_000)
    let rows = String(repeating: "<row\(spaces)><c t=\"s\"><v>0</v></c></row>", count: 6_000)
    let found = try failure(HandmadeBook(sheet: rows, strings: "<si><t>a</t></si>"))
    #expect(found?.status == .failed)
    #expect(found?.message.numbers.contains(500) == true)
  }

  @Test func findsDamageInTheArchive() throws {
    let path = try HandmadeBook(sheet: "<row><c><v>1</v></c></row>").write(scratch)
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    let name = Data("xl/worksheets/sheet1.xml".utf8)
    let found = try #require(data.range(of: name))
    data[found.upperBound + 40] ^= 0x10
    try data.write(to: URL(fileURLWithPath: path))
    do {
      _ = try SheetText.read(path)
      Issue.record("damage was not found")
    } catch {
      #expect((error as? RunFailure)?.status == .mismatch)
    }
  }

  @Test func bringsBackSharedTextsFromDisk() throws {
    let strings = SharedStrings(expecting: 100_000, kept: 1000)
    let texts = (0..<5000).map { "text \($0) " + String(repeating: "я", count: $0 % 70) }
    for text in texts { try strings.append(text.utf8.span) }
    try strings.finish()
    #expect(strings.inMemory < 1000)
    #expect(strings.descriptor >= 0)
    var cursor = SharedStringCursor(strings)
    var random = SeededRandom(seed: 7)
    let order = Array(texts.indices) + texts.indices.map { _ in random.below(texts.count) }
    for index in order {
      let found = try cursor.text(index).map { String(decoding: $0, as: UTF8.self) }
      #expect(found == texts[index])
    }
    for index in [5000, -1, Int.max] {
      let found = try cursor.text(index)
      #expect(found == nil)
    }
  }

  @Test func stopsWhenNobodyReadsOn() throws {
    let row = "<row><c t=\"inlineStr\"><is><t>\(String(repeating: "x", count: 100))</t></is></c></row>"
    let path = try HandmadeBook(sheet: String(repeating: row, count: 20_000)).write(scratch)
    let workbook = try Workbook(path, name: "book.xlsx")
    var row1 = TableRow()
    var rows: SheetRows? = SheetRows(workbook.sheets[0], of: workbook, findings: nil)
    #expect(try rows?.next(into: &row1) == true)
    try rows?.rewind()
    #expect(try rows?.next(into: &row1) == true)
    #expect(row1.number == 1)
    rows = nil
  }
}
