import Content
import Diagnostics
import Foundation
import Interchange
import SourceFolders
import TableShapes

extension FormatID {
  /// Workbooks.
  public static let xlsx = FormatID(rawValue: "xlsx")
}

/// The format of spreadsheet workbooks, `.xlsx`. Every sheet with a header is a table.
///
/// - Source: formats/tables.md; ECMA-376 (Office Open XML)
public struct SpreadsheetFormat: Format {
  /// The format for Markdown in cells.
  private let notes: any MemberFormat

  /// Creates the format.
  /// - Parameter notes: the format of notes.
  public init(notes: any MemberFormat) { self.notes = notes }

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .xlsx, title: "Workbook of a spreadsheet program", page: "spreadsheet", extensions: ["xlsx"],
    mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    keeps: [
      .checklists, .guides, .decks, .ids, .times, .tags, .language, .sections, .itemDetails, .required, .minutes,
    ], fromFolders: .withoutNotes, options: [.sheet], differences: [.emptyTexts, .tableColumns],
    codes: DiagnosticCode.table + DiagnosticCode.workbook)

  /// Recognizes a workbook by its extension or by its first bytes. Old and password-protected workbooks are also
  /// recognized, so that they can be refused with an explanation.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    let isWorkbook = head.starts(with: [0x50, 0x4B]) || head.starts(with: WorkbookHead.compound)
    return isWorkbook && ["xlsx", "xlsm", "xltx", "xltm", "xls", "xlsb"].contains(source.pathExtension)
      || hasSignature(head)
  }

  /// Whether the file begins like a ZIP archive that contains workbook parts.
  public func hasSignature(_ head: FileHead) -> Bool {
    guard head.starts(with: [0x50, 0x4B, 3, 4]) else { return false }
    let text = String(decoding: head, as: UTF8.self)
    return text.contains("[Content_Types].xml") && text.contains("xl/")
  }

  /// Returns the collection that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens a workbook.
  /// - Throws: `RunFailure` if the file cannot be read or is not a workbook.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let options = context.reading.table
    let workbook = try open(source, context)
    let home = home(of: source)
    let origin = TableOrigin(
      source: home?.name ?? "-", folder: home?.folder ?? "", path: home?.path ?? "Workbook", format: descriptor.name)
    let match = try HeaderMatch(options)
    let sharing = SheetContext()
    let tables = try chosen(workbook, options.sheet, context.findings).map { sheet in
      let rows = SheetRows(sheet, of: workbook, findings: context.findings, sharing: sharing)
      let places = SheetPlaces(sheet, of: workbook)
      var origin = origin.with(options)
      origin.sheet = sheet.name
      let header = try SheetHeader.text(of: rows, match)
      origin.columns = header.cells
      let rejects = RejectTable(
        fileExtension: "csv", header: options.noHeader ? [] : header.line + SheetPlaces.dialect.lineEnd,
        lineEnd: SheetPlaces.dialect.lineEnd, origin: origin.json)
      return SourceTable(sheet: sheet.name, rows: rows, places: places, rejects: rejects)
    }
    return TableReader(tables, origin: origin, markdown: notes, context: context)
  }

  /// Creates a workbook.
  /// - Throws: `RunFailure` with status 4 if a file of that name exists.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try SpreadsheetWriter(target, context: context)
  }

  private func open(_ source: Source, _ context: RunContext) throws -> Workbook {
    guard source.isStandardInput else { return try Workbook(source.path, name: source.name) }
    // Standard input is saved as a file, because an archive's directory is at its end.
    let folder = try TemporaryFolder()
    context.keep(folder)
    let path = folder.path + "/book.xlsx"
    try StandardInput.copy(to: path)
    return try Workbook(path, name: "-")
  }

  /// Returns the sheets that are read, and reports the sheets that are left out.
  private func chosen(_ workbook: Workbook, _ name: String?, _ findings: DiagnosticLog) throws -> [Workbook.Sheet] {
    let place = Place(file: workbook.file.path)
    let extras = workbook.extras
    if !extras.isEmpty {
      findings.report(
        Diagnostic(.workbookExtras, "the workbook has \(extras.joined(separator: ", ")), which are not read", at: place)
      )
    }
    if let name {
      if let sheet = workbook.sheets.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return [sheet] }
      let names = workbook.sheets.map { "'\(TerminalEscaping.escape($0.name))'" }.joined(separator: ", ")
      throw RunFailure(
        .usage, "read '\(workbook.file.path)': it has no sheet '\(TerminalEscaping.escape(name))'",
        advice: names.isEmpty ? "It has no sheets." : "Its sheets are \(names).")
    }
    for sheet in workbook.sheets where sheet.isHidden {
      findings.report(
        Diagnostic(
          .workbookSheetLeftOut, "the sheet '\(sheet.name)' is hidden and was not read", at: place,
          fix: "to read it, unhide it in the spreadsheet program, or select it with --sheet"))
    }
    for chart in workbook.charts {
      findings.report(
        Diagnostic(.workbookSheetLeftOut, "the sheet '\(chart)' has no cells and is not read", at: place))
    }
    let shown = workbook.sheets.filter { !$0.isHidden }
    guard shown.isEmpty else { return shown }
    throw RunFailure(
      .failed, "read '\(workbook.file.path)': it has no visible sheet", advice: "Select a hidden sheet with --sheet.")
  }
}

