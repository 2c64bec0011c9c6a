import Diagnostics

extension DiagnosticCode {
  /// A part of a workbook is no XML, or is missing.
  public static let workbookDamaged = DiagnosticCode(
    "TBL0301", "workbook-damaged", .error, "A workbook is damaged, or is no workbook.",
    why: "what it has cannot be told from what is missing",
    fix: "open it in a spreadsheet program, look whether everything is there, and save it as .xlsx")
  /// Formulas whose last values were taken.
  public static let workbookFormulas = DiagnosticCode(
    "TBL0311", "workbook-formulas", .note, "A sheet has formulas; the values that were saved last were read.",
    why: "FleetKit does not compute; a value that is out of date stays so",
    fix: "let the spreadsheet program compute the sheet again and save it, if other values should be taken")
  /// Formulas that no program has computed.
  public static let workbookFormulaWithoutValue = DiagnosticCode(
    "TBL0312", "workbook-formula-without-value", .warning, "A sheet has formulas without values.",
    why: "a program wrote them that does not compute, so their cells count as empty",
    fix: "open the workbook in a spreadsheet program and save it")
  /// A cell that shows an error.
  public static let workbookErrorCell = DiagnosticCode(
    "TBL0313", "workbook-error-cell", .warning, "A cell shows an error, such as #N/A.",
    why: "it counts as empty", fix: "correct the formula in the cell, or write the value")
  /// Merged cells that span columns.
  public static let workbookMerged = DiagnosticCode(
    "TBL0314", "workbook-merged", .note, "Cells of a sheet are merged across columns.",
    why: "their value belongs to the first column alone; the others count as empty there",
    fix: "split them, if the value should count in the other columns too")
  /// Sheets that were not read.
  public static let workbookSheetLeftOut = DiagnosticCode(
    "TBL0315", "workbook-sheet-left-out", .warning, "Sheets of a workbook were not read.",
    why: "hidden sheets and sheets of charts are nobody's list",
    fix: "show a hidden sheet in the spreadsheet program, if it should be read")
  /// Macros, pictures and such.
  public static let workbookExtras = DiagnosticCode(
    "TBL0316", "workbook-extras", .warning, "A workbook has more than cells.",
    why: "macros, links to other workbooks, pictures, charts and comments are not read",
    fix: "write what should be taken over into cells")

  /// Findings of workbooks.
  package static let workbook = [
    workbookDamaged, workbookFormulas, workbookFormulaWithoutValue, workbookErrorCell, workbookMerged,
    workbookSheetLeftOut, workbookExtras,
  ]
}
