extension DiagnosticCode {
  /// A file time that stands in for a date.
  public static let timeFromFile = DiagnosticCode(
    "MKD0111", "time-from-file", .note, "The time of a note is that of its file.",
    why: "the note does not say when it was written; a file's time changes with every copy and never decides anything",
    fix: "add 'created:' and 'updated:' to the front matter")

  static let shared = [timeFromFile, unusableRow]

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
    "BND0104", "unknown-kind", .warning, "A record has a kind that FleetKit does not know.",
    why: "it passes through bundles untouched; other formats cannot hold it",
    fix: "correct the kind, or keep the record in a bundle")
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
    "BND0111", "unknown-bundle-member", .warning, "FleetKit does not know a member.",
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

  /// A file of a folder that is another program's.
  public static let foreignFile = DiagnosticCode(
    "FIL0101", "foreign-file", .note, "A file of a folder is not content.",
    why: "it is another program's: settings, a cache, a licence; it was left out",
    fix: "nothing needs to be done; name the file itself to have it read")
  /// A file of a folder that has content in a format that FleetKit cannot read.
  public static let unreadFile = DiagnosticCode(
    "FIL0102", "unread-file", .warning, "A file of a folder cannot be read by FleetKit.",
    why: "what it holds does not arrive",
    fix: "save it in a format that FleetKit reads: 'fleetkit formats' lists them")
  /// A file of a folder that is damaged.
  public static let brokenFile = DiagnosticCode(
    "FIL0103", "broken-file", .error, "A file of a folder cannot be read.",
    why: "it is content, and damaged; the other files were read",
    fix: "correct it at the place shown, or restore it from a backup")

  static let files = [foreignFile, unreadFile, brokenFile]

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

  /// A row that is no row of its table.
  public static let unusableRow = DiagnosticCode(
    "TBL0111", "unusable-row", .error, "A row does not fit its table.",
    why: "nobody can say which cell belongs to which column",
    fix: "correct the row in the table, or in the rejects file of an import, which import --retry takes")

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
}
