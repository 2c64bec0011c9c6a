extension DiagnosticCode {
  /// Front matter that is no YAML.
  public static let brokenFrontMatter = DiagnosticCode(
    "MKD0101", "broken-front-matter", .error, "The front matter of a note is not YAML.",
    why: "what it says cannot be read for sure; its plain lines are taken as they stand",
    fix: "correct it at the place that is named")
  /// A value of the front matter that cannot be used.
  public static let frontMatterValue = DiagnosticCode(
    "MKD0102", "front-matter-value", .warning, "A value of the front matter cannot be used as what its key says.",
    why: "the note is read as if the key were not there; the value is kept with the note",
    fix: "write it in the form that is named")
  /// A date in words.
  public static let looseDate = DiagnosticCode(
    "MKD0103", "loose-date", .warning, "A date of the front matter is no full date.",
    why: "a year or a month that was invented would be worse than none; the text is kept with the note",
    fix: "write it as 2026-01-05")
  /// A language that was taken from the script.
  public static let languageFromText = DiagnosticCode(
    "MKD0104", "language-from-text", .note, "The language of a note was taken from its letters.",
    why: "the note does not say its language",
    fix: "add 'language:' to the front matter where it is wrong")
  /// A note that was taken for a checklist or a deck without saying so.
  public static let inferredKind = DiagnosticCode(
    "MKD0105", "inferred-kind", .note, "A note was taken for what it looks like.",
    why: "it does not say what it is; --explain lists the evidence",
    fix: "add 'type: checklist', 'type: guide' or 'type: deck' to the front matter, or use --infer never")
  /// A note that might be a checklist and was taken for a guide.
  public static let uncertainKind = DiagnosticCode(
    "MKD0106", "uncertain-kind", .warning,
    "A note looks somewhat like a checklist or a deck and was taken for a guide.",
    why: "the evidence is too weak to decide without asking; --explain lists it",
    fix: "add 'type: checklist', 'type: guide' or 'type: deck' to the front matter")
  /// Ticks in a checklist.
  public static let ticksInChecklist = DiagnosticCode(
    "MKD0107", "ticked-boxes", .note, "Boxes of a checklist are ticked.",
    why: "a checklist keeps no ticks, a charter does; the text is kept with the note",
    fix: "nothing needs to be done")
  /// A text in an old encoding.
  public static let otherEncoding = DiagnosticCode(
    "MKD0108", "other-encoding", .note, "A note is not in UTF-8.",
    why: "it was read in the encoding that is named, and keeps it in its folder",
    fix: "save it as UTF-8 where letters look wrong")
  /// A file that is no text.
  public static let notText = DiagnosticCode(
    "MKD0109", "not-text", .error, "A note is no text in any encoding that FleetKit knows.",
    why: "nobody can say what its bytes mean",
    fix: "save it as UTF-8")
  /// A file that is about the folder.
  public static let aboutTheFolder = DiagnosticCode(
    "MKD0110", "about-the-folder", .note, "A file was left out because it is about the folder, not content.",
    why: "README, LICENSE, CHANGELOG and the like say how to use a folder",
    fix: "name the file itself, or add 'type:' to its front matter, to have it read")
  /// A file time that stands in for a date.
  public static let timeFromFile = DiagnosticCode(
    "MKD0111", "time-from-file", .note, "The time of a note is that of its file.",
    why: "the note does not say when it was written; a file's time changes with every copy and never decides anything",
    fix: "add 'created:' and 'updated:' to the front matter")
  /// A record that Markdown could not say.
  public static let keptWhole = DiagnosticCode(
    "MKD0112", "kept-whole", .note, "An item of a library is kept whole beside the notes of a vault.",
    why: "Markdown cannot say it without losing something",
    fix: "nothing needs to be done")

  /// Notes of a vault that the library does not have.
  public static let leftAlone = DiagnosticCode(
    "MKD0113", "left-alone", .note, "A vault has something that is not in the library that was written into it.",
    why: "somebody may have made it there, or it was deleted in the library; nobody can tell which",
    fix: "import the vault to have it in the library, or delete it in the vault")

  /// An id that a step above has already.
  public static let repeatedID = DiagnosticCode(
    "MKD0114", "repeated-id", .warning, "A section or step of a note has the id of one above it.",
    why: "ticking one would tick the other; the second gets an id of its own",
    fix: "nothing needs to be done for a line that was copied; take the id away to be rid of this")

  /// A note that git could not merge.
  public static let conflictMarkers = DiagnosticCode(
    "MKD0115", "conflict-markers", .error, "A note has git's marks of a conflict in it.",
    why: "lines of both sides stand in it, and the marks would become content",
    fix: "settle the conflict: take away the lines that are not wanted, and the marks")

  /// A note that was edited and not imported.
  public static let editedNote = DiagnosticCode(
    "MKD0116", "edited-note", .warning,
    "A note was edited in the vault and not imported; the export did not change it.",
    why: "the library does not have the edit; writing the library's version would lose it",
    fix: "import the vault, and export again")

  /// A note that may be a card of a deck, and cannot be read as one.
  public static let unreadCard = DiagnosticCode(
    "MKD0117", "unread-card", .error, "A note in a folder of cards cannot be read as a card.",
    why: "without it the deck would have lost a card, so the deck is left out and the library keeps its own",
    fix: "make it a card again, delete it to delete the card, or move it to another folder")

  /// A note beyond the limits for notes.
  public static let noteTooLarge = DiagnosticCode(
    "MKD0118", "note-too-large", .error, "A note is larger than the limits for notes.",
    why: "its blocks are kept in memory, and no file may use up the memory; the file was not read and not changed",
    fix: "split it into several notes, or leave it out")

  /// A note that an export could not change.
  public static let noteNotWritten = DiagnosticCode(
    "MKD0119", "note-not-written", .warning, "A note of a vault does not have what the library has.",
    why: "an export changes a note in its own notation, or leaves it as it is",
    fix: "edit the note yourself, or export with --rewrite-notes")

  static let markdown: [DiagnosticCode] = [
    brokenFrontMatter, frontMatterValue, looseDate, languageFromText, inferredKind, uncertainKind, ticksInChecklist,
    otherEncoding, notText, aboutTheFolder, timeFromFile, keptWhole, leftAlone, repeatedID,
    conflictMarkers, editedNote, unreadCard,
    noteTooLarge, noteNotWritten,
  ]

  /// A value of a bundle has a type that its member does not allow.
  public static let typeMismatch = DiagnosticCode(
    "BND0101", "type-mismatch", .error, "A value has another type than its member allows.",
    why: "a bundle may leave out ids and defaults, but what it says must have the right type",
    fix: "write the value in the type that is named")
  /// A member without which a record means nothing is missing.
  public static let requiredMember = DiagnosticCode(
    "BND0102", "required-member", .error, "A record lacks a member that it cannot do without.",
    why: "an item needs a title and a content_type, other records the members named on the format's page",
    fix: "add the member")
  /// A content type that nobody knows.
  public static let unknownContentType = DiagnosticCode(
    "BND0103", "unknown-content-type", .error, "content_type is none that FleetKit knows.",
    why: "the app could not open such an item",
    fix: "use checklist, practice_guide or flashcard_deck")
  /// A record kind that FleetKit does not know.
  public static let unknownKind = DiagnosticCode(
    "BND0104", "unknown-kind", .note, "A record has a kind that FleetKit does not know.",
    why: "it passes through bundles untouched; other formats cannot hold it",
    fix: "nothing needs to be done")
  /// A date that is none.
  public static let invalidDate = DiagnosticCode(
    "BND0105", "invalid-date", .error, "A time is not an ISO 8601 date and time.",
    why: "a guess could move a record by hours or years",
    fix: "write it as 2026-01-05T10:11:12.345Z")
  /// The document's id differs from the item's.
  public static let documentIDDiffers = DiagnosticCode(
    "BND0106", "document-id-differs", .warning, "content_data has another id than its item.",
    why: "the app finds a body by the id of its item",
    fix: "the item's id is used; remove the id from content_data")
  /// A bundle of a newer version.
  public static let newerBundle = DiagnosticCode(
    "BND0107", "newer-bundle", .warning, "The bundle was written by a newer FleetKit.",
    why: "it says that this version may read it; members that it adds are kept as extras",
    fix: "update FleetKit if something looks missing")
  /// A bundle without a header.
  public static let noHeader = DiagnosticCode(
    "BND0108", "no-header", .note, "The bundle has no header.",
    why: "the records are read as version 1",
    fix: "nothing needs to be done; FleetKit writes a header when it writes the bundle")

  /// An id that is no UUID.
  public static let idReplaced = DiagnosticCode(
    "BND0109", "id-replaced", .note, "An id is not a UUID; one derived from it takes its place.",
    why: "the app knows only UUIDs; the same text always gives the same UUID, so references agree",
    fix: "nothing needs to be done")
  /// A time that is more exact than a millisecond.
  public static let timeCut = DiagnosticCode(
    "BND0110", "time-cut", .note, "A time is more exact than a millisecond; the rest is cut.",
    why: "the app keeps milliseconds",
    fix: "nothing needs to be done")

  /// A member that FleetKit does not know.
  public static let unknownBundleMember = DiagnosticCode(
    "BND0111", "unknown-bundle-member", .note, "A member is none that FleetKit knows.",
    why: "it is kept in bundles, but nothing reads it; a misspelled name leaves its content out of sight",
    fix: "correct the name if it is misspelled; otherwise nothing needs to be done")

  /// A text that is JSON and no bundle.
  public static let notABundle = DiagnosticCode(
    "BND0112", "not-a-bundle", .error, "The text is JSON, and no bundle that FleetKit reads.",
    why: "its header says what it is; to guess what was meant could read the wrong thing",
    fix: "correct the header, or name the right format with --from-format")

  /// A record beyond the limits for records.
  public static let recordTooLarge = DiagnosticCode(
    "BND0113", "record-too-large", .error, "A record is larger than the limits for records.",
    why: "a record is kept in memory as a whole, and no file may use up the memory",
    fix: "split it into several records")

  static let bundle = [
    typeMismatch, requiredMember, unknownContentType, unknownKind, invalidDate, documentIDDiffers, newerBundle,
    noHeader, idReplaced, timeCut, unknownBundleMember, notABundle, recordTooLarge,
  ]

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

  static let delimited = [tableIsNoText, tableEncoding]

  /// A title of nothing but blanks.
  public static let blankTitle = DiagnosticCode(
    "INT0101", "title-of-blanks", .error, "The title of what is published is blank.",
    why: "nobody could find it in a list", fix: "give it a title of 3 to 100 characters")
  /// A NUL character in a text.
  public static let nulCharacter = DiagnosticCode(
    "INT0102", "nul-character", .error, "A text has a NUL character in it.",
    why: "databases cannot hold it, and programs take it for the end of the text", fix: "remove \\u0000")
  /// Values inside of values inside of values.
  public static let bodyTooDeep = DiagnosticCode(
    "INT0103", "body-too-deep", .error, "The values of a request nest too deeply.",
    why: "no document of the app is that deep, so a registry reads no further", fix: "nest at most 64 levels")
  /// A document in a string that cannot be taken out of it.
  public static let documentInString = DiagnosticCode(
    "INT0104", "document-in-string", .error, "content_data is a string that holds no JSON object.",
    why: "a registry stores the document, not its text", fix: "send the document itself, as an object")
  /// A change of type that leaves the document as it is.
  public static let typeWithoutDocument = DiagnosticCode(
    "INT0105", "type-without-document", .error, "A change has another content type and no document of it.",
    why: "the document that is there has the shape of its own type, and the app could not open it as another",
    fix: "send content_data as well, or leave content_type out")
  /// A number that does not fit anywhere.
  public static let numberTooLarge = DiagnosticCode(
    "INT0106", "number-too-large", .error, "A number is larger than programs can hold.",
    why: "the app could not decode the document", fix: "write a number below 1e308")
  /// There is more than is listed.
  public static let moreInRequest = DiagnosticCode(
    "INT0107", "more-in-request", .error, "A request has more findings than are listed.",
    why: "a list without end helps nobody", fix: "correct those that are listed and send the request again")
  /// A document with the body of another type and none of its own.
  public static let documentOfOtherType = DiagnosticCode(
    "INT0108", "document-of-other-type", .error, "The document is of another type than content_type says.",
    why: "the item would come out empty, and what is in the document could not be seen",
    fix: "send a document of that type: sections in a checklist, markdown in a practice guide, cards in a deck")
  /// A change that would let others make copies, or no longer let them.
  public static let forkingIsFixed = DiagnosticCode(
    "INT0109", "forking-is-fixed", .error, "A change has another can_fork than what is published.",
    why: "others may have made copies in reliance on it, so it is decided once, when an item is published",
    fix: "leave can_fork out of the change; to forbid copies, unpublish the item and publish it again")
  /// Two parts of a document with one id.
  public static let idTwice = DiagnosticCode(
    "INT0110", "id-twice", .error, "Two sections, items or cards of a document have the same id.",
    why: "the app keeps ticks and reviews by these ids, so one of the two would stand for both",
    fix: "give each an id of its own, or leave the ids out: then they are derived")

  static let intake = [
    blankTitle, nulCharacter, bodyTooDeep, documentInString, typeWithoutDocument, numberTooLarge, moreInRequest,
    documentOfOtherType, forkingIsFixed, idTwice,
  ]

  /// The text is not JSON.
  public static let notJSON = DiagnosticCode(
    "JSN0001", "not-json", .error, "The text is not JSON.",
    why: "JSON has one strict grammar (RFC 8259); readers that guess disagree about what a text says",
    fix: "correct the text at the place shown")
  /// A member name occurs twice in one object.
  public static let duplicateMember = DiagnosticCode(
    "JSN0002", "duplicate-member", .error, "An object has the same member name twice.",
    why: "readers disagree about which of the two counts, so one of them is lost somewhere",
    fix: "keep one of the two")

  static let jsonText = [notJSON, duplicateMember]

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

  /// A file that is no template.
  public static let notTodoist = DiagnosticCode(
    "TBL0401", "not-todoist", .error, "A file that is to be a template of Todoist is none.",
    why: "nobody can say which rows are tasks",
    fix: "export it from Todoist as a template, or name another format with --from-format")
  /// Something of a template that a checklist has no place for.
  public static let todoistLeftOut = DiagnosticCode(
    "TBL0402", "todoist-left-out", .note,
    "Something in a Todoist template has no place in a checklist and is not read.",
    why: "a checklist is a plan to be used again; dates and people belong to one use of it",
    fix: "nothing needs to be done, unless it matters: then write it into the task's description")

  /// A cell of a template that Todoist would not have written.
  public static let todoistValue = DiagnosticCode(
    "TBL0403", "todoist-value", .error, "A cell of a Todoist template says what Todoist does not know.",
    why: "a guess could turn a task that must be done into one that need not be, or put it below another one",
    fix: "correct the cell in the template, or in the rejects file of an import, which import --retry takes")

  static let todoist = [notTodoist, todoistLeftOut, todoistValue]

  /// A source that cannot be read to its end.
  public static let unreadableSource = DiagnosticCode(
    "VAL0101", "unreadable-source", .error, "A source cannot be read to its end.",
    why: "what nobody could read nobody has checked",
    fix: "put the file right, or leave it out")

  /// The text is not YAML.
  public static let notYAML = DiagnosticCode(
    "VAL0102", "not-yaml", .error, "The text is not YAML that means one thing.",
    why: "readers that guess disagree about what a text says",
    fix: "correct the text at the place shown")

  /// An item was held against the schema of a document.
  public static let schemaOfAnotherShape = DiagnosticCode(
    "VAL0103", "schema-of-another-shape", .warning, "The schema describes another part of an item.",
    why: "the document of an item is in content_data, and only that is what this schema describes",
    fix: "use --schema library-item for whole items")

  static let validating = [unreadableSource, notYAML, schemaOfAnotherShape]

  /// A part of a workbook is no XML, or is missing.
  public static let workbookDamaged = DiagnosticCode(
    "TBL0301", "workbook-damaged", .error, "A workbook is damaged, or is no workbook.",
    why: "what it has cannot be told from what is missing",
    fix: "open it in a spreadsheet program, look whether everything is there, and save it as .xlsx")

  /// Formulas whose last values were taken.
  public static let workbookFormulas = DiagnosticCode(
    "TBL0311", "workbook-formulas", .note, "A sheet has formulas; the values that were saved last were read.",
    why: "FleetKit does not compute; a value that is out of date stays so",
    fix: "let the spreadsheet program compute the sheet again and save it, if other values should be taken")

  /// Formulas that no program has computed.
  public static let workbookFormulaWithoutValue = DiagnosticCode(
    "TBL0312", "workbook-formula-without-value", .warning, "A sheet has formulas without values.",
    why: "a program wrote them that does not compute, so their cells count as empty",
    fix: "open the workbook in a spreadsheet program and save it")

  /// A cell that shows an error.
  public static let workbookErrorCell = DiagnosticCode(
    "TBL0313", "workbook-error-cell", .warning, "A cell shows an error, such as #N/A.",
    why: "it counts as empty", fix: "correct the formula in the cell, or write the value")

  /// Merged cells that span columns.
  public static let workbookMerged = DiagnosticCode(
    "TBL0314", "workbook-merged", .note, "Cells of a sheet are merged across columns.",
    why: "their value belongs to the first column alone; the others count as empty there",
    fix: "split them, if the value should count in the other columns too")

  /// Sheets that were not read.
  public static let workbookSheetLeftOut = DiagnosticCode(
    "TBL0315", "workbook-sheet-left-out", .note, "Sheets of a workbook were not read.",
    why: "hidden sheets and sheets of charts are nobody's list",
    fix: "show a hidden sheet in the spreadsheet program, if it should be read")

  /// Macros, pictures and such.
  public static let workbookExtras = DiagnosticCode(
    "TBL0316", "workbook-extras", .note, "A workbook has more than cells.",
    why: "macros, links to other workbooks, pictures, charts and comments are not read",
    fix: "write what should be taken over into cells")

  static let workbook = [
    workbookDamaged, workbookFormulas, workbookFormulaWithoutValue, workbookErrorCell, workbookMerged,
    workbookSheetLeftOut, workbookExtras,
  ]
}
