import DelimitedText
import Diagnostics
import Foundation
import Interchange
import TestSupport

@testable import Spreadsheet

/// The content of a sheet in a comparable form.
struct SheetText: Equatable {
  /// Each row as its number and the texts of its cells. An unusable row is `!` and the cells that the error names.
  var rows: [[String]] = []

  /// Reads a sheet of a workbook, or the first sheet when none is named.
  static func read(
    _ path: String, sheet name: String? = nil, findings: DiagnosticLog? = nil
  ) throws -> SheetText {
    let workbook = try Workbook(path, name: (path as NSString).lastPathComponent)
    guard let sheet = workbook.sheets.first(where: { name == nil || $0.name == name }) else { return SheetText() }
    let rows = SheetRows(sheet, of: workbook, findings: findings)
    let first = try read(rows)
    // Every later pass reads the same rows: parsed again, kept in memory, kept on disk, or interrupted and restarted.
    try rows.rewind()
    var again = [try read(rows)]
    for room in [1 << 20, 0] {
      let sharing = SheetContext()
      sharing.room = room
      let kept = SheetRows(sheet, of: workbook, findings: nil, sharing: sharing)
      let other = SheetRows(sheet, of: workbook, findings: nil, sharing: sharing)
      var row = TableRow()
      do { _ = try kept.next(into: &row) } catch is TableRowError {}
      again.append(try read(other))
      try kept.rewind()
      again.append(try read(kept))
      try kept.rewind()
      again.append(try read(kept))
    }
    guard again.allSatisfy({ $0 == first }) else { return SheetText(rows: [["read differently the second time"]]) }
    return first
  }

  private static func read(_ rows: SheetRows) throws -> SheetText {
    var text = SheetText()
    var row = TableRow()
    while true {
      do {
        guard try rows.next(into: &row) else { return text }
        text.rows.append(["\(row.number)"] + row.cells.indices.map { String(decoding: row.text($0), as: UTF8.self) })
      } catch let error as TableRowError {
        text.rows.append([
          "\(row.number)",
          "!" + error.message.matches(of: /\b[A-Z]{1,3}[0-9]+\b/).map { String($0.output) }.joined(separator: " "),
        ])
      }
    }
  }
}

/// A workbook assembled from parts, for content that programs do not write themselves.
struct HandmadeBook {
  static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  static let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

  /// The parts in order, each with its name.
  var parts: [(name: String, text: String)]

  /// Creates a workbook with one sheet.
  init(sheet data: String, after: String = "", strings: String? = nil, styles: String? = nil, book: String = "") {
    let package = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = [
      (
        "_rels/.rels",
        "<Relationships xmlns=\"\(package)\"><Relationship Id=\"rId1\" Type=\"\(Self.office)/officeDocument\" "
          + "Target=\"xl/workbook.xml\"/></Relationships>"
      ),
      (
        "xl/workbook.xml",
        "<workbook xmlns=\"\(Self.main)\" xmlns:r=\"\(Self.office)\">\(book)<sheets>"
          + "<sheet name=\"Лист1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
      ),
      (
        "xl/_rels/workbook.xml.rels",
        "<Relationships xmlns=\"\(package)\">"
          + "<Relationship Id=\"rId1\" Type=\"\(Self.office)/worksheet\" Target=\"worksheets/sheet1.xml\"/>"
          + "<Relationship Id=\"rId2\" Type=\"\(Self.office)/sharedStrings\" Target=\"/xl/sharedStrings.xml\"/>"
          + "<Relationship Id=\"rId3\" Type=\"\(Self.office)/styles\" Target=\"styles.xml\"/></Relationships>"
      ),
      (
        "xl/worksheets/sheet1.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><worksheet xmlns=\"\(Self.main)\"><sheetData>\(data)</sheetData>\(after)"
          + "</worksheet>"
      ),
    ]
    if let strings { parts.append(("xl/sharedStrings.xml", "<sst xmlns=\"\(Self.main)\">\(strings)</sst>")) }
    if let styles { parts.append(("xl/styles.xml", "<styleSheet xmlns=\"\(Self.main)\">\(styles)</styleSheet>")) }
  }

  /// Writes the workbook with `zip` and returns its path.
  func write(_ scratch: Scratch, _ name: String = "book.xlsx") throws -> String {
    let folder = scratch["parts-" + name]
    for part in parts {
      let url = URL(fileURLWithPath: folder + "/" + part.name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(part.text.utf8).write(to: url)
    }
    let answer = try Shell.run("zip", ["-q", "-r", scratch[name], "."], folder: folder)
    guard answer.status == 0 else { throw RunFailure(.failed, "zip: \(answer.errors)") }
    return scratch[name]
  }
}
