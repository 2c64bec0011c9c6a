import Diagnostics

extension DiagnosticCode {
  /// How the headers of a table were interpreted.
  public static let columnsRead = DiagnosticCode(
    "TBL0101", "columns-read", .note, "The headers of a table were recognized as columns of FleetKit.",
    why: "they are not FleetKit's own names",
    fix: "nothing needs to be done; to change it, use --map 'HEADER=COLUMN'")
  /// A column that is not read.
  public static let unreadColumn = DiagnosticCode(
    "TBL0102", "unread-column", .warning, "A column of a table is not recognized and is not read.",
    why: "its values are not imported",
    fix: "name its meaning with --map 'HEADER=COLUMN', or leave it out with --map 'HEADER='")
  /// Two columns with the same meaning.
  public static let doubledColumn = DiagnosticCode(
    "TBL0103", "doubled-column", .warning, "Two columns of a table mean the same; the first one is used.",
    why:
      "a step has one title and one time; a table of steps keeps the other column in the details, others leave it out",
    fix: "choose the one to use with --map 'HEADER=COLUMN'")
  /// A table without a header.
  public static let noTableHeader = DiagnosticCode(
    "TBL0104", "no-table-header", .error, "None of the first rows of a table is a header that FleetKit recognizes.",
    why: "without a header the meaning of the columns is not known",
    fix: "name a column 'item' (steps), 'front' and 'back' (cards) or 'title' and 'document' (catalogue), or use --map")
  /// A sheet without a header, in a workbook with sheets that have one.
  public static let sheetLeftOut = DiagnosticCode(
    "TBL0105", "sheet-left-out", .warning, "A sheet of a workbook has no header and is not read.",
    why: "without a header the meaning of the columns is not known",
    fix: "nothing needs to be done, unless it has content; then give it a header")
  /// A row without its title.
  public static let rowWithoutTitle = DiagnosticCode(
    "TBL0112", "row-without-title", .error, "A row has no title although other cells of it are filled.",
    why: "every step, card and item needs one",
    fix: "fill in the cell in the table, or in the rejects file of an import, which import --retry reads")
  /// A cell with a value that its column does not allow.
  public static let cellValue = DiagnosticCode(
    "TBL0113", "cell-value", .error, "A cell has a value that its column does not allow.",
    why: "FleetKit does not guess values that you did not write",
    fix: "correct the cell in the table, or in the rejects file of an import, which import --retry reads")
  /// A second row with the same id.
  public static let repeatedRowID = DiagnosticCode(
    "TBL0114", "repeated-row-id", .warning, "A row has the id of an earlier one; it becomes a row of its own.",
    why: "a copied row has the id of its original; the first one keeps it",
    fix: "empty the id of the copy")
  /// Rows of one item that contradict each other.
  public static let differingRows = DiagnosticCode(
    "TBL0115", "differing-rows", .warning, "Rows of one item contradict each other; the first one is used.",
    why: "a checklist has one title, one language and one type",
    fix: "write the same into all of its rows")
  /// Two rows with one key.
  public static let repeatedKey = DiagnosticCode(
    "TBL0116", "repeated-key", .warning, "Two rows of one item have the same key.",
    why: "the column of --key must distinguish rows; the second one is identified by its number among equals",
    fix: "give each row a value of its own, or name another column")
  /// A document that cannot be read.
  public static let cellDocument = DiagnosticCode(
    "TBL0117", "cell-document", .error, "The document in a cell cannot be read.",
    why: "an item's document must be Markdown, or JSON as in a bundle's content_data",
    fix: "correct the cell in the table, or in the rejects file of an import, which import --retry reads")
  /// A language that was detected because no column has it.
  public static let titleLanguage = DiagnosticCode(
    "TBL0118", "title-language", .note, "The language of an item was detected from the letters of its title.",
    why: "the table has no language for it",
    fix: "add a column 'language' if it is wrong")
  /// A table in a folder of notes.
  public static let tableBesideNotes = DiagnosticCode(
    "TBL0119", "table-beside-notes", .warning, "A table next to notes was left out.",
    why: "a table next to notes is mostly an attachment",
    fix: "to import its rows, name the file itself")
  /// A row that depends on one that could not be read.
  public static let rowBehindLost = DiagnosticCode(
    "TBL0120", "row-behind-lost", .error,
    "A row takes its checklist, deck or section from a row above it that could not be read.",
    why: "it would be added to the checklist or section before, where it does not belong",
    fix: "correct the named row; both are in the rejects file, which import --retry reads")
  /// A repeated header in the middle of its table.
  public static let repeatedHeader = DiagnosticCode(
    "TBL0121", "repeated-header", .warning, "A row repeats the header of its table; it was left out.",
    why: "pages that were pasted together contain their headers",
    fix: "remove the row")
  /// A table with a header and nothing below it.
  public static let tableWithoutRows = DiagnosticCode(
    "TBL0122", "table-without-rows", .warning, "A table has a header and no rows.",
    why: "nothing was imported from it; if you expected rows, it was saved too early or from the wrong sheet",
    fix: "add rows, or leave the table out")
  /// A text in an id column that is almost a UUID.
  public static let nearlyID = DiagnosticCode(
    "TBL0123", "nearly-id", .warning, "A text in an id column is almost a UUID and was treated as a name.",
    why: "an existing item with that UUID is not found by it, and a new one is made",
    fix: "write the id as 8-4-4-4-12 hexadecimal digits without braces")
  /// A guide without a text.
  public static let emptyGuide = DiagnosticCode(
    "TBL0124", "empty-guide", .warning, "A row of a catalogue is a guide without a text.",
    why: "the guide becomes empty, even if the library had a text for it",
    fix: "fill in the document, or remove the row")
  /// A table that cannot be read, in a folder of others.
  public static let tableNotRead = DiagnosticCode(
    "TBL0125", "table-not-read", .error, "A table in a folder cannot be read; the others were.",
    why: "nothing was imported from it",
    fix: "correct the table and import it, or the folder, again")
  /// A column that becomes lines of the details.
  public static let keptColumn = DiagnosticCode(
    "TBL0126", "kept-column", .warning, "A column of a table is kept as lines at the end of the details.",
    why: "FleetKit has no field for it, and its cells must not be lost",
    fix: "nothing needs to be done; --map 'HEADER=COLUMN' sets its meaning, --drop-column 'HEADER' leaves it out")
  /// A time that is kept as text.
  public static let minutesAsText = DiagnosticCode(
    "TBL0127", "minutes-as-text", .warning,
    "A cell is not clearly a number of minutes; it is kept in the details.",
    why: "FleetKit does not guess a number that you did not write",
    fix: "write whole minutes, or hours and minutes: 5, 5 min, 1 h 30, 1:30")
  /// A row of totals.
  public static let totalRow = DiagnosticCode(
    "TBL0128", "total-row", .warning, "A row of totals was left out.",
    why: "a sum is not a step",
    fix: "nothing needs to be done; if it is a step, add text to another cell of the row")
  /// A row above the header.
  public static let rowAboveHeader = DiagnosticCode(
    "TBL0129", "row-above-header", .warning, "A row above the header of a table was left out.",
    why: "the header names the columns, and rows above it have no columns",
    fix: "nothing needs to be done if it is a remark; if the table has no header, use --no-header and --map")
  /// A table with sections as columns.
  public static let columnsAsSections = DiagnosticCode(
    "TBL0130", "columns-as-sections", .note, "The columns of a table were read as sections with steps below.",
    why: "none of its headers is a known column, and all of its cells are short texts",
    fix: "nothing needs to be done; if that is wrong, define the columns with --map 'HEADER=COLUMN' or --no-header")

  /// The codes of findings about tables of every kind.
  package static let table = [
    columnsRead, unreadColumn, doubledColumn, noTableHeader, sheetLeftOut, rowWithoutTitle, cellValue,
    repeatedRowID, differingRows, repeatedKey, cellDocument, titleLanguage, tableBesideNotes, rowBehindLost,
    repeatedHeader, tableWithoutRows, nearlyID, emptyGuide, tableNotRead, keptColumn, minutesAsText, totalRow,
    rowAboveHeader, columnsAsSections,
  ]
}
