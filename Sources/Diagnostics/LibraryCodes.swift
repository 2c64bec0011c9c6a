extension DiagnosticCode {
  // MARK: Checklist content

  /// A checklist's content is not JSON.
  public static let contentNotJSON = DiagnosticCode(
    "LIB0101", "content-not-json", .error, "A checklist's content column is not JSON.",
    why: "the app shows this checklist as empty and overwrites it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes back what can be read and keeps the original beside the library; converting does so in a copy"
  )
  /// A checklist's content is JSON but no list of sections.
  public static let contentNotSections = DiagnosticCode(
    "LIB0102", "content-not-sections", .error, "A checklist's content is no array of sections.",
    why: "the app shows this checklist as empty and overwrites it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes back the sections that are there and keeps the original; converting does so in a copy"
  )
  /// A member that the app requires is missing.
  public static let missingMember = DiagnosticCode(
    "LIB0103", "missing-member", .error, "A section, item or card lacks a member that the app requires.",
    why: "one such gap makes the app show the whole checklist as empty and overwrite it at the next edit",
    fix: "'fleetkit doctor --repair' fills in the default; converting does so in a copy")
  /// A value has a type that the app does not decode.
  public static let wrongType = DiagnosticCode(
    "LIB0104", "wrong-type", .error, "A value has a type that the app does not decode.",
    why: "one such value makes the app show the whole column as empty and overwrite it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes the nearest value of the right type and keeps the original where it said more; converting does so in a copy"
  )
  /// A section's or item's id is not a UUID.
  public static let itemIDNotUUID = DiagnosticCode(
    "LIB0105", "item-id-not-uuid", .error, "A section's or item's id is not a UUID.",
    why: "it makes the app show the whole checklist as empty; ticks that hang on the id are dropped",
    fix:
      "'fleetkit doctor --repair' puts a UUID derived from the old id in its place, in ticks too; converting does so in a copy"
  )
  /// Two sections or items of one checklist share an id.
  public static let duplicateItemID = DiagnosticCode(
    "LIB0106", "duplicate-item-id", .warning, "Two sections or items of a checklist have the same id.",
    why: "ticking one ticks the other",
    fix: "'fleetkit doctor --repair' gives the second one a new id; ticks stay with the first")
  /// A section's or item's id is not upper-case.
  public static let itemIDCase = DiagnosticCode(
    "LIB0107", "item-id-case", .note, "A section's or item's id is not in upper case.",
    why: "the app reads it and writes it back in upper case",
    fix: "nothing needs to be done")
  /// A member that the app does not know.
  public static let unknownMember = DiagnosticCode(
    "LIB0108", "unknown-member", .warning, "The content has members that the app does not know.",
    why: "the app drops them when it next saves the checklist; FleetKit keeps them",
    fix:
      "nothing needs to be done for FleetKit; 'fleetkit doctor --repair' moves them out and keeps them beside the library"
  )

  /// A checklist without any section.
  public static let contentEmpty = DiagnosticCode(
    "LIB0109", "content-empty", .note, "A checklist has no sections at all.",
    why:
      "early versions saved a checklist that they could not encode as \"[]\"; its steps are then gone from the library",
    fix: "if it had steps once, look for them in a backup; a checklist that was always empty needs nothing")

  /// A part of a damaged text that could not be recovered.
  public static let partLost = DiagnosticCode(
    "LIB0110", "part-lost", .error, "A part of a damaged JSON text is lost.",
    why: "bytes of it were overwritten or cut off; everything around them is recovered, nothing is guessed",
    fix:
      "compare with the original, which is kept, or with a backup; 'fleetkit doctor --repair' writes back what is left")

  // MARK: Columns

  /// A tags column is no array of strings.
  public static let tagsNotStrings = DiagnosticCode(
    "LIB0201", "tags-not-strings", .error, "A tags column is no JSON array of strings.",
    why: "the app sees no tags at all and writes none back",
    fix:
      "'fleetkit doctor --repair' writes the tags that can be read and keeps the original; converting does so in a copy"
  )
  /// A date that the app cannot decode.
  public static let dateUndecodable = DiagnosticCode(
    "LIB0301", "date-undecodable", .error, "A date column holds something that the app cannot decode.",
    why: "one such date empties the whole table for the app",
    fix:
      "'fleetkit doctor --repair' writes the date if it can be understood, else another time of the record, and keeps the original"
  )
  /// A date in another form than the app's.
  public static let dateNotCanonical = DiagnosticCode(
    "LIB0302", "date-not-canonical", .warning, "A date is not written as YYYY-MM-DD HH:MM:SS.SSS.",
    why: "the app sorts dates as text, so this one stands in the wrong place",
    fix: "'fleetkit doctor --repair' writes it in the app's form; converting does so in a copy")
  /// A date with a month or day that does not exist.
  public static let dateRollsOver = DiagnosticCode(
    "LIB0303", "date-rolls-over", .warning, "A date has a month, day or hour that does not exist.",
    why: "the app silently counts on into the next year, month or day",
    fix: "check the date that is shown")
  /// An enumeration has a value that the app does not know.
  public static let unknownValue = DiagnosticCode(
    "LIB0401", "unknown-value", .warning, "A column has a value that this app version does not know.",
    why: "the app falls back to its default and writes that back",
    fix: "nothing needs to be done: the value is kept (that of a type in the bundle's extras.raw.type)")
  /// A row's id is a UUID but not upper-case.
  public static let idCase = DiagnosticCode(
    "LIB0501", "id-case", .error, "A row's id is not in upper case.",
    why: "the app lists the item but cannot open it, and pinning it makes a duplicate",
    fix: "'fleetkit doctor --repair' writes it in upper case, wherever it occurs; converting does so in a copy")
  /// A row's id is no UUID.
  public static let idNotUUID = DiagnosticCode(
    "LIB0502", "id-not-uuid", .error, "A row's id is not a UUID.",
    why: "the app makes up a new id at every read, so it can neither open nor save nor delete the row",
    fix:
      "'fleetkit doctor --repair' gives it a UUID derived from its text, wherever it occurs; converting does so in a copy"
  )
  /// The all-zero creator in a schema that has none.
  public static let zeroCreator = DiagnosticCode(
    "LIB0503", "zero-creator", .note, "A creatorID is all zeros.",
    why: "before v1.9.0 that meant nobody; since then nobody is NULL",
    fix: "nothing needs to be done: it is read as nobody")
  /// A column holds a kind of value that its type does not allow.
  public static let unexpectedStorage = DiagnosticCode(
    "LIB0904", "unexpected-storage", .error, "A column holds a kind of value that the app never writes.",
    why: "the app fails to read the row, and with it the table",
    fix: "'fleetkit doctor --repair' writes the nearest value and keeps the original; converting does so in a copy")
  /// Text that is not UTF-8.
  public static let textNotUTF8 = DiagnosticCode(
    "LIB0905", "text-not-utf8", .error, "A text is not UTF-8.",
    why: "nobody can say which characters were meant; readers replace them differently",
    fix: "correct the text; the original bytes are kept in the bundle")
  /// Public metadata that the app cannot decode.
  public static let publicMetadataUndecodable = DiagnosticCode(
    "LIB0906", "public-metadata-undecodable", .error, "publicMetadata cannot be decoded by the app.",
    why: "the app sees no publication, so a published item looks private and cannot be withdrawn",
    fix: "'fleetkit doctor --repair' makes it anew from what is known about the publication")

  // MARK: Rows that belong together

  /// Metadata without a body.
  public static let metadataWithoutBody = DiagnosticCode(
    "LIB0601", "metadata-without-body", .error, "An item is listed but has no body.",
    why: "the app lists it and cannot open it",
    fix:
      "restore the body from a backup; 'fleetkit doctor --repair' takes it from the queue if it is there, else moves the item to quarantine"
  )
  /// A body without metadata.
  public static let bodyWithoutMetadata = DiagnosticCode(
    "LIB0602", "body-without-metadata", .error, "A body has no metadata.",
    why: "it is invisible in the app",
    fix:
      "'fleetkit doctor --repair' makes it an item again, with the body's own title, tags and times; converting does so in a copy"
  )
  /// The metadata names another type than the body has.
  public static let bodyOfOtherType = DiagnosticCode(
    "LIB0603", "body-of-other-type", .error, "The metadata names another type than the body has.",
    why: "the app lists it and cannot open it",
    fix: "'fleetkit doctor --repair' lets the body decide; converting does so in a copy")
  /// One id has a checklist and a guide.
  public static let twoBodies = DiagnosticCode(
    "LIB0604", "two-bodies", .warning, "One id has both a checklist and a guide.",
    why: "the app opens the one that the metadata names; the other is invisible",
    fix: "'fleetkit doctor --repair' makes an item of its own of it; a bundle keeps it under extras")

  // MARK: Executions

  /// Item states that the app cannot decode.
  public static let itemStatesUndecodable = DiagnosticCode(
    "LIB0701", "item-states-undecodable", .error, "The ticks of a checklist cannot be decoded.",
    why: "the app then loads no ticks at all for this charter, and ticking fails",
    fix:
      "'fleetkit doctor --repair' writes back the ticks that can be read and keeps the original; converting does so in a copy"
  )
  /// A key of the item states is no UUID.
  public static let itemStateKeyNotUUID = DiagnosticCode(
    "LIB0702", "item-state-key-not-uuid", .error, "A tick hangs on an id that is not a UUID.",
    why: "the app drops it",
    fix: "'fleetkit doctor --repair' hangs it on the UUID that the item's id becomes; a bundle keeps it")
  /// A tick for an item that the checklist does not have.
  public static let itemStateWithoutItem = DiagnosticCode(
    "LIB0703", "item-state-without-item", .warning, "A tick belongs to an item that is not in the checklist.",
    why: "it is invisible but still counts in the progress",
    fix: "nothing needs to be done for FleetKit, which keeps it; 'fleetkit doctor --repair' moves it to quarantine")
  /// A tick time with a fraction.
  public static let itemStateDateNotStrict = DiagnosticCode(
    "LIB0704", "item-state-date-not-strict", .error, "A tick's time is not YYYY-MM-DDTHH:MM:SSZ.",
    why: "Apple's decoder refuses it, and with it every tick of the row",
    fix: "'fleetkit doctor --repair' writes it in whole seconds; converting does so in a copy")
  /// An execution of a checklist that is gone.
  public static let executionWithoutChecklist = DiagnosticCode(
    "LIB0705", "execution-without-checklist", .warning, "Ticks belong to a checklist that is not there.",
    why: "the app never shows them",
    fix: "nothing needs to be done for FleetKit, which keeps them; 'fleetkit doctor --repair' moves them to quarantine")
  /// An execution of a charter that is gone.
  public static let executionWithoutCharter = DiagnosticCode(
    "LIB0706", "execution-without-charter", .error, "Ticks belong to a charter that is not there.",
    why: "the foreign key is violated: with an upgrade to come, the app cannot open the library at all",
    fix:
      "'fleetkit doctor --repair' moves the ticks to quarantine; with the charter restored they can be imported again")
  /// A lower-case key in the item states.
  public static let itemStateKeyCase = DiagnosticCode(
    "LIB0707", "item-state-key-case", .note, "A tick's item id is not in upper case.",
    why: "the app reads it and writes it back in upper case",
    fix: "nothing needs to be done")

  // MARK: The queue

  /// A queue payload that is not JSON or lacks what a request needs.
  public static let payloadUndecodable = DiagnosticCode(
    "LIB0801", "payload-undecodable", .error, "A queued operation's payload cannot be sent.",
    why: "the app sends an empty request, calls it success, and nothing is published",
    fix: "'fleetkit doctor --repair' builds the payload anew; or publish the item again")
  /// An unpublish operation that does not say what.
  public static let payloadMissing = DiagnosticCode(
    "LIB0802", "payload-missing", .error, "A queued unpublish does not say which publication it means.",
    why: "the app marks it as done without any request, and the content stays public",
    fix: "'fleetkit doctor --repair' finds the public id in an earlier publish operation of the same item")
  /// A payload whose document cannot be forked.
  public static let payloadNotForkable = DiagnosticCode(
    "LIB0803", "payload-not-forkable", .warning, "A payload has dates that are numbers.",
    why: "content published this way cannot be decoded by people who fork it",
    fix:
      "'fleetkit doctor --repair' writes them as text where the operation waits; of what was sent, publish an update"
  )
  /// The early queue with snake_case columns.
  public static let queueColumnsSnakeCase = DiagnosticCode(
    "LIB0804", "queue-columns-snake-case", .error, "sync_queue has the column names of an early build.",
    why: "the app cannot read its queue, so nothing is published or withdrawn",
    fix: "'fleetkit doctor --repair' gives them today's names; converting makes a library with today's columns")
  /// An operation for content that is gone.
  public static let operationWithoutContent = DiagnosticCode(
    "LIB0805", "operation-without-content", .error, "A queued operation belongs to content that is not there.",
    why: "the foreign key is violated: with an upgrade to come, the app cannot open the library at all",
    fix: "'fleetkit doctor --repair' moves the operation to quarantine")

  /// An operation that was refused for good and is tried all the same.
  public static let terminalErrorRetried = DiagnosticCode(
    "LIB0806", "terminal-error-retried", .warning,
    "An operation is tried again although the registry refused it for good.",
    why: "it fails every time, and the item never says that it failed",
    fix: "'fleetkit doctor --repair' gives it up and marks the item as failed; publish it under another public id")
  /// A publication that was withdrawn before it was ever sent.
  public static let operationsCancelOut = DiagnosticCode(
    "LIB0807", "operations-cancel-out", .warning,
    "A publication was withdrawn before it was ever sent; both still wait.",
    why: "the next run would publish what its owner had withdrawn, if only for a moment",
    fix: "'fleetkit doctor --repair' takes both out of the queue")
  /// An operation that a later one makes pointless.
  public static let operationSuperseded = DiagnosticCode(
    "LIB0808", "operation-superseded", .warning, "A waiting operation is overtaken by a later one of the same item.",
    why: "sent after all, it would undo for a moment what its owner did last, or fail",
    fix: "'fleetkit doctor --repair' takes it out of the queue")
  /// An item that waits for an operation that nobody will send.
  public static let statusStuck = DiagnosticCode(
    "LIB0809", "status-stuck", .warning, "An item's sync status does not fit the queue.",
    why: "the app shows it as waiting, or as done, though the queue says something else; it stays so for ever",
    fix: "'fleetkit doctor --repair' sets the status that the queue stands for")
  /// An item that was sent and does not know it.
  public static let statusBehind = DiagnosticCode(
    "LIB0810", "status-behind", .warning, "An item was sent, was not changed since, and is not marked as synced.",
    why: "the app shows it as waiting for ever",
    fix: "'fleetkit doctor --repair' marks it as synced")
  /// A queued publication that must not be sent as it is.
  public static let publicationRefused = DiagnosticCode(
    "LIB0811", "publication-refused", .warning, "A queued publication breaks a rule of publishing.",
    why: "nothing is published that has not passed validation; the operation waits until the item is corrected",
    fix: "correct the item in the app and publish it again")
  /// A withdrawal that was marked as done and never sent.
  public static let withdrawalNotSent = DiagnosticCode(
    "LIB0812", "withdrawal-not-sent", .error, "A withdrawal is marked as done, but nothing was ever sent.",
    why: "the item looks private, and its content is still public",
    fix: "'fleetkit doctor --repair' queues the withdrawal again, with the public id of the publication")
  /// A public item that the app cannot withdraw.
  public static let publicWithoutRow = DiagnosticCode(
    "LIB0813", "public-without-row", .error, "An item is public, and the queue has no publication of it.",
    why: "the app skips a withdrawal of such an item and reports success, and the item stays public",
    fix: "'fleetkit doctor --repair' writes the row that the app looks for")
  /// A public item without a public id.
  public static let publicWithoutID = DiagnosticCode(
    "LIB0814", "public-without-id", .error, "An item is marked as public and has no public id.",
    why: "the app can neither update nor withdraw it",
    fix: "'fleetkit doctor --repair' makes it private; publish it again if it is meant to be public")

  // MARK: The file

  /// The library is newer than this FleetKit.
  public static let newerLibrary = DiagnosticCode(
    "LIB0901", "newer-library", .warning, "The library was written by a newer app.",
    why: "what this FleetKit does not know is kept as extras, but it cannot say what it means",
    fix: "update FleetKit before writing such a library")
  /// A table that FleetKit does not know.
  public static let unknownTable = DiagnosticCode(
    "LIB0902", "unknown-table", .warning, "The library has a table that FleetKit does not know.",
    why: "its rows travel in bundles as foreign records; a new library cannot hold them",
    fix: "update FleetKit if the table matters to you")
  /// A column that FleetKit does not know.
  public static let unknownColumn = DiagnosticCode(
    "LIB0903", "unknown-column", .warning, "A table has a column that FleetKit does not know.",
    why: "its values travel in bundles under extras.columns; a new library cannot hold them",
    fix: "update FleetKit if the column matters to you")
  /// The file was read through a private copy.
  public static let readThroughCopy = DiagnosticCode(
    "LIB0907", "read-through-copy", .note, "The library was read through a private copy.",
    why: "a journal or write-ahead log lies beside it, and reading in place would change the files",
    fix: "nothing needs to be done; keep the files beside the library together with it")
  /// The list of migrations has gaps.
  public static let migrationsIncomplete = DiagnosticCode(
    "LIB0908", "migrations-incomplete", .error, "grdb_migrations does not fit the tables that are there.",
    why: "the app runs the missing step again, fails (\"already exists\") and cannot open the library",
    fix: "'fleetkit doctor --repair' lists the steps that have run; converting makes a library with the full list")

  /// A table lacks a column that every version of the app has.
  public static let columnMissing = DiagnosticCode(
    "LIB0909", "column-missing", .error, "A table lacks a column that every version of the app has.",
    why: "the app cannot read the table, so everything in it seems to be gone",
    fix: "restore a backup; what the other columns hold is read, with the missing one empty")

  /// A row that refers to one that is not there, in a table that has no code of its own for it.
  public static let foreignKeyViolated = DiagnosticCode(
    "LIB0910", "foreign-key-violated", .error, "A row refers to a row that is not there.",
    why: "the foreign key is violated: with an upgrade to come, the app cannot open the library at all",
    fix: "'fleetkit doctor --repair' moves the row into quarantine")

  /// A generated column, or an index that is partial or has expressions, which the app never makes.
  public static let computedSchema = DiagnosticCode(
    "LIB0911", "computed-schema", .warning, "The schema defines values that SQLite would compute.",
    why: "the app makes no such column or index; evaluating it would run what its maker wrote, so it is not read",
    fix: "remove it if you know it; FleetKit does not change a library that has one")

  /// A record in a library's store that is not what FleetKit wrote.
  public static let storedRecordUnreadable = DiagnosticCode(
    "LIB0912", "stored-record-unreadable", .error, "A record in the library's store cannot be read.",
    why: "state.sqlite keeps decks and other records as lines of JSON; this line is damaged, so the record is rejected",
    fix: "restore the library's sidecar folder from a backup")

  /// A library's store is damaged.
  public static let storeDamaged = DiagnosticCode(
    "LIB0913", "store-damaged", .error, "The library's store is damaged.",
    why: "state.sqlite keeps decks, what ran, and what imports compare with; commands that need it fail",
    fix: "restore the library's sidecar folder from a backup, or move state.sqlite away to start with an empty one")

  /// A text with more combining marks in a row than any record may have.
  public static let endlessMarks = DiagnosticCode(
    "LIB0914", "endless-marks", .error, "A text has more combining marks in a row than a record may have.",
    why: "comparing such texts takes minutes; the marks beyond the limit are left out of what is read",
    fix: "correct the text; the original bytes are kept in the bundle")

  static let library = [
    contentNotJSON, contentNotSections, missingMember, wrongType, itemIDNotUUID, duplicateItemID, itemIDCase,
    unknownMember, contentEmpty, partLost, tagsNotStrings, dateUndecodable, dateNotCanonical, dateRollsOver,
    unknownValue, idCase,
    idNotUUID, zeroCreator, metadataWithoutBody, bodyWithoutMetadata, bodyOfOtherType, twoBodies,
    itemStatesUndecodable, itemStateKeyNotUUID, itemStateWithoutItem, itemStateDateNotStrict,
    executionWithoutChecklist, executionWithoutCharter, itemStateKeyCase, payloadUndecodable, payloadMissing,
    payloadNotForkable, queueColumnsSnakeCase, operationWithoutContent, terminalErrorRetried,
    operationsCancelOut, operationSuperseded, statusStuck, statusBehind, publicationRefused, withdrawalNotSent,
    publicWithoutRow, publicWithoutID,
    newerLibrary, unknownTable,
    unknownColumn, unexpectedStorage, textNotUTF8, publicMetadataUndecodable, readThroughCopy,
    migrationsIncomplete, columnMissing, foreignKeyViolated, computedSchema, storedRecordUnreadable, storeDamaged,
    endlessMarks,
  ]
}

