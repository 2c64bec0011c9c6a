extension DiagnosticCode {
  /// A file time is used for a missing date.
  public static let timeFromFile = DiagnosticCode(
    "MKD0111", "time-from-file", .note, "A note has no date; its file's modification time was used.",
    why: "the note does not contain a date; a file's time changes with every copy and is never used for decisions",
    fix: "add 'created:' and 'updated:' to the front matter")

  static let shared = [timeFromFile, unusableRow]

  /// A value in a bundle has a type that its member does not allow.
  public static let typeMismatch = DiagnosticCode(
    "BND0101", "type-mismatch", .error, "A value has the wrong type for its member.",
    why: "a bundle may leave out ids and defaults, but the values in it must have the right types",
    fix: "write a value of the required type")
  /// A required member is missing.
  public static let requiredMember = DiagnosticCode(
    "BND0102", "required-member", .error, "A record lacks a required member.",
    why: "an item needs a title and a content_type; other records need the members listed on the format's page",
    fix: "add the member")
  /// An unknown content type.
  public static let unknownContentType = DiagnosticCode(
    "BND0103", "unknown-content-type", .error, "An item has an unknown content_type.",
    why: "the app could not open such an item",
    fix: "use checklist, practice_guide or flashcard_deck")
  /// An unknown record kind.
  public static let unknownKind = DiagnosticCode(
    "BND0104", "unknown-kind", .warning, "A record has an unknown kind.",
    why: "bundles keep the record unchanged; other formats cannot hold it",
    fix: "correct the kind, or keep the record in a bundle")
  /// A value is not a date.
  public static let invalidDate = DiagnosticCode(
    "BND0105", "invalid-date", .error, "A time is not an ISO 8601 date and time.",
    why: "a guess could move a record by hours or years",
    fix: "write the time as 2026-01-05T10:11:12.345Z")
  /// The document's id differs from the item's.
  public static let documentIDDiffers = DiagnosticCode(
    "BND0106", "document-id-differs", .warning, "The id in content_data differs from the item's id.",
    why: "the app finds a body by its item's id",
    fix: "the item's id is used; remove the id from content_data")
  /// A bundle of a newer version.
  public static let newerBundle = DiagnosticCode(
    "BND0107", "newer-bundle", .warning, "The bundle was written by a newer FleetKit.",
    why: "its header allows this version to read it; additional members are kept as extras",
    fix: "update FleetKit if something seems to be missing")
  /// A bundle without a header.
  public static let noHeader = DiagnosticCode(
    "BND0108", "no-header", .note, "The bundle has no header.",
    why: "the records are read as version 1",
    fix: "nothing needs to be done; FleetKit writes a header when it writes the bundle")

  /// An id is not a UUID.
  public static let idReplaced = DiagnosticCode(
    "BND0109", "id-replaced", .note, "An id is not a UUID and was replaced by one derived from it.",
    why: "the app supports only UUIDs; the same id always gives the same UUID, so references stay valid",
    fix: "nothing needs to be done")
  /// A time is more precise than a millisecond.
  public static let timeCut = DiagnosticCode(
    "BND0110", "time-cut", .note, "A time is more precise than a millisecond and was truncated.",
    why: "the app stores milliseconds",
    fix: "nothing needs to be done")

  /// An unknown member.
  public static let unknownBundleMember = DiagnosticCode(
    "BND0111", "unknown-bundle-member", .warning, "A record has an unknown member.",
    why: "bundles keep the member, but FleetKit does not read it; the value of a misspelled member is ignored",
    fix: "correct the name if it is misspelled; otherwise nothing needs to be done")

  /// A document is JSON but not a bundle.
  public static let notABundle = DiagnosticCode(
    "BND0112", "not-a-bundle", .error, "The text is JSON, but not a bundle that FleetKit reads.",
    why: "the header determines the format; FleetKit does not guess, because a wrong guess could misread the content",
    fix: "correct the header, or name the format with --from-format")

  /// A record exceeds the limits for records.
  public static let recordTooLarge = DiagnosticCode(
    "BND0113", "record-too-large", .error, "A record exceeds the limits for records.",
    why: "FleetKit holds a whole record in memory, so its size is limited",
    fix: "split the record into several records")

  static let bundle = [
    typeMismatch, requiredMember, unknownContentType, unknownKind, invalidDate, documentIDDiffers, newerBundle,
    noHeader, idReplaced, timeCut, unknownBundleMember, notABundle, recordTooLarge,
  ]

  /// A title is blank.
  public static let blankTitle = DiagnosticCode(
    "INT0101", "title-of-blanks", .error, "The title of a publication is blank.",
    why: "readers could not find it in a list", fix: "give it a title of 3 to 100 characters")
  /// A string contains a NUL character.
  public static let nulCharacter = DiagnosticCode(
    "INT0102", "nul-character", .error, "A string contains a NUL character.",
    why: "some databases cannot store it, and many programs treat it as the end of the string", fix: "remove \\u0000")
  /// Values are nested too deeply.
  public static let bodyTooDeep = DiagnosticCode(
    "INT0103", "body-too-deep", .error, "The values in a request are nested too deeply.",
    why: "the app writes no document that deep, so the registry refuses it", fix: "use at most 64 levels")
  /// A document is encoded in a string that cannot be parsed.
  public static let documentInString = DiagnosticCode(
    "INT0104", "document-in-string", .error, "content_data is a string that does not contain a JSON object.",
    why: "the registry stores documents as objects, not as strings", fix: "send the document itself, as an object")
  /// A change names another type but contains no new document.
  public static let typeWithoutDocument = DiagnosticCode(
    "INT0105", "type-without-document", .error,
    "A change names another content type but contains no document of that type.",
    why: "the existing document has the shape of the old type, and the app could not open it as the new one",
    fix: "send content_data as well, or leave content_type out")
  /// A number is too large.
  public static let numberTooLarge = DiagnosticCode(
    "INT0106", "number-too-large", .error, "A number is too large.",
    why: "the app could not decode the document", fix: "write a number below 1e308")
  /// A request has more findings than are listed.
  public static let moreInRequest = DiagnosticCode(
    "INT0107", "more-in-request", .error, "A request has more findings than are listed.",
    why: "the list is limited", fix: "correct the listed findings and send the request again")
  /// A document's body does not match its content type.
  public static let documentOfOtherType = DiagnosticCode(
    "INT0108", "document-of-other-type", .error, "The document does not have the type that content_type names.",
    why: "the item would be empty, and the content of the document would not be shown",
    fix: "send a document of that type: sections in a checklist, markdown in a practice guide, cards in a deck")
  /// A change sets the permission to copy.
  public static let forkingIsFixed = DiagnosticCode(
    "INT0109", "forking-is-fixed", .error, "The can_fork of a change differs from the publication's.",
    why: "copies may rely on this permission, so it is set once, when the item is published",
    fix: "leave can_fork out of the change; to forbid copies, unpublish the item and publish it again")
  /// Two parts of a document have the same id.
  public static let idTwice = DiagnosticCode(
    "INT0110", "id-twice", .error, "Two sections, items or cards of a document have the same id.",
    why: "the app stores ticks and reviews by these ids, so the two would share them",
    fix: "give each one its own id, or leave the ids out to have them derived")

  /// A file in a folder belongs to another program.
  public static let foreignFile = DiagnosticCode(
    "FIL0101", "foreign-file", .note, "A file in a folder is not content.",
    why: "the file belongs to another program (settings, a cache, a licence), so FleetKit skipped it",
    fix: "nothing needs to be done; to read the file, name it directly")
  /// A file in a folder has content in an unsupported format.
  public static let unreadFile = DiagnosticCode(
    "FIL0102", "unread-file", .warning, "A file in a folder has a format that FleetKit cannot read.",
    why: "its content is not imported",
    fix: "save it in a format that FleetKit reads; to list them, run 'fleetkit formats'")
  /// A file in a folder is damaged.
  public static let brokenFile = DiagnosticCode(
    "FIL0103", "broken-file", .error, "A file in a folder cannot be read.",
    why: "the file has content but is damaged; the other files were read",
    fix: "correct the file at the place shown, or restore it from a backup")

  static let files = [foreignFile, unreadFile, brokenFile]

  static let intake = [
    blankTitle, nulCharacter, bodyTooDeep, documentInString, typeWithoutDocument, numberTooLarge, moreInRequest,
    documentOfOtherType, forkingIsFixed, idTwice,
  ]

  /// The text is not JSON.
  public static let notJSON = DiagnosticCode(
    "JSN0001", "not-json", .error, "The text is not JSON.",
    why: "JSON has one strict grammar (RFC 8259); lenient readers interpret such text differently",
    fix: "correct the text at the place shown")
  /// A member name occurs twice in one object.
  public static let duplicateMember = DiagnosticCode(
    "JSN0002", "duplicate-member", .error, "An object has the same member name twice.",
    why: "readers disagree about which of the two to use, so one of them may be lost",
    fix: "keep one of the two")

  static let jsonText = [notJSON, duplicateMember]

  /// A row that does not fit its table.
  public static let unusableRow = DiagnosticCode(
    "TBL0111", "unusable-row", .error, "A row does not fit its table.",
    why: "it is not clear which cell belongs to which column",
    fix: "correct the row in the table, or in the rejects file of an import, which import --retry reads")

  /// A source cannot be read completely.
  public static let unreadableSource = DiagnosticCode(
    "VAL0101", "unreadable-source", .error, "A source cannot be read completely.",
    why: "the unread part was not checked",
    fix: "correct the source, or leave it out")

  /// The text is not YAML.
  public static let notYAML = DiagnosticCode(
    "VAL0102", "not-yaml", .error, "The text is not valid, unambiguous YAML.",
    why: "lenient readers interpret such text differently",
    fix: "correct the text at the place shown")

  /// An item was checked against a schema for documents.
  public static let schemaOfAnotherShape = DiagnosticCode(
    "VAL0103", "schema-of-another-shape", .warning, "The schema does not describe a whole item.",
    why: "this schema describes only an item's document, which is in content_data",
    fix: "use --schema library-item for whole items")

  static let validating = [unreadableSource, notYAML, schemaOfAnotherShape]
}
