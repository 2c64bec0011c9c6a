extension DiagnosticCode {
  /// A table that is no text.
  public static let tableIsNoText = DiagnosticCode(
    "CSV0101", "table-is-no-text", .error, "A table is no text in an encoding that is understood.",
    why: "its letters would become others",
    fix: "save it as CSV in UTF-8; a workbook is read as .xlsx")
  /// A table in another encoding than UTF-8.
  public static let tableEncoding = DiagnosticCode(
    "CSV0102", "table-encoding", .note, "A table is not in UTF-8; its encoding was found out.",
    why: "code pages do not say which one they are, so a guess may be wrong",
    fix: "look at a title with letters beyond ASCII; where it is wrong, save the table as CSV in UTF-8")
  /// A row that is no row of its table.
  public static let brokenRow = DiagnosticCode(
    "CSV0103", "broken-row", .error,
    "A row has another number of cells than the header, or a quote that is out of place.",
    why: "its cells may stand under the wrong headers; nothing is guessed",
    fix: "quote cells that have a delimiter, a quote or a line end in them, and double the quotes inside")

  static let delimited = [tableIsNoText, tableEncoding, brokenRow]
}