/// What is wrong with a backup.
extension DiagnosticCode {
  /// A line of `data/index.jsonl` cannot be used.
  public static let backupIndex = DiagnosticCode(
    "BKP0101", "backup-index", .error, "A line of a backup's index is not what an index has.",
    why: "without the index nobody can prove that everything comes back",
    fix: "make a new backup; restore an older one if the library is gone")

  /// The index and `data/pack.json` do not count the same.
  public static let backupCounts = DiagnosticCode(
    "BKP0102", "backup-counts", .error, "A backup does not hold as many records as it says.",
    why: "one of the two was changed, or the backup was never complete",
    fix: "make a new backup; restore an older one if the library is gone")

  /// A backup that an incremental one needs is missing or another one.
  public static let backupParent = DiagnosticCode(
    "BKP0103", "backup-parent", .warning, "A backup that an incremental one needs is not there.",
    why: "an incremental backup holds what has changed and nothing else: it cannot be restored alone",
    fix: "put the whole chain into one folder, or make a full backup")

  /// A record of the index is not in what was restored.
  public static let recordNotRestored = DiagnosticCode(
    "BKP0201", "record-not-restored", .error, "A record of the index did not come back.",
    why: "what is restored would lack it", fix: "verify an older backup, and make a new one")

  /// A record came back that the index does not have.
  public static let recordNotInIndex = DiagnosticCode(
    "BKP0202", "record-not-in-index", .error, "A record came back that the index does not have.",
    why: "somebody put it there after the backup was made", fix: "verify an older backup, and make a new one")

