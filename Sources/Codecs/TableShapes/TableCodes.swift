import Diagnostics

extension DiagnosticCode {
  /// What headers of a table were taken for.
  public static let columnsRead = DiagnosticCode(
    "TBL0101", "columns-read", .note, "The headers of a table were taken for columns that FleetKit knows.",
    why: "they are other words than FleetKit's own",
    fix: "nothing needs to be done; --map 'HEADER=COLUMN' says it otherwise")
  /// A column that nothing is read from.
  public static let unreadColumn = DiagnosticCode(
    "TBL0102", "unread-column", .warning, "A column of a table means nothing to FleetKit and is not read.",
    why: "what stands in it does not arrive",
    fix: "say what it is with --map 'HEADER=COLUMN', or leave it out with --map 'HEADER='")
  /// Two columns that mean the same.
  public static let doubledColumn = DiagnosticCode(
    "TBL0103", "doubled-column", .warning, "Two columns of a table mean the same; the first one counts.",
    why:
      "a step has one title and one minutes; a table of steps keeps the other column in the details, others leave it out",
    fix: "say which one counts with --map 'HEADER=COLUMN'")
  /// A table without a header.
  public static let noTableHeader = DiagnosticCode(
    "TBL0104", "no-table-header", .error, "None of the first rows of a table is a header that FleetKit understands.",
    why: "without a header nobody knows what the columns mean",
    fix: "name a column 'item' (steps), 'front' and 'back' (cards) or 'title' and 'document' (catalogue), or use --map")
  /// A sheet without a header, beside others that have one.
  public static let sheetLeftOut = DiagnosticCode(
    "TBL0105", "sheet-left-out", .warning, "A sheet of a workbook has no header and is not read.",
    why: "without a header nobody knows what the columns mean",
    fix: "nothing needs to be done, unless it holds content: then give it a header")
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
  /// A column that becomes lines of the details.
  public static let keptColumn = DiagnosticCode(
    "TBL0126", "kept-column", .warning, "A column of a table is kept as lines at the end of the details.",
    why: "FleetKit knows no member for it, and its cells must not be lost",
    fix: "nothing needs to be done; --map 'HEADER=COLUMN' gives it a meaning, --drop-column 'HEADER' leaves it out")
  /// A time that is kept as text.
  public static let minutesAsText = DiagnosticCode(
    "TBL0127", "minutes-as-text", .warning,
    "A cell does not surely say a number of minutes; it is kept in the details.",
    why: "a number that was guessed would be content that nobody wrote",
    fix: "write whole minutes, or hours and minutes: 5, 5 min, 1 h 30, 1:30")
  /// A row of totals.
  public static let totalRow = DiagnosticCode(
    "TBL0128", "total-row", .warning, "A row of totals was left out.",
    why: "a sum is not a step",
    fix: "nothing needs to be done; fill another cell of the row with text if it is a step")
  /// A row above the header.
  public static let rowAboveHeader = DiagnosticCode(
    "TBL0129", "row-above-header", .warning, "A row above the header of a table was left out.",
    why: "the header says what the columns mean, and rows above it have none",
    fix: "nothing needs to be done if it is a remark; if the table has no header, say so with --no-header and --map")
  /// A table whose columns are sections.
  public static let columnsAsSections = DiagnosticCode(
    "TBL0130", "columns-as-sections", .note, "The columns of a table were taken for sections with steps below.",
    why: "none of its headers is known, and all of its cells are short texts",
    fix: "nothing needs to be done; if it is not so, --map 'HEADER=COLUMN' or --no-header says what the columns are")

  /// Findings of tables of every kind.
  package static let table = [
    columnsRead, unreadColumn, doubledColumn, noTableHeader, sheetLeftOut, rowWithoutTitle, cellValue,
    repeatedRowID, differingRows, repeatedKey, cellDocument, titleLanguage, tableBesideNotes, rowBehindLost,
    repeatedHeader, tableWithoutRows, nearlyID, emptyGuide, tableNotRead, keptColumn, minutesAsText, totalRow,
    rowAboveHeader, columnsAsSections,
  ]
}
