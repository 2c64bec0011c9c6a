import Content
import Diagnostics
import FleetKit
import Foundation
import Interchange
import TestSupport
import Testing

/// Workbooks as sources: the sheets that are read, and the findings about the others.
@Suite struct SpreadsheetFormatTests {
  private let scratch = Scratch()

  /// The result of reading a workbook.
  private struct Read {
    var titles: [String] = []
    var findings: [String] = []
    var rejects: [String] = []
  }

  private func read(_ path: String, sheet: String? = nil, as name: String? = nil) throws -> Read {
    var reading = ReadingOptions()
    reading.table.sheet = sheet
    let context = RunContext(reading: reading, now: Timestamp(milliseconds: 0))
    let source = Source(path, name: "book.xlsx")
    let format = try FormatRegistry.standard.format(of: source, as: name.map { FormatID($0) })
    let reader = try format.reader(of: source, context: context)
    var read = Read()
    while let batch = try reader.next() {
      for index in batch.slots.indices {
        read.titles.append(try Record(batch: batch, index: index).document().root["title"]?.string ?? "")
      }
      for reject in batch.rejected {
        read.rejects.append(
          (reject.table.map { String(decoding: $0.header, as: UTF8.self) } ?? "")
            + String(decoding: reject.bytes, as: UTF8.self))
      }
    }
    read.findings = context.findings.kept.filter { $0.code.id.hasPrefix("TBL03") || $0.severity != .note }
      .map { "\($0.place) \($0.message)" }
    return read
  }

  private func book(_ program: String) throws -> String {
    let answer = try Shell.run(
      Judges.python, ["-c", "import openpyxl\nb = openpyxl.Workbook(); s = b.active; s.title = 'Шаги'\n\(program)"],
      folder: scratch.path)
    #expect(answer.status == 0, "\(answer.errors)")
    return scratch["book.xlsx"]
  }

  private static let steps = """
    s.append(['Our lists']); s.append(['checklist', 'item', 'minutes'])
    s.append(['Departure', 'Lines', 5]); s.append([None, 'Fenders', 'many, or few'])
    """

  @Test(.enabled(if: Judges.has(module: "openpyxl"), Judges.reason))
  func readsSheetsThatAreShown() throws {
    let path = try book(
      """
      \(Self.steps)
      c = b.create_sheet('Cards'); c.append(['front', 'back']); c.append(['Port?', 'Left'])
      h = b.create_sheet('Old'); h.append(['item']); h.append(['x']); h.sheet_state = 'hidden'
      b.create_chartsheet('Chart'); b.create_sheet('Empty')
      b.save('book.xlsx')
      """)
    let read = try read(path)
    #expect(read.titles == ["Departure", "Cards"])
    #expect(read.rejects == ["checklist,item,minutes\n,Fenders,\"many, or few\""])
    for sheet in ["Old", "Chart"] {
      #expect(read.findings.contains { $0.hasPrefix("book.xlsx ") && $0.contains("'\(sheet)'") }, "\(read.findings)")
    }
    #expect(read.findings.contains { $0.hasPrefix("book.xlsx!Шаги:4:3 ") })
    #expect(try self.read(path, sheet: "Old").titles == ["Old"])
    #expect(try self.read(path, sheet: "Cards").titles == ["Cards"])
    #expect {
      try self.read(path, sheet: "Stpes")
    } throws: { error in
      let failure = error as? RunFailure
      return failure?.status == .usage && failure?.advice?.contains("'Шаги', 'Cards', 'Old', 'Empty'") == true
    }
  }

  @Test(.enabled(if: Judges.has(module: "openpyxl"), Judges.reason))
  func knowsWorkbooksWhateverTheyAreCalled() throws {
    let path = try book(Self.steps + "\nb.save('book.xlsx')")
    try FileManager.default.copyItem(atPath: path, toPath: scratch["book"])
    try FileManager.default.copyItem(atPath: path, toPath: scratch["book.xlsm"])
    #expect(try read(scratch["book"]).titles == ["Departure"])
    #expect(try read(scratch["book.xlsm"]).titles == ["Departure"])
    try Data([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]).write(to: URL(fileURLWithPath: scratch["old.xls"]))
    #expect {
      try read(scratch["old.xls"])
    } throws: { ($0 as? RunFailure)?.message.contains("it is password-protected or an old .xls file") == true }
  }
}
