import ArchiveIO
import Content
import Foundation
import Interchange
import JSONText
import TableShapes

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
  /// - Throws: `RunFailure` if the target cannot be written.
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
  func append(_ text: Span<UInt8>) throws {
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
  func append(number text: Span<UInt8>) throws {
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
    try append(text.utf8.span)
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
      writeCell(text.utf8.span, style: 1)
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
    out.append(number.span)
    out.append("\">")
    column = 0
    isInRow = true
  }

  private func writeCell(_ text: Span<UInt8>, style: UInt8) {
    beginCell(style: style)
    out.append("\" t=\"inlineStr\"><is><t xml:space=\"preserve\">")
    CellEscaping.escape(text, to: &out)
    out.append("</t></is></c>")
  }

  private func beginCell(style: UInt8) {
    out.append("<c r=\"")
    let name = column <= letters.count ? letters[column - 1] : CellReference.letters(column)
    out.append(name.span)
    out.append(number.span)
    out.append("\" s=\"")
    out.append(0x30 + style)
  }

  private func flush() throws {
    try zip.add(out.bytes.span)
    out.removeAll()
  }
}

/// Renders the parts of a workbook other than its sheets.
enum WorkbookHead {
  /// The first bytes of compound files, which contain old or password-protected workbooks.
  static let compound: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0]

  static let declaration: StaticString = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"

  private static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  private static let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  private static let package = "http://schemas.openxmlformats.org/package/2006"
  private static let media = "application/vnd.openxmlformats-officedocument.spreadsheetml"

  /// Returns all these parts for sheets with the given names, column counts and row counts.
  static func parts(_ sheets: [(name: String, columns: Int, rows: Int)]) -> [(name: String, bytes: [UInt8])] {
    [
      part("[Content_Types].xml", contentTypes(sheets.count)),
      part(
        "_rels/.rels",
        "<Relationships xmlns=\"\(package)/relationships\"><Relationship Id=\"rId1\" Type=\"\(office)/officeDocument\" "
          + "Target=\"xl/workbook.xml\"/></Relationships>"),
      part("xl/workbook.xml", workbook(sheets)),
      part("xl/_rels/workbook.xml.rels", relations(sheets.count)),
      part("xl/styles.xml", styles),
    ]
  }

  private static func part(_ name: String, _ text: String) -> (name: String, bytes: [UInt8]) {
    (name, declaration.withUTF8Buffer { Array($0) } + Array(text.utf8))
  }

  private static func contentTypes(_ sheets: Int) -> String {
    var text = "<Types xmlns=\"\(package)/content-types\">"
    text += "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
    text += "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
    text += "<Override PartName=\"/xl/workbook.xml\" ContentType=\"\(media).sheet.main+xml\"/>"
    for number in 1...max(1, sheets) {
      text += "<Override PartName=\"/xl/worksheets/sheet\(number).xml\" ContentType=\"\(media).worksheet+xml\"/>"
    }
    return text + "<Override PartName=\"/xl/styles.xml\" ContentType=\"\(media).styles+xml\"/></Types>"
  }

  private static func workbook(_ sheets: [(name: String, columns: Int, rows: Int)]) -> String {
    var text = "<workbook xmlns=\"\(main)\" xmlns:r=\"\(office)\"><bookViews><workbookView/></bookViews><sheets>"
    for (index, sheet) in sheets.enumerated() {
      text += "<sheet name=\"\(attribute(sheet.name))\" sheetId=\"\(index + 1)\" r:id=\"rId\(index + 1)\"/>"
    }
    text += "</sheets><definedNames>"
    for (index, sheet) in sheets.enumerated() {
      // Excel looks up a filter's range under this name.
      let corner =
        "$A$1:$\(String(decoding: CellReference.letters(max(1, sheet.columns)), as: UTF8.self))$\(max(1, sheet.rows))"
      let quoted = attribute(
        "'\(sheet.name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'")
      text += "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"\(index)\" hidden=\"1\">\(quoted)!\(corner)"
      text += "</definedName>"
    }
    return text + "</definedNames></workbook>"
  }

  private static func relations(_ sheets: Int) -> String {
    var text = "<Relationships xmlns=\"\(package)/relationships\">"
    for number in 1...max(1, sheets) {
      text +=
        "<Relationship Id=\"rId\(number)\" Type=\"\(office)/worksheet\" Target=\"worksheets/sheet\(number).xml\"/>"
    }
    return text
      + "<Relationship Id=\"rId\(sheets + 1)\" Type=\"\(office)/styles\" Target=\"styles.xml\"/></Relationships>"
  }

  /// The cell styles: 0 is the default, 1 the header, 2 text (format 49, `@`), which keeps input as typed, and 3 a
  /// number.
  private static let styles =
    "<styleSheet xmlns=\"\(main)\"><fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
    + "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills count=\"2\"><fill>"
    + "<patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>"
    + "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    + "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>"
    + "<cellXfs count=\"4\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"
    + "<xf numFmtId=\"49\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" applyFont=\"1\"/>"
    + "<xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" applyAlignment=\"1\">"
    + "<alignment vertical=\"top\" wrapText=\"1\"/></xf>"
    + "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyAlignment=\"1\">"
    + "<alignment vertical=\"top\"/></xf></cellXfs>"
    + "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"

  private static func attribute(_ text: String) -> String {
    var out = ByteBuffer(capacity: 64)
    CellEscaping.escape(text.utf8.span, to: &out)
    return String(decoding: out.bytes.span).split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "&quot;")
  }
}