  /// A record came back changed.
  public static let recordRestoredDifferently = DiagnosticCode(
    "BKP0203", "record-restored-differently", .error, "A record came back with other content than the index says.",
    why: "what is restored would not be what was backed up", fix: "verify an older backup, and make a new one")

  /// What lies beside the library, or the bytes of an attachment, did not come back.
  public static let besideNotRestored = DiagnosticCode(
    "BKP0204", "beside-not-restored", .error, "What lay beside the library did not come back as it was.",
    why: "decks or attachments would be missing or changed", fix: "verify an older backup, and make a new one")

  static let backup = [
    backupIndex, backupCounts, backupParent, recordNotRestored, recordNotInIndex, recordRestoredDifferently,
    besideNotRestored,
  ]

  /// The library has another version of a record, and nobody can say which is newer.
  public static let importConflict = DiagnosticCode(
    "IMP0101", "import-conflict", .error, "The library has another version of a record.",
    why: "one of the two would be lost; the library's stays, the other is in the rejects file",
    fix: "give updated_at in the source, or import it with --theirs (or --ours), or --on-conflict replace (or keep)")
  /// A published item would be replaced.
  public static let publishedNotReplaced = DiagnosticCode(
    "IMP0102", "published-not-replaced", .error, "A published item is not replaced.",
    why: "people who follow the publication would find another text under its address",
    fix: "unpublish it in the app first, or import with --on-conflict newest, which counts as an edit")
  /// An item was published where it comes from.
  public static let publicationLeftOut = DiagnosticCode(
    "IMP0103", "publication-left-out", .note, "A record was published where it comes from; here it arrives private.",
    why: "an import brings content, never publication: nothing leaves the device unless its owner says so",
    fix: "publish it in the app if you want to share it")

