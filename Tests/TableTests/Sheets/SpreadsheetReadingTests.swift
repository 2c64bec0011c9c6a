import Diagnostics
import Foundation
import Interchange
import TestSupport
import Testing

@testable import Spreadsheet

/// The values of all kinds of cells.
@Suite struct SpreadsheetReadingTests {
  private let scratch = Scratch()

  private func rows(_ book: HandmadeBook, findings: DiagnosticLog? = nil) throws -> [[String]] {
    try SheetText.read(book.write(scratch), findings: findings).rows
  }

  @Test func readsTextsOfEveryKind() throws {
    let book = HandmadeBook(
      sheet: """
        <row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c><c r="D2" t="s"><v>2</v></c></row>
        <row r="4" spans="1:2"><c r="A4" t="inlineStr"><is><t xml:space="preserve"> in </t></is></c>
        <c r="B4" t="inlineStr"><is><r><rPr><b/></rPr><t>bo</t></r><r><t>ld</t></r></is></c>
        <c r="C4" t="str"><f>A1&amp;"x"</f><v>res_x000D_ult</v></c><c r="D4" t="b"><v>1</v></c><c r="E4" t="b"><v>0</v></c>
        <c r="F4" t="d"><v>2024-03-01T00:00:00</v></c><c r="G4" s="0"/></row>
        """,
      strings: """
        <si><t>Шаг &amp; один</t></si>
        <si><r><t>ri</t></r><r><rPr><i/></rPr><t xml:space="preserve">ch </t></r><rPh sb="0" eb="1"><t>reading</t></rPh></si>
        <si><t>_x0041__x005F_x0041_ _x00ZZ_ _xD83D__xDE00_ _xD800_</t></si>
        """)
    #expect(
      try rows(book) == [
        ["2", "Шаг & один", "", "rich ", "A_x0041_ _x00ZZ_ 😀 _xD800_"],
        ["4", " in ", "bold", "res\rult", "TRUE", "FALSE", "2024-03-01T00:00:00"],
      ])
  }

  @Test func countsRowsAndCellsThatDoNotSayWhereTheyAre() throws {
    let book = HandmadeBook(
      sheet: """
        <row><c><v>1</v></c><c><v>2</v></c></row><row r="5"><c><v>3</v></c><c r="D5"><v>4</v></c><c><v>5</v></c></row>
        <row><c r="B6"><v>6</v></c></row><row r="9" hidden="1"><c r="A9" t="inlineStr"><is><t>  </t></is></c></row>
        <row r="10"><c r="B10"><v>8</v></c><c r="A10"><v>7</v></c></row>
        """)
    #expect(
      try rows(book) == [["1", "1", "2"], ["5", "3", "", "", "4", "5"], ["6", "", "6"], ["10", "7", "8"]])
  }

  @Test(arguments: [
    ("12", "12"), ("12.0", "12"), ("0.1", "0.1"), ("0.10000000000000001", "0.1"), ("-3.50", "-3.5"), ("007", "7"),
    ("9007199254740992", "9007199254740992"), ("1E3", "1000"), ("1.0000000000000001E-5", "0.00001"),
    ("12345678901234567890", "12345678901234567000"), ("1e300", "1e+300"), ("0", "0"), ("-0", "0"),
    ("0.33333333333333331", "0.3333333333333333"), ("1.5e-7", "0.00000015"), ("NaN", "NaN"), ("text", "text"),
  ])
  func writesNumbersAsPeopleSeeThem(_ raw: String, _ shown: String) throws {
    #expect(try rows(HandmadeBook(sheet: "<row><c><v>\(raw)</v></c></row>")) == [["1", shown]])
  }

  @Test(arguments: [
    ("14", "45352", "2024-03-01"), ("22", "45352.520833333336", "2024-03-01T12:30:00"), ("20", "0.0625", "1:30"),
    ("21", "0.99998842592592592", "23:59:59"), ("46", "1.5", "36:00"), ("14", "1", "1900-01-01"),
    ("14", "59", "1900-02-28"), ("14", "60", "1900-02-29"), ("14", "61", "1900-03-01"), ("14", "2958465", "9999-12-31"),
    ("14", "2958466", "2958466"), ("14", "-1", "-1"), ("45", "0.0038194444444444443", "0:05:30"), ("9", "0.5", "50%"),
    ("10", "0.07", "7%"), ("1", "45352", "45352"), ("164", "45352", "2024-03-01"), ("165", "7", "007"),
    ("166", "45352", "45352"), ("167", "1.0625", "25:30"), ("168", "45352.000011574", "2024-03-01T00:00:01"),
    ("169", "12.5", "12.5"), ("170", "0.25", "0.25"), ("165", "-7", "-007"),
  ])
  func knowsDatesByTheirFormats(_ id: String, _ raw: String, _ shown: String) throws {
    let styles = """
      <numFmts count="7"><numFmt numFmtId="164" formatCode="[$-419]d\\ mmm\\ yyyy;@"/>
      <numFmt numFmtId="165" formatCode="000"/><numFmt numFmtId="166" formatCode="0 &quot;days of m&quot;"/>
      <numFmt numFmtId="167" formatCode="[h]:mm"/><numFmt numFmtId="168" formatCode="dd/mm/yyyy\\ hh:mm:ss"/>
      <numFmt numFmtId="169" formatCode="[Red]#,##0.00"/><numFmt numFmtId="170" formatCode="General"/></numFmts>
      <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="\(id)"/></cellXfs>
      """
    let book = HandmadeBook(sheet: "<row><c s=\"1\"><v>\(raw)</v></c></row>", styles: styles)
    #expect(try rows(book) == [["1", shown]])
  }

  @Test func countsDaysFrom1904WhereTheBookSaysSo() throws {
    let styles = "<cellXfs><xf numFmtId=\"14\"/></cellXfs>"
    let sheet = "<row><c s=\"0\"><v>0</v></c><c s=\"0\"><v>43890</v></c></row>"
    let book = HandmadeBook(sheet: sheet, styles: styles, book: "<workbookPr date1904=\"1\"/>")
    #expect(try rows(book) == [["1", "1904-01-01", "2024-03-01"]])
  }

  @Test func saysWhatIsNotTakenOver() throws {
    let findings = DiagnosticLog()
    let book = HandmadeBook(
      sheet: """
        <row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>C1</f><v></v></c><c r="C1" t="e"><v>#N/A</v></c></row>
        <row r="3"><c r="A3" t="str"><f>""</f><v></v></c><c r="B3"><v>1</v></c></row>
        """,
      after: "<mergeCells><mergeCell ref=\"A5:A9\"/><mergeCell ref=\"B2:D2\"/><mergeCell ref=\"B4:C4\"/></mergeCells>")
    #expect(try rows(book, findings: findings) == [["1", "2"], ["3", "", "1"]])
    let said = findings.kept.map { "\($0.place) \($0.code.name): \($0.message)" }
    #expect(
      said == [
        "book.xlsx!Лист1:1:3 workbook-error-cell: the cell shows the error #N/A",
        "book.xlsx!Лист1 workbook-formulas: the last saved values of 2 formulas were read",
        "book.xlsx!Лист1:1:2 workbook-formula-without-value: a formula has no saved value",
        "book.xlsx!Лист1 workbook-merged: cells are merged across columns: B2:D2 and 1 more",
      ])
  }

  @Test func readsPrefixesAndTheStrictEdition() throws {
    var book = HandmadeBook(sheet: "")
    let strict = "http://purl.oclc.org/ooxml"
    book.parts = book.parts.map { part in
      let text = part.text.replacingOccurrences(of: HandmadeBook.main, with: strict + "/spreadsheetml/main")
      return (
        part.name, text.replacingOccurrences(of: HandmadeBook.office, with: strict + "/officeDocument/relationships")
      )
    }
    book.parts[3].text =
      "<x:worksheet xmlns:x=\"\(strict)/spreadsheetml/main\"><x:sheetData><x:row r=\"1\"><x:c r=\"A1\" t=\"inlineStr\">"
      + "<x:is><x:t>один</x:t></x:is></x:c><x:c r=\"B1\"><x:v>2</x:v></x:c></x:row></x:sheetData></x:worksheet>"
    #expect(try rows(book) == [["1", "один", "2"]])
  }

  @Test func findsCellsAndRowsAgain() throws {
    let sheet = (1...300).map {
      "<row r=\"\($0 * 2)\"><c r=\"B\($0 * 2)\"><v>\($0)</v></c><c t=\"inlineStr\"><is><t>a,\"b\"</t></is></c></row>"
    }
    let path = try HandmadeBook(sheet: sheet.joined()).write(scratch)
    let workbook = try Workbook(path, name: "book.xlsx")
    let places = SheetPlaces(workbook.sheets[0], of: workbook)
    #expect(places.place(row: (4, 0), cell: 1, part: 0..<1).place.description == "book.xlsx!Лист1:4:2")
    #expect(String(decoding: places.original(row: (4, 0)), as: UTF8.self) == ",2,\"a,\"\"b\"\"\"")
    for number in [600, 2, 128, 130, 398] {
      #expect(places.text(row: (number, 0), cell: 1) == Array("\(number / 2)".utf8))
    }
    #expect(places.text(row: (3, 0), cell: 1) == nil)
    #expect(places.original(row: (700, 0)) == [])
  }
}
