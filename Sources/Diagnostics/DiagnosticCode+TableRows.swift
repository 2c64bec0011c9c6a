extension DiagnosticCode {
  /// A row behind one that could not be read.
  public static let rowBehindLost = DiagnosticCode(
    "TBL0120", "row-behind-lost", .error,
    "A row leaves its checklist, deck or section to a row above it that could not be read.",
    why: "it would come into the checklist or section before, where it does not belong",
    fix: "correct the row that is named; both are in the rejects file, and import --retry takes them from there")
  /// A header in the middle of its table.
  public static let repeatedHeader = DiagnosticCode(
    "TBL0121", "repeated-header", .warning, "A row repeats the header of its table; it was left out.",
    why: "pages that are pasted together bring their headers along",
    fix: "take the row out")
  /// A table with a header and nothing below it.
  public static let tableWithoutRows = DiagnosticCode(
    "TBL0122", "table-without-rows", .warning, "A table has a header and no rows.",
    why: "nothing came from it; where rows were expected, it was saved too early or from the wrong sheet",
    fix: "fill rows in, or leave the table out")
  /// A text in a column of ids that is nearly a UUID.
  public static let nearlyID = DiagnosticCode(
    "TBL0123", "nearly-id", .warning, "A text in a column of ids is nearly a UUID and was taken for a name.",
    why: "an item that has the UUID already is not found by it, and a new one is made",
    fix: "write the id as 8-4-4-4-12 hexadecimal digits without braces")
  /// A guide without a text.
  public static let emptyGuide = DiagnosticCode(
    "TBL0124", "empty-guide", .warning, "A row of a catalogue is a guide without a text.",
    why: "the guide is empty then, also where the library had a text for it",
    fix: "fill in the document, or take the row out")
  /// A table that cannot be read, in a folder of others.
  public static let tableNotRead = DiagnosticCode(
    "TBL0125", "table-not-read", .error, "A table in a folder cannot be read; the others were.",
    why: "nothing came from it",
    fix: "correct the table and import it, or the folder, again")

  static let tableRows = [rowBehindLost, repeatedHeader, tableWithoutRows, nearlyID, emptyGuide, tableNotRead]
}