  /// An item without a body.
  public static let itemWithoutBody = DiagnosticCode(
    "IMP0104", "item-without-body", .error, "An item has no body, and the library has none for it.",
    why: "the app would list it and could not open it",
    fix: "add content_data, from a backup for example, and import the rejected record again")

  /// A source does not have any more what came from it.
  public static let goneFromSource = DiagnosticCode(
    "IMP0105", "gone-from-source", .warning, "The source does not have any more what an earlier import took from it.",
    why: "an import never deletes: what was left out by mistake would be lost",
    fix: "delete it in the app if it is to go; export writes it into the vault again")

  /// Steps go that charters have ticks or notes on.
  public static let ticksWithoutStep = DiagnosticCode(
    "IMP0106", "ticks-without-step", .warning, "Steps go that a charter has ticks or notes on.",
    why: "the source does not have them any more; the ticks and notes stay in the charter, and no step shows them",
    fix: "try it with --dry-run first; a step that only got another title is the same one when the source gives its id "
      + "(an export has it); 'fleetkit doctor' lists ticks without a step")

  /// A file says nothing but what the library has from another one.
  public static let sameContentAgain = DiagnosticCode(
    "IMP0107", "same-content-again", .warning, "All of a file is in the library already, from elsewhere.",
    why: "two files side by side are two sources, so all of it is in the library twice",
    fix: "if the file was renamed, take the old one away before you import the new one; delete in the app what came "
      + "twice; --dry-run shows it beforehand")

