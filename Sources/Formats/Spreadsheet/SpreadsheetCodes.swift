import Diagnostics

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