extension SpreadsheetFormat: TableTemplateFormat {
  /// Writes a template that contains an example.
  public func writeTemplate(_ shape: TableShape, to target: Target, _ options: TableOptions) throws -> Int {
    let workbook = try WorkbookWriter(target)
    let sink = WorkbookSink(workbook)
    try TableTemplate.write(shape, to: sink)
    try workbook.complete()
    return try workbook.publish()
  }
}

/// Finds a sheet's header in the same way as the reader does, for the file that receives the sheet's rejected rows.
enum SheetHeader {
  /// Returns the header as a CSV line, and its cells. If no row is a header, returns the first row.
  static func text(of rows: SheetRows, _ match: HeaderMatch) throws -> (line: [UInt8], cells: [String]) {
    let found = try match.headerRow(of: rows)
    var row = TableRow()
    try rows.rewind()
    for _ in 0...(found?.index ?? 0) {
      do {
        guard try rows.next(into: &row) else { return ([], []) }
      } catch is TableRowError {}
    }
    return (SheetPlaces.line(of: row), found?.cells ?? row.trimmedTexts)
  }
}

extension DiagnosticCode {
  /// A workbook part is missing or not XML.
  public static let workbookDamaged = DiagnosticCode(
    "TBL0301", "workbook-damaged", .error, "A workbook is damaged or not a workbook.",
    why: "damaged content cannot be distinguished from missing content",
    fix: "open it in a spreadsheet program, check that it is complete, and save it as .xlsx")
  /// A formula's last saved value was read.
  public static let workbookFormulas = DiagnosticCode(
    "TBL0311", "workbook-formulas", .note, "A sheet has formulas; their last saved values were read.",
    why: "FleetKit does not calculate formulas, so an outdated value stays outdated",
    fix: "to use current values, recalculate the sheet in a spreadsheet program and save it")
  /// A formula was never calculated.
  public static let workbookFormulaWithoutValue = DiagnosticCode(
    "TBL0312", "workbook-formula-without-value", .warning, "A sheet has formulas without values.",
    why: "the program that wrote the formulas does not calculate them, so their cells count as empty",
    fix: "open the workbook in a spreadsheet program and save it")
  /// A cell shows an error.
  public static let workbookErrorCell = DiagnosticCode(
    "TBL0313", "workbook-error-cell", .warning, "A cell shows an error, such as #N/A.",
    why: "the cell counts as empty", fix: "correct the formula in the cell, or type the value")
  /// Cells are merged across columns.
  public static let workbookMerged = DiagnosticCode(
    "TBL0314", "workbook-merged", .note, "Cells in a sheet are merged across columns.",
    why: "the value belongs only to the first column; the other columns count as empty",
    fix: "split the cells if the value should also count in the other columns")
  /// A sheet was not read.
  public static let workbookSheetLeftOut = DiagnosticCode(
    "TBL0315", "workbook-sheet-left-out", .warning, "Sheets in a workbook were not read.",
    why: "hidden sheets and chart sheets do not contain lists",
    fix: "to read a hidden sheet, unhide it in the spreadsheet program")
  /// A workbook has macros, pictures or similar features.
  public static let workbookExtras = DiagnosticCode(
    "TBL0316", "workbook-extras", .warning, "A workbook has features other than cells.",
    why: "macros, links to other workbooks, pictures, charts and comments are not read",
    fix: "put the data that you want to import into cells")

  /// All codes for findings about workbooks.
  package static let workbook = [
    workbookDamaged, workbookFormulas, workbookFormulaWithoutValue, workbookErrorCell, workbookMerged,
    workbookSheetLeftOut, workbookExtras,
  ]
}