  /// Steps that were deleted in a table of which a row was rejected.
  public static let keptForRejected = DiagnosticCode(
    "IMP0108", "kept-for-rejected", .warning,
    "Steps that a table does not have any more were kept, because a row of their checklist was rejected.",
    why: "the row that was rejected may be the row of one of them; nothing goes because a row could not be read",
    fix: "correct the row in the table and import the table again: what was deleted in it goes then")

  /// A note is an item that the library has from another path.
  public static let renamedNote = DiagnosticCode(
    "IMP0109", "renamed-note", .note, "A note was taken for an item that the library has from another path.",
    why: "the note there is gone, and most of its text is here",
    fix: "nothing to do; if they are different items, 'fleetkit undo' takes the import back")

  /// A note may be an item that the library has from another path.
  public static let maybeRenamed = DiagnosticCode(
    "IMP0110", "maybe-renamed", .warning, "A new item may be one that the library has from another path.",
    why: "the note there is gone, and most of its text is here; only you know whether it was renamed",
    fix: "if it is the same item, take the import back with 'fleetkit undo', and import again with --yes")

  static let importing = [
    importConflict, publishedNotReplaced, publicationLeftOut, itemWithoutBody, goneFromSource, ticksWithoutStep,
    sameContentAgain, keptForRejected, renamedNote, maybeRenamed,
  ]

