import ArchiveIO
import Foundation
import Interchange
import JSONText

/// Writes a workbook row by row. Cells contain text or integers, never formulas. The header is bold, stays visible and
/// has filters.
///
/// Memory is bounded by one row. Equal rows give equal bytes. When a sheet is full, the rows continue in another sheet.
/// - Source: ECMA-376 part 1, 18.3
final class WorkbookWriter {
  /// A sheet to write.
  struct Sheet {
    /// The sheet's name, which is shown on its tab: at most 31 characters, without `[]:*?/\`.
    var name: String
    /// The header's cells.
    var header: [String]
    /// The widths of the columns, in digits.
    var widths: [Int]
  }

  /// A sheet that was written.
  private struct Written {
    var name: String
    var columns: Int
    var rows: Int
  }

  private let zip: ZipFileWriter
  private let name: String
  /// The maximum number of rows in a sheet: Excel's limit, or less in tests.
  private let limit: Int
  private var written: [Written] = []
  private var sheet: Sheet?
  private var letters: [[UInt8]] = []
  private var out = ByteBuffer(capacity: 1 << 17)
  private var number: [UInt8] = []
  private var column = 0
  private var isInRow = false

  /// Creates a workbook.
  /// - Throws: `RunFailure` when the target cannot be written.
  init(_ target: Target, limit: Int = CellReference.rows) throws {
    zip = try ZipFileWriter(target, level: 2)
    name = target.path
    self.limit = max(2, limit)
  }

  /// Begins a sheet and writes its header.
  func begin(_ sheet: Sheet) throws {
    try endSheet()
    self.sheet = sheet
    try beginPart(sheet, name: sheet.name)
  }

  /// Adds a cell to the row. A cell with empty text is left out.
  /// - Throws: `RunFailure` for text that does not fit into a cell. Callers should check `CellLimit.holds` first.
  func append(_ text: UnsafeBufferPointer<UInt8>) throws {
    if !isInRow { try beginRow() }
    column += 1
    guard !text.isEmpty else { return }
    guard CellLimit.holds(text) else {
      let cell = CellReference.text(column, written.last?.rows ?? 0)
      throw RunFailure(
        .refused,
        "write '\(name)': the text of the cell \(cell) in '\(written.last?.name ?? "")' is longer than "
          + "\(CellLimit.units) characters, the limit for a cell",
        advice: "Write CSV or a folder of notes instead.")
    }
    writeCell(text, style: 2)
  }

  /// Adds a cell with an integer. Any other content becomes text.
  func append(number text: UnsafeBufferPointer<UInt8>) throws {
    guard !text.isEmpty, text.count <= 9, text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      try append(text)
      return
    }
    if !isInRow { try beginRow() }
    column += 1
    beginCell(style: 3)
    out.append("\"><v>")
    out.append(text)
    out.append("</v></c>")
  }

  /// Adds a cell to the row.
  /// - Throws: the errors of the function for bytes.
  func append(_ text: String) throws {
    var text = text
    try text.withUTF8 { try append($0) }
  }

  /// Ends the row. Trailing cells may be left out.
  func endRow() throws {
    if !isInRow { try beginRow() }
    out.append("</row>")
    isInRow = false
    if out.count >= 1 << 16 { try flush() }
  }

  /// Completes the workbook under its temporary name.
  func complete() throws {
    try endSheet()
    guard !written.isEmpty else { throw RunFailure(.internalError, "write '\(name)': a workbook without sheets") }
    try zip.complete(head: WorkbookHead.parts(written.map { ($0.name, $0.columns, $0.rows) }))
  }

  /// Renames the workbook to its final name and returns its size in bytes.
  func publish() throws -> Int { try zip.publish() }

  /// Removes the temporary file.
  func discard() { zip.discard() }

  // MARK: - Parts

  private func beginPart(_ sheet: Sheet, name: String) throws {
    written.append(Written(name: name, columns: sheet.header.count, rows: 0))
    letters = sheet.header.indices.map { CellReference.letters($0 + 1) }
    try zip.begin("xl/worksheets/sheet\(written.count).xml")
    out.append(WorkbookHead.declaration)
    out.append("<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetViews>")
    if written.count == 1 {
      out.append("<sheetView tabSelected=\"1\" workbookViewId=\"0\">")
    } else {
      out.append("<sheetView workbookViewId=\"0\">")
    }
    out.append("<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>")
    out.append("<selection pane=\"bottomLeft\"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight=\"15\"/>")
    if !sheet.widths.isEmpty {
      out.append("<cols>")
      for (index, width) in sheet.widths.enumerated() {
        out.append(
          utf8: "<col min=\"\(index + 1)\" max=\"\(index + 1)\" width=\"\(width)\" style=\"2\" customWidth=\"1\"/>")
      }
      out.append("</cols>")
    }
    out.append("<sheetData>")
    beginRowHere()
    for text in sheet.header {
      column += 1
      var text = text
      text.withUTF8 { writeCell($0, style: 1) }
    }
    try endRow()
  }

  private func endPart() throws {
    guard let last = written.last else { return }
    let corner = CellReference.text(max(1, last.columns), max(1, last.rows))
    out.append("</sheetData>")
    out.append(utf8: "<autoFilter ref=\"A1:\(corner)\"/>")
    out.append("<pageMargins left=\"0.7\" right=\"0.7\" top=\"0.75\" bottom=\"0.75\" header=\"0.3\" footer=\"0.3\"/>")
    // Ids and minutes are text. This element prevents Excel from showing a warning mark in each of their cells.
    out.append(utf8: "<ignoredErrors><ignoredError sqref=\"A1:\(corner)\" numberStoredAsText=\"1\"/></ignoredErrors>")
    out.append("</worksheet>")
    try flush()
    try zip.end()
  }

  private func endSheet() throws {
    guard sheet != nil else { return }
    if isInRow { try endRow() }
    try endPart()
    sheet = nil
  }

  private func beginRow() throws {
    guard let sheet, let last = written.last else {
      throw RunFailure(.internalError, "write '\(name)': a row outside a sheet")
    }
    if last.rows >= limit {
      try endPart()
      let part = written.count(where: { $0.name.hasPrefix(sheet.name) }) + 1
      try beginPart(sheet, name: "\(sheet.name) \(part)")
    }
    beginRowHere()
  }

  private func beginRowHere() {
    written[written.count - 1].rows += 1
    number = Array(String(written[written.count - 1].rows).utf8)
    out.append("<row r=\"")
    number.withUnsafeBufferPointer { out.append($0) }
    out.append("\">")
    column = 0
    isInRow = true
  }

  private func writeCell(_ text: UnsafeBufferPointer<UInt8>, style: UInt8) {
    beginCell(style: style)
    out.append("\" t=\"inlineStr\"><is><t xml:space=\"preserve\">")
    CellEscaping.escape(text, to: &out)
    out.append("</t></is></c>")
  }

  private func beginCell(style: UInt8) {
    out.append("<c r=\"")
    let name = column <= letters.count ? letters[column - 1] : CellReference.letters(column)
    name.withUnsafeBufferPointer { out.append($0) }
    number.withUnsafeBufferPointer { out.append($0) }
    out.append("\" s=\"")
    out.append(0x30 + style)
  }

  private func flush() throws {
    try zip.add(UnsafeRawBufferPointer(out.bytes))
    out.removeAll()
  }
}
