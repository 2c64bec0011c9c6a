import Diagnostics

extension DiagnosticCode {
  /// A table that is no text.
  public static let tableIsNoText = DiagnosticCode(
    "TBL0201", "table-is-no-text", .error, "A table is no text in an encoding that is understood.",
    why: "its letters would become others",
    fix: "save it as CSV in UTF-8; a workbook is read as .xlsx")
  /// A table in another encoding than UTF-8.
  public static let tableEncoding = DiagnosticCode(
    "TBL0202", "table-encoding", .note, "A table is not in UTF-8; its encoding was found out.",
    why: "code pages do not say which one they are, so a guess may be wrong",
    fix: "look at a title with letters beyond ASCII; where it is wrong, save the table as CSV in UTF-8")

  /// Findings of delimited text.
  package static let delimited = [
    tableIsNoText, tableEncoding,
  ]
}
