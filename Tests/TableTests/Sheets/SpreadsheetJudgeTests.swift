import Foundation
import Interchange
import TestSupport
import Testing

@testable import Spreadsheet

/// Workbooks that other programs write, and our workbooks as other programs read them.
@Suite struct SpreadsheetJudgeTests {
  private let scratch = Scratch()

  private func python(_ program: String) throws -> String {
    let answer = try Shell.run(Judges.python, ["-c", program], folder: scratch.path)
    #expect(answer.status == 0, "\(answer.errors)")
    return answer.output
  }

  @Test(.enabled(if: Judges.has(module: "openpyxl"), Judges.reason))
  func readsWhatOpenpyxlWrites() throws {
    _ = try python(
      """
      import openpyxl, datetime as d
      from openpyxl.styles import Font
      b = openpyxl.Workbook(); s = b.active; s.title = 'Шаги & "more"'
      s.append(['checklist', 'item', 'minutes', 'when', 'done'])
      s.append(['До выхода', 'Проверить <трюм>', 5, d.date(2024, 3, 1), True])
      s.append([None, '  spaces  ', 0.1, d.datetime(2024, 3, 1, 12, 30, 15), False])
      s.append([None, 'line\\nbreak', 1e-5, d.time(1, 30), '=1+1'])
      s.append([None, '007', 12345678901, d.timedelta(hours=36), '#N/A'])
      s['B10'] = 'far'; s['B10'].font = Font(bold=True)
      s.merge_cells('A12:C12'); s['A12'] = 'wide'
      h = b.create_sheet('hidden'); h.sheet_state = 'hidden'; h['A1'] = 1
      b.create_sheet('second')['C3'] = 'x'
      b.save('book.xlsx')
      """)
    let workbook = try Workbook(scratch["book.xlsx"], name: "book.xlsx")
    #expect(workbook.sheets.map(\.name) == ["Шаги & \"more\"", "hidden", "second"])
    #expect(workbook.sheets.map(\.isHidden) == [false, true, false])
    #expect(
      try SheetText.read(scratch["book.xlsx"]).rows == [
        ["1", "checklist", "item", "minutes", "when", "done"],
        ["2", "До выхода", "Проверить <трюм>", "5", "2024-03-01", "TRUE"],
        ["3", "", "  spaces  ", "0.1", "2024-03-01T12:30:15", "FALSE"],
        ["4", "", "line\nbreak", "0.00001", "1:30"], ["5", "", "007", "12345678901", "36:00"],
        ["10", "", "far"], ["12", "wide"],
      ])
    #expect(try SheetText.read(scratch["book.xlsx"], sheet: "second").rows == [["3", "", "", "x"]])
  }

  @Test(.enabled(if: Judges.has(module: "xlsxwriter"), Judges.reason), arguments: [false, true])
  func readsWhatXlsxWriterWrites(_ isConstant: Bool) throws {
    _ = try python(
      """
      import xlsxwriter, datetime as d
      b = xlsxwriter.Workbook('book.xlsx', {'constant_memory': \(isConstant ? "True" : "False"), 'date_1904': True})
      s = b.add_worksheet('Лист'); day = b.add_format({'num_format': 'dd.mm.yyyy'}); bold = b.add_format({'bold': True})
      s.write_row(0, 0, ['item', 'control \\x01 and _x0041_', 'line\\r\\nend', 12.0, 1/3])
      s.write_datetime(1, 0, d.datetime(2024, 3, 1), day)
      s.write_formula(1, 1, '=1+1', None, 2); s.write_formula(1, 2, '="a"&"b"', None, 'ab')
      s.write_boolean(1, 3, True); s.write_number(1, 4, 0.25, b.add_format({'num_format': '0%'}))
      s.write_rich_string(2, 0, 'a ', bold, 'bold', ' end'); s.write_blank(2, 1, None, bold); s.write(2, 2, 'http://e.org')
      s.write_formula(2, 3, '=NA()', None, '#N/A'); s.write_number(2, 4, 7, b.add_format({'num_format': '000'}))
      b.close()
      """)
    #expect(
      try SheetText.read(scratch["book.xlsx"]).rows == [
        ["1", "item", "control \u{1} and _x0041_", "line\r\nend", "12", "0.3333333333333333"],
        ["2", "2024-03-01", "2", "ab", "TRUE", "25%"], ["3", "a bold end", "", "http://e.org", "", "007"],
      ])
  }

  private static let texts = [
    "item", "Проверить <трюм> & \"насос\"", "=1+1", "+7 900", "-", "@home", "  spaces  ", "line\nbreak\ttab", "007",
    "1-2", "2024-03-01", "TRUE", "😀 ☑", "'quoted", "]]>", "trailing\n", "https://example.org",
  ]

  private func write(_ rows: [[String]], limit: Int = CellReference.rows) throws -> String {
    let path = scratch["ours.xlsx"]
    let writer = try WorkbookWriter(Target(path, overwrites: true), limit: limit)
    try writer.begin(WorkbookWriter.Sheet(name: "Steps", header: ["a", "b & c"], widths: [20, 40]))
    for row in rows {
      for text in row { try writer.append(text) }
      try writer.endRow()
    }
    try writer.begin(WorkbookWriter.Sheet(name: "Cards 'n' all", header: ["front"], widths: []))
    try writer.complete()
    _ = try writer.publish()
    return path
  }

  @Test func readsWhatItWrites() throws {
    let rows = Self.texts.map { [$0, "x"] } + [["\u{1}\r\u{FFFF}", "_x0041_ _x005F_"], ["", "b"], ["a"]]
    let path = try write(rows)
    let read = try SheetText.read(path).rows
    #expect(read.first == ["1", "a", "b & c"])
    #expect(read.dropFirst().map { Array($0.dropFirst()) } == rows)
    #expect(try SheetText.read(path, sheet: "Cards 'n' all").rows == [["1", "front"]])
    let first = try Data(contentsOf: URL(fileURLWithPath: path))
    _ = try write(rows)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
  }

  @Test(.enabled(if: Judges.has(module: "openpyxl"), Judges.reason))
  func writesWhatOpenpyxlReads() throws {
    let path = try write(Self.texts.map { [$0, "x"] })
    let output = try python(
      """
      import openpyxl, json
      b = openpyxl.load_workbook('\(path)')
      s = b['Steps']
      assert b.sheetnames == ['Steps', "Cards 'n' all"], b.sheetnames
      assert s.freeze_panes == 'A2' and s.auto_filter.ref == 'A1:B\(Self.texts.count + 1)'
      assert s['A1'].font.b and not s['A2'].font.b and s['A2'].number_format == '@'
      assert s.column_dimensions['B'].width == 40
      assert all(c.data_type in 'sn' for r in s.iter_rows() for c in r if c.value is not None)
      print(json.dumps([c.value for c in s['A']][1:]))
      """)
    let read = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String]
    #expect(read == Self.texts)
  }

  @Test func goesOnInAnotherSheetWhenOneIsFull() throws {
    let path = try write((1...10).map { ["\($0)"] }, limit: 5)
    let workbook = try Workbook(path, name: "ours.xlsx")
    #expect(workbook.sheets.map(\.name) == ["Steps", "Steps 2", "Steps 3", "Cards 'n' all"])
    let all = try workbook.sheets.dropLast().map { try SheetText.read(path, sheet: $0.name).rows }
    #expect(all.map { $0.first } == [["1", "a", "b & c"], ["1", "a", "b & c"], ["1", "a", "b & c"]])
    #expect(all.flatMap { $0.dropFirst().map { $0[1] } } == (1...10).map { "\($0)" })
  }

  @Test func refusesWhatNoCellHolds() throws {
    let fits = String(repeating: "я", count: 32_765) + "😀"
    #expect(try SheetText.read(write([[fits]])).rows.last == ["2", fits])
    #expect {
      try write([["a"], ["b", fits + "a"]])
    } throws: { error in
      (error as? RunFailure)?.message.contains("cell B3 in 'Steps' is longer than 32767 characters") == true
    }
  }

  @Test(.enabled(if: LibreOffice.isThere, "LibreOffice is not installed"))
  func agreesWithLibreOffice() throws {
    let path = try write(Self.texts.filter { !$0.contains("\n") }.map { [$0, "x"] })
    try LibreOffice.convert(path, to: "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false", in: scratch)
    let lines = try scratch.text("ours.csv").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "a,b & c")
    #expect(lines.contains("=1+1,x"))
    #expect(lines.contains("007,x"))
    try LibreOffice.convert(path, to: "xlsx:Calc MS Excel 2007 XML", in: scratch, folder: "again")
    #expect(try SheetText.read(scratch["again/ours.xlsx"]) == SheetText.read(path))
  }
}
