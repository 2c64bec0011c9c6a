import Diagnostics

extension DiagnosticCode {
  /// A report of how the headers of a table were interpreted.
  public static let columnsRead = DiagnosticCode(
    "TBL0101", "columns-read", .note, "The headers of a table were recognized as columns of FleetKit.",
    why: "the headers are not FleetKit's own column names",
    fix: "no action is needed; to change a column's meaning, use --map 'HEADER=COLUMN'")
  /// A column that is not read.
  public static let unreadColumn = DiagnosticCode(
    "TBL0102", "unread-column", .warning, "A column of a table is not recognized and is not read.",
    why: "the column's values are not imported",
    fix: "state its meaning with --map 'HEADER=COLUMN', or leave it out with --map 'HEADER='")
  /// Two columns with the same meaning.
  public static let doubledColumn = DiagnosticCode(
    "TBL0103", "doubled-column", .warning, "Two columns of a table have the same meaning; the first one is used.",
    why:
      "each value is read from one column; step tables keep the other in the details, and other tables leave it out",
    fix: "choose the column to use with --map 'HEADER=COLUMN'")
  /// A table without a header.
  public static let noTableHeader = DiagnosticCode(
    "TBL0104", "no-table-header", .error, "None of the first rows of a table is a header that FleetKit recognizes.",
    why: "without a header, the meaning of the columns is unknown",
    fix: "name a column 'item' (steps), 'front' and 'back' (cards) or 'title' and 'document' (catalogue), or use --map")
  /// A sheet without a header, in a workbook with sheets that have one.
  public static let sheetLeftOut = DiagnosticCode(
    "TBL0105", "sheet-left-out", .warning, "A sheet of a workbook has no header and is not read.",
    why: "without a header, the meaning of the columns is unknown",
    fix: "if the sheet has content, add a header; otherwise no action is needed")
  /// A row without its title.
  public static let rowWithoutTitle = DiagnosticCode(
    "TBL0112", "row-without-title", .error, "A row has no title, although other cells in it are filled.",
    why: "every step, card and item needs a title",
    fix: "fill in the cell in the table, or in the rejects file of an import, which import --retry reads")
  /// A cell with a value that its column does not allow.
  public static let cellValue = DiagnosticCode(
    "TBL0113", "cell-value", .error, "A cell has a value that its column does not allow.",
    why: "FleetKit does not guess values that you did not write",
    fix: "correct the cell in the table, or in the rejects file of an import, which import --retry reads")
  /// A second row with the same id.
  public static let repeatedRowID = DiagnosticCode(
    "TBL0114", "repeated-row-id", .warning, "A row has the id of an earlier row; it is read as a separate row.",
    why: "a copied row has the id of its original; the first row keeps the id",
    fix: "clear the id of the copy")
  /// Rows of one item that contradict each other.
  public static let differingRows = DiagnosticCode(
    "TBL0115", "differing-rows", .warning, "Rows of one item contradict each other; the first one is used.",
    why: "a checklist has one title, one language and one type",
    fix: "write the same values in all rows of the item")
  /// Two rows with one key.
  public static let repeatedKey = DiagnosticCode(
    "TBL0116", "repeated-key", .warning, "Two rows of one item have the same key.",
    why: "the column of --key must distinguish rows; the second row is identified by its position among equal keys",
    fix: "give each row a different value, or specify another column")
  /// A document that cannot be read.
  public static let cellDocument = DiagnosticCode(
    "TBL0117", "cell-document", .error, "The document in a cell cannot be read.",
    why: "an item's document must be Markdown, or JSON as in the content_data of a bundle",
    fix: "correct the cell in the table, or in the rejects file of an import, which import --retry reads")
  /// A language that was detected because no column states it.
  public static let titleLanguage = DiagnosticCode(
    "TBL0118", "title-language", .note, "The language of an item was detected from the letters of its title.",
    why: "the table does not state the item's language",
    fix: "if the language is wrong, add a column 'language'")
  /// A table in a folder of notes.
  public static let tableBesideNotes = DiagnosticCode(
    "TBL0119", "table-beside-notes", .warning, "A table next to notes was left out.",
    why: "a table next to notes is usually an attachment",
    fix: "to import its rows, specify the file itself")
  /// A row that depends on one that could not be read.
  public static let rowBehindLost = DiagnosticCode(
    "TBL0120", "row-behind-lost", .error,
    "A row takes its checklist, deck or section from a row above it that could not be read.",
    why: "the row would be added to the previous checklist or section, where it does not belong",
    fix: "correct the named row; both rows are in the rejects file, which import --retry reads")
  /// A repeated header in the middle of its table.
  public static let repeatedHeader = DiagnosticCode(
    "TBL0121", "repeated-header", .warning, "A row repeats the header of its table; it was left out.",
    why: "each page of a table that was pasted together has its own header",
    fix: "remove the row")
  /// A table with a header and nothing below it.
  public static let tableWithoutRows = DiagnosticCode(
    "TBL0122", "table-without-rows", .warning, "A table has a header but no rows.",
    why: "nothing was imported from the table; perhaps it was saved too early or from the wrong sheet",
    fix: "add rows, or omit the table")
  /// A value in an id column that is almost a UUID.
  public static let nearlyID = DiagnosticCode(
    "TBL0123", "nearly-id", .warning, "A value in an id column is almost a UUID and was treated as a name.",
    why: "the value does not match an existing item with that UUID, so a new item is created",
    fix: "write the id as 8-4-4-4-12 hexadecimal digits without braces")
  /// A guide without text.
  public static let emptyGuide = DiagnosticCode(
    "TBL0124", "empty-guide", .warning, "A row of a catalogue is a guide without text.",
    why: "the guide becomes empty, even if it has text in the library",
    fix: "fill in the document, or remove the row")
  /// A table in a folder that cannot be read, although other tables can.
  public static let tableNotRead = DiagnosticCode(
    "TBL0125", "table-not-read", .error, "A table in a folder cannot be read; the other tables were read.",
    why: "nothing was imported from the table",
    fix: "correct the table, then import the table or the folder again")
  /// A column that becomes lines of the details.
  public static let keptColumn = DiagnosticCode(
    "TBL0126", "kept-column", .warning, "A column of a table is kept as lines at the end of the details.",
    why: "FleetKit has no field for the column, and its cells must not be lost",
    fix: "no action is needed; --map 'HEADER=COLUMN' sets its meaning, --drop-column 'HEADER' leaves it out")
  /// A time that is kept as text.
  public static let minutesAsText = DiagnosticCode(
    "TBL0127", "minutes-as-text", .warning,
    "A cell is not clearly a number of minutes; it is kept in the details.",
    why: "FleetKit does not guess a number that you did not write",
    fix: "write whole minutes, or hours and minutes: 5, 5 min, 1 h 30, 1:30")
  /// A total row.
  public static let totalRow = DiagnosticCode(
    "TBL0128", "total-row", .warning, "A total row was left out.",
    why: "a sum is not a step",
    fix: "no action is needed; if the row is a step, add text to another cell of the row")
  /// A row above the header.
  public static let rowAboveHeader = DiagnosticCode(
    "TBL0129", "row-above-header", .warning, "A row above the header of a table was left out.",
    why: "the header names the columns, so rows above it have no columns",
    fix: "no action is needed if the row is a remark; if the table has no header, use --no-header and --map")
  /// A table whose columns are sections.
  public static let columnsAsSections = DiagnosticCode(
    "TBL0130", "columns-as-sections", .note, "The columns of a table were read as sections with steps below.",
    why: "none of the headers is a known column, and all cells are short texts",
    fix: "no action is needed; if this is wrong, define the columns with --map 'HEADER=COLUMN' or --no-header")

  /// The codes of findings about tables of every kind.
  package static let table = [
    columnsRead, unreadColumn, doubledColumn, noTableHeader, sheetLeftOut, rowWithoutTitle, cellValue,
    repeatedRowID, differingRows, repeatedKey, cellDocument, titleLanguage, tableBesideNotes, rowBehindLost,
    repeatedHeader, tableWithoutRows, nearlyID, emptyGuide, tableNotRead, keptColumn, minutesAsText, totalRow,
    rowAboveHeader, columnsAsSections,
  ]
}
