extension DiagnosticCode {
  /// What headers of a table were taken for.
  public static let columnsRead = DiagnosticCode(
    "TBL0101", "columns-read", .note, "The headers of a table were taken for columns that FleetKit knows.",
    why: "they are other words than FleetKit's own",
    fix: "nothing needs to be done; --map 'HEADER=COLUMN' says it otherwise")
  /// A column that nothing is read from.
  public static let unreadColumn = DiagnosticCode(
    "TBL0102", "unread-column", .note, "A column of a table means nothing to FleetKit and is not read.",
    why: "what stands in it does not arrive",
    fix: "say what it is with --map 'HEADER=COLUMN', or leave it out with --map 'HEADER='")
  /// Two columns that mean the same.
  public static let doubledColumn = DiagnosticCode(
    "TBL0103", "doubled-column", .warning, "Two columns of a table mean the same; the second is not read.",
    why: "a step has one title and one text; what stands in the other column does not arrive",
    fix: "say which one counts with --map 'HEADER=COLUMN'")
  /// A table without a header.
  public static let noTableHeader = DiagnosticCode(
    "TBL0104", "no-table-header", .error, "None of the first rows of a table is a header that FleetKit understands.",
    why: "without a header nobody knows what the columns mean",
    fix: "name a column 'item' (steps), 'front' and 'back' (cards) or 'title' and 'document' (catalogue), or use --map")
  /// A sheet without a header, beside others that have one.
  public static let sheetLeftOut = DiagnosticCode(
    "TBL0105", "sheet-left-out", .note, "A sheet of a workbook has no header and is not read.",
    why: "without a header nobody knows what the columns mean",
    fix: "nothing needs to be done, unless it holds content: then give it a header")
  /// A row that is no row of its table.
  public static let unusableRow = DiagnosticCode(
    "TBL0111", "unusable-row", .error, "A row does not fit its table.",
    why: "nobody can say which cell belongs to which column",
    fix: "correct the row in the table, or in the rejects file of an import, which import --retry takes")
  /// A row without its title.
  public static let rowWithoutTitle = DiagnosticCode(
    "TBL0112", "row-without-title", .error, "A row has no title although other cells of it are filled.",
    why: "a step, a card and an item cannot be without one",
    fix: "fill the cell in: in the table, or in the rejects file of an import, which import --retry takes")
  /// A cell that does not say what its column asks for.
  public static let cellValue = DiagnosticCode(
    "TBL0113", "cell-value", .error, "A cell does not say what its column asks for.",
    why: "whatever was guessed instead would be content that nobody wrote",
    fix: "correct the cell in the table, or in the rejects file of an import, which import --retry takes")
  /// A second row of one id.
  public static let repeatedRowID = DiagnosticCode(
    "TBL0114", "repeated-row-id", .warning, "A row has the id of an earlier one; it becomes a row of its own.",
    why: "a row that was copied has the id of the one that it was copied from; the first one keeps it",
    fix: "empty the id of the copy")
  /// Rows of one item that say different things of it.
  public static let differingRows = DiagnosticCode(
    "TBL0115", "differing-rows", .warning, "Rows of one item say different things of it; the first one counts.",
    why: "a checklist has one title, one language and one type",
    fix: "write the same into all of its rows")
  /// Two rows with one key.
  public static let repeatedKey = DiagnosticCode(
    "TBL0116", "repeated-key", .warning, "Two rows of one item have the same key.",
    why: "the column that --key names is to tell rows apart; the second one is known by its number among equals",
    fix: "give each row a value of its own, or name another column")
  /// A document that cannot be read.
  public static let cellDocument = DiagnosticCode(
    "TBL0117", "cell-document", .error, "The document in a cell cannot be read.",
    why: "an item's document is Markdown, or JSON as in a bundle's content_data",
    fix: "correct the cell in the table, or in the rejects file of an import, which import --retry takes")
  /// A language that no column says.
  public static let titleLanguage = DiagnosticCode(
    "TBL0118", "title-language", .note, "The language of an item was taken from the letters of its title.",
    why: "the table does not say its language",
    fix: "add a column 'language' where it is wrong")
  /// A table in a folder of notes.
  public static let tableBesideNotes = DiagnosticCode(
    "TBL0119", "table-beside-notes", .warning, "A table beside notes was left out.",
    why: "what lies beside notes is mostly an attachment of theirs",
    fix: "name the file itself to have its rows read")

  static let table = [
    columnsRead, unreadColumn, doubledColumn, noTableHeader, sheetLeftOut, unusableRow, rowWithoutTitle, cellValue,
    repeatedRowID, differingRows, repeatedKey, cellDocument,
    titleLanguage, tableBesideNotes,
  ]
}
