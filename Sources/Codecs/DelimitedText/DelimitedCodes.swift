import Diagnostics

extension DiagnosticCode {
  /// A table that is not text.
  public static let tableIsNoText = DiagnosticCode(
    "TBL0201", "table-is-no-text", .error, "A table is not text in a supported encoding.",
    why: "its letters would be read as other letters",
    fix: "save it as CSV in UTF-8; a workbook is read as .xlsx")
  /// A table in an encoding other than UTF-8.
  public static let tableEncoding = DiagnosticCode(
    "TBL0202", "table-encoding", .note, "A table is not in UTF-8; its encoding was detected.",
    why: "a text does not name its code page, so the detected one may be wrong",
    fix: "check a title with letters beyond ASCII; if it is wrong, save the table as CSV in UTF-8")

  /// The codes of findings about delimited text.
  package static let delimited = [
    tableIsNoText, tableEncoding,
  ]
}