  /// Both sides of a merge changed the same thing, and differently.
  public static let mergeConflict = DiagnosticCode(
    "MRG0101", "merge-conflict", .error, "Both sides changed the same thing since the last import, and differently.",
    why: "nobody can say which is right: the library's record stays whole, the source's is in the rejects file",
    fix: "look at the page of conflicts beside the rejects; change one of the sides and import again, or let one win "
      + "with --ours (the library) or --theirs (the source)")

  /// One side of a record was taken whole, because nobody remembers what both come from.
  public static let takenWhole = DiagnosticCode(
    "MRG0102", "taken-whole", .warning,
    "Records were taken or left whole, because one side is newer and no base is known.",
    why:
      "what the older side alone had is not in the library now; what was written over is in the file of replaced records",
    fix: "import with --interactive, --ours or --theirs to merge such records, or always from the same place")

  static let merging = [mergeConflict, takenWhole]

  /// A value that was read back is another one.
  public static let unprovedValue = DiagnosticCode(
    "RUN0301", "unproved-value", .error, "A value that was read back is not what the source says.",
    why: "neither the list of losses nor the target's format explains it: what was written is not a faithful copy",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// A record is missing, or is one too many.
  public static let unprovedRecord = DiagnosticCode(
    "RUN0302", "unproved-record", .error, "A record is missing from what was read back, or is one too many.",
    why: "neither the list of losses nor the list of rejects explains it: what was written is not a faithful copy",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// What was written cannot be read.
  public static let unprovedUnreadable = DiagnosticCode(
    "RUN0303", "unproved-unreadable", .error, "A record that was written cannot be read back.",
    why: "whoever opens the target would not find it",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// What proofs find.
  public static let proof: [DiagnosticCode] = [.unprovedValue, .unprovedRecord, .unprovedUnreadable]

  /// A second record with the id of an earlier one.
  public static let duplicateRecord = DiagnosticCode(
    "WRT0101", "duplicate-record", .error, "Two records have the same id.",
    why: "a library holds one row for an id; the first is kept, the second rejected",
    fix: "remove one of the two, or give one a new id")
  /// A record that refers to one that is not there.
  public static let missingReference = DiagnosticCode(
    "WRT0102", "missing-reference", .error, "A record refers to one that is not there.",
    why: "the library's foreign keys forbid it, and the app cannot open a library that violates them",
    fix: "add the record that it refers to, or leave this one out")
  /// A time was needed and none was given.
  public static let timeOfRun = DiagnosticCode(
    "WRT0103", "time-of-run", .note, "A record lacks a time; another of its times or the time of this run was written.",
    why: "the app's table requires one",
    fix: "set created_at and updated_at if they matter")

  /// A value that the app's table requires and nothing can stand in for.
  public static let valueMissing = DiagnosticCode(
    "WRT0104", "value-missing", .error, "A record lacks a value that the app's table requires.",
    why: "a value that is made up would be a lie in a log",
    fix: "add the value and convert the rejected record again")

  static let writing = [duplicateRecord, missingReference, timeOfRun, valueMissing]
}
