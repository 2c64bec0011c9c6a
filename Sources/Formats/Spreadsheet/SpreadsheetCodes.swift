import Diagnostics

extension DiagnosticCode {
  /// A part of a workbook is not XML, or is missing.
  public static let workbookDamaged = DiagnosticCode(
    "TBL0301", "workbook-damaged", .error, "A workbook is damaged, or is not a workbook.",
    why: "damaged content cannot be distinguished from missing content",
    fix: "open it in a spreadsheet program, check that it is complete, and save it as .xlsx")
  /// Formulas whose last saved values were read.
  public static let workbookFormulas = DiagnosticCode(
    "TBL0311", "workbook-formulas", .note, "A sheet has formulas; their last saved values were read.",
    why: "FleetKit does not calculate formulas; an outdated value stays outdated",
    fix: "to use current values, recalculate the sheet in a spreadsheet program and save it")
  /// Formulas that no program has calculated.
  public static let workbookFormulaWithoutValue = DiagnosticCode(
    "TBL0312", "workbook-formula-without-value", .warning, "A sheet has formulas without values.",
    why: "the program that wrote them does not calculate, so their cells count as empty",
    fix: "open the workbook in a spreadsheet program and save it")
  /// A cell that shows an error.
  public static let workbookErrorCell = DiagnosticCode(
    "TBL0313", "workbook-error-cell", .warning, "A cell shows an error, such as #N/A.",
    why: "it counts as empty", fix: "correct the formula in the cell, or type the value")
  /// Merged cells that span columns.
  public static let workbookMerged = DiagnosticCode(
    "TBL0314", "workbook-merged", .note, "Cells of a sheet are merged across columns.",
    why: "their value belongs to the first column only; the others count as empty",
    fix: "split them if the value should also count in the other columns")
  /// Sheets that were not read.
  public static let workbookSheetLeftOut = DiagnosticCode(
    "TBL0315", "workbook-sheet-left-out", .warning, "Sheets of a workbook were not read.",
    why: "hidden sheets and chart sheets do not contain lists",
    fix: "to read a hidden sheet, unhide it in the spreadsheet program")
  /// Macros, pictures and similar features.
  public static let workbookExtras = DiagnosticCode(
    "TBL0316", "workbook-extras", .warning, "A workbook has features other than cells.",
    why: "macros, links to other workbooks, pictures, charts and comments are not read",
    fix: "write the data that you want to import into cells")

  /// Findings of workbooks.
  package static let workbook = [
    workbookDamaged, workbookFormulas, workbookFormulaWithoutValue, workbookErrorCell, workbookMerged,
    workbookSheetLeftOut, workbookExtras,
  ]
}