/// Writes each table as a sheet of a workbook.
final class WorkbookSink: TableSink {
  private let writer: WorkbookWriter
  private var isNumber: [Bool] = []

  init(_ writer: WorkbookWriter) { self.writer = writer }

  func begin(_ name: String, columns: [TableColumn], others: [String]) throws {
    isNumber = columns.map { $0 == .minutes }
    try writer.begin(
      WorkbookWriter.Sheet(
        name: name, header: columns.map(\.rawValue) + others,
        widths: columns.map(Self.width) + others.map { _ in 20 }))
  }

  func write(_ row: borrowing TableRow) throws {
    for cell in row.cells.indices {
      if cell < isNumber.count, isNumber[cell] {
        try writer.append(number: row.text(cell).span)
      } else {
        try writer.append(row.text(cell).span)
      }
    }
    try writer.endRow()
  }

  func end() throws {}

  /// Returns the width of a column in digits. It is wide enough for reading, but not wider than a screen.
  private static func width(_ column: TableColumn) -> Int {
    switch column {
    case .checklist, .section, .deck, .boat, .location: 24
    case .item, .front, .back, .title, .charter: 44
    case .details, .description, .checklistDescription, .deckDescription, .hint: 48
    case .document: 80
    case .tags, .checklistTags, .deckTags: 20
    case .created, .updated, .start, .end, .forkedFromID, .originalAuthorUserID, .originalContentPublicID: 26
    case .checklistID, .sectionID, .itemID, .deckID, .cardID, .charterID, .id: 14
    case .required, .optional, .minutes, .language, .type, .forkCount: 12
    case .originalAuthorUsername: 20
    }
  }
}

/// Writes records as a workbook with a sheet of steps, a sheet of cards and a catalogue. Empty sheets are left out.
final class SpreadsheetWriter: ContentWriter {
  private let workbook: WorkbookWriter
  private let tables: TableRowWriter
  private var ids: DuplicateIDFilter

  init(_ target: Target, context: RunContext) throws {
    guard !target.isStandardOutput else {
      throw RunFailure(
        .usage, "write a workbook to standard output: it is not text", advice: "Specify a file that ends in .xlsx.")
    }
    tables = try TableRowWriter(context: context, hasSheets: true)
    ids = DuplicateIDFilter(context, in: "the workbook")
    workbook = try WorkbookWriter(target)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    try ids.rejectOthers(in: batch, tally: &tally, rejects: rejects)
    try tables.add(batch, tally: &tally)
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    try tables.write(to: WorkbookSink(workbook))
    try workbook.complete()
  }

  func finish() throws -> Int { try workbook.publish() }

  func abort() { workbook.discard() }
}
