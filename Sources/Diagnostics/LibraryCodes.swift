extension DiagnosticCode {
  // MARK: Checklist content

  /// A checklist's content is not JSON.
  public static let contentNotJSON = DiagnosticCode(
    "LIB0101", "content-not-json", .error, "A checklist's content column is not JSON.",
    why: "the app shows this checklist as empty and overwrites it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes back what can be read and keeps the original next to the library; converting "
      + "does so in a copy"
  )
  /// A checklist's content is JSON but not a list of sections.
  public static let contentNotSections = DiagnosticCode(
    "LIB0102", "content-not-sections", .error, "A checklist's content is not an array of sections.",
    why: "the app shows this checklist as empty and overwrites it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes back the existing sections and keeps the original; converting does so in a "
      + "copy"
  )
  /// A member that the app requires is missing.
  public static let missingMember = DiagnosticCode(
    "LIB0103", "missing-member", .error, "A section, item or card lacks a member that the app requires.",
    why: "because of it the app shows the whole checklist as empty and overwrites it at the next edit",
    fix: "'fleetkit doctor --repair' fills in the default; converting does so in a copy")
  /// A value has a type that the app does not decode.
  public static let wrongType = DiagnosticCode(
    "LIB0104", "wrong-type", .error, "A value has a type that the app does not decode.",
    why: "because of it the app shows the whole column as empty and overwrites it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes the nearest value of the right type and keeps an original that contained "
      + "more; converting does so in a copy"
  )
  /// A section's or item's id is not a UUID.
  public static let itemIDNotUUID = DiagnosticCode(
    "LIB0105", "item-id-not-uuid", .error, "A section's or item's id is not a UUID.",
    why: "because of it the app shows the whole checklist as empty; ticks with this id are dropped",
    fix:
      "'fleetkit doctor --repair' replaces it with a UUID derived from the old id, also in ticks; converting does so "
      + "in a copy"
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
  /// A member that the app does not support.
  public static let unknownMember = DiagnosticCode(
    "LIB0108", "unknown-member", .warning, "The content has members that the app does not support.",
    why: "the app drops them when it next saves the checklist; FleetKit keeps them",
    fix:
      "nothing needs to be done for FleetKit; 'fleetkit doctor --repair' moves them to a file next to the library"
  )

  /// A checklist without any section.
  public static let contentEmpty = DiagnosticCode(
    "LIB0109", "content-empty", .note, "A checklist has no sections at all.",
    why:
      "early versions saved a checklist that they could not encode as \"[]\"; then its steps are not in the library",
    fix: "if it had steps before, look for them in a backup; if it was always empty, nothing needs to be done")

  /// A part of a damaged text that could not be recovered.
  public static let partLost = DiagnosticCode(
    "LIB0110", "part-lost", .error, "A part of a damaged JSON text is lost.",
    why: "some bytes were overwritten or cut off; everything around them is recovered, nothing is guessed",
    fix:
      "compare it with the original, which is kept, or with a backup; 'fleetkit doctor --repair' writes back the rest")

  // MARK: Columns

  /// A tags column is not an array of strings.
  public static let tagsNotStrings = DiagnosticCode(
    "LIB0201", "tags-not-strings", .error, "A tags column is not a JSON array of strings.",
    why: "the app reads no tags at all and writes back an empty list",
    fix:
      "'fleetkit doctor --repair' writes the tags that can be read and keeps the original; converting does so in a copy"
  )
  /// A date that the app cannot decode.
  public static let dateUndecodable = DiagnosticCode(
    "LIB0301", "date-undecodable", .error, "A date column holds a value that the app cannot decode.",
    why: "because of it the app shows the whole table as empty",
    fix:
      "'fleetkit doctor --repair' writes the date if it can be parsed, otherwise another time of the record, and keeps "
      + "the original"
  )
  /// A date in another form than the app's.
  public static let dateNotCanonical = DiagnosticCode(
    "LIB0302", "date-not-canonical", .warning, "A date is not written as YYYY-MM-DD HH:MM:SS.SSS.",
    why: "the app sorts dates as text, so this one is sorted incorrectly",
    fix: "'fleetkit doctor --repair' writes it in the app's form; converting does so in a copy")
  /// A date with a month or day that does not exist.
  public static let dateRollsOver = DiagnosticCode(
    "LIB0303", "date-rolls-over", .warning, "A date has a month, day or hour that does not exist.",
    why: "the app silently rolls over into the next year, month or day",
    fix: "check the date shown")
  /// A column has an unknown value of an enumeration.
  public static let unknownValue = DiagnosticCode(
    "LIB0401", "unknown-value", .warning, "A column has a value that this version of the app does not support.",
    why: "the app uses its default instead and writes that back",
    fix: "nothing needs to be done; the value is kept (a type in the bundle's extras.raw.type)")
  /// A row's id is a UUID but not upper-case.
  public static let idCase = DiagnosticCode(
    "LIB0501", "id-case", .error, "A row's id is not in upper case.",
    why: "the app lists the item but cannot open it, and pinning it makes a duplicate",
    fix: "'fleetkit doctor --repair' writes it in upper case everywhere; converting does so in a copy")
  /// A row's id is not a UUID.
  public static let idNotUUID = DiagnosticCode(
    "LIB0502", "id-not-uuid", .error, "A row's id is not a UUID.",
    why: "the app makes up a new id at every read, so it can neither open nor save nor delete the row",
    fix:
      "'fleetkit doctor --repair' replaces it everywhere with a UUID derived from it; converting does so in a copy"
  )
  /// The all-zero creator in a schema that uses NULL instead.
  public static let zeroCreator = DiagnosticCode(
    "LIB0503", "zero-creator", .note, "A creatorID is all zeros.",
    why: "before v1.9.0 this was the placeholder for no author; since then it is NULL",
    fix: "nothing needs to be done; it is read as no author")
  /// A column holds a storage class that its type does not allow.
  public static let unexpectedStorage = DiagnosticCode(
    "LIB0904", "unexpected-storage", .error, "A column holds a type of value that the app never writes.",
    why: "the app cannot read the row, and therefore the whole table",
    fix: "'fleetkit doctor --repair' writes the nearest value and keeps the original; converting does so in a copy")
  /// Text that is not UTF-8.
  public static let textNotUTF8 = DiagnosticCode(
    "LIB0905", "text-not-utf8", .error, "A text is not UTF-8.",
    why: "the intended characters are unknown, and readers replace them differently",
    fix: "correct the text; the original bytes are kept in the bundle")
  /// Public metadata that the app cannot decode.
  public static let publicMetadataUndecodable = DiagnosticCode(
    "LIB0906", "public-metadata-undecodable", .error, "publicMetadata cannot be decoded by the app.",
    why: "the app finds no publication, so a published item appears private and cannot be withdrawn",
    fix: "'fleetkit doctor --repair' rebuilds it from the known data of the publication")

  // MARK: Related rows

  /// Metadata without a body.
  public static let metadataWithoutBody = DiagnosticCode(
    "LIB0601", "metadata-without-body", .error, "An item is listed but has no body.",
    why: "the app lists it but cannot open it",
    fix:
      "restore the body from a backup; 'fleetkit doctor --repair' takes it from the queue if possible, otherwise it "
      + "moves the item to quarantine"
  )
  /// A body without metadata.
  public static let bodyWithoutMetadata = DiagnosticCode(
    "LIB0602", "body-without-metadata", .error, "A body has no metadata.",
    why: "it is invisible in the app",
    fix:
      "'fleetkit doctor --repair' makes it an item again, with the body's title, tags and times; converting does so in "
      + "a copy"
  )
  /// The type in the metadata differs from the body's type.
  public static let bodyOfOtherType = DiagnosticCode(
    "LIB0603", "body-of-other-type", .error, "The type in an item's metadata differs from its body's type.",
    why: "the app lists it but cannot open it",
    fix: "'fleetkit doctor --repair' uses the body's type; converting does so in a copy")
  /// One id has a checklist and a guide.
  public static let twoBodies = DiagnosticCode(
    "LIB0604", "two-bodies", .warning, "One id has both a checklist and a guide.",
    why: "the app opens the one that the metadata names; the other is invisible",
    fix: "'fleetkit doctor --repair' makes it a separate item; a bundle keeps it under extras")

  // MARK: Executions

  /// Item states that the app cannot decode.
  public static let itemStatesUndecodable = DiagnosticCode(
    "LIB0701", "item-states-undecodable", .error, "The ticks of a checklist cannot be decoded.",
    why: "the app loads no ticks at all for this charter, and ticking fails",
    fix:
      "'fleetkit doctor --repair' writes back the ticks that can be read and keeps the original; converting does so in "
      + "a copy"
  )
  /// A key of the item states is not a UUID.
  public static let itemStateKeyNotUUID = DiagnosticCode(
    "LIB0702", "item-state-key-not-uuid", .error, "A tick has an item id that is not a UUID.",
    why: "the app drops it",
    fix: "'fleetkit doctor --repair' moves it to the UUID that replaces the item's id; a bundle keeps it")
  /// A tick for an item that the checklist does not have.
  public static let itemStateWithoutItem = DiagnosticCode(
    "LIB0703", "item-state-without-item", .warning, "A tick belongs to an item that is not in the checklist.",
    why: "it is not shown but counts in the progress",
    fix: "nothing needs to be done for FleetKit, which keeps it; 'fleetkit doctor --repair' moves it to quarantine")
  /// A tick time with a fraction.
  public static let itemStateDateNotStrict = DiagnosticCode(
    "LIB0704", "item-state-date-not-strict", .error, "A tick's time is not YYYY-MM-DDTHH:MM:SSZ.",
    why: "Apple's decoder refuses it, and therefore every tick of the row",
    fix: "'fleetkit doctor --repair' writes it in whole seconds; converting does so in a copy")
  /// An execution of a missing checklist.
  public static let executionWithoutChecklist = DiagnosticCode(
    "LIB0705", "execution-without-checklist", .warning, "Ticks belong to a checklist that does not exist.",
    why: "the app never shows them",
    fix: "nothing needs to be done for FleetKit, which keeps them; 'fleetkit doctor --repair' moves them to quarantine")
  /// An execution on a missing charter.
  public static let executionWithoutCharter = DiagnosticCode(
    "LIB0706", "execution-without-charter", .error, "Ticks belong to a charter that does not exist.",
    why: "the foreign key is violated; if an upgrade is pending, the app cannot open the library",
    fix:
      "'fleetkit doctor --repair' moves the ticks to quarantine; once the charter is restored, import them again")
  /// A lower-case key in the item states.
  public static let itemStateKeyCase = DiagnosticCode(
    "LIB0707", "item-state-key-case", .note, "A tick's item id is not in upper case.",
    why: "the app reads it and writes it back in upper case",
    fix: "nothing needs to be done")

  // MARK: The queue

  /// A queue payload is not JSON or lacks data that a request needs.
  public static let payloadUndecodable = DiagnosticCode(
    "LIB0801", "payload-undecodable", .error, "A queued operation's payload cannot be sent.",
    why: "the app sends an empty request, calls it success, and nothing is published",
    fix: "'fleetkit doctor --repair' rebuilds the payload; or publish the item again")
  /// An unpublish operation does not name a publication.
  public static let payloadMissing = DiagnosticCode(
    "LIB0802", "payload-missing", .error, "A queued unpublish does not name a publication.",
    why: "the app marks it as done without any request, and the content stays public",
    fix: "'fleetkit doctor --repair' finds the public id in an earlier publish operation of the same item")
  /// The document of a payload cannot be forked.
  public static let payloadNotForkable = DiagnosticCode(
    "LIB0803", "payload-not-forkable", .warning, "A payload has dates that are numbers.",
    why: "the app cannot decode such content when someone forks it",
    fix:
      "'fleetkit doctor --repair' writes them as text in waiting operations; for a sent one, publish an update"
  )
  /// The early queue with snake_case columns.
  public static let queueColumnsSnakeCase = DiagnosticCode(
    "LIB0804", "queue-columns-snake-case", .error, "sync_queue has the column names of an early build.",
    why: "the app cannot read its queue, so nothing is published or withdrawn",
    fix: "'fleetkit doctor --repair' renames the columns; converting makes a library with the current ones")
  /// An operation for missing content.
  public static let operationWithoutContent = DiagnosticCode(
    "LIB0805", "operation-without-content", .error, "A queued operation belongs to content that does not exist.",
    why: "the foreign key is violated; if an upgrade is pending, the app cannot open the library",
    fix: "'fleetkit doctor --repair' moves the operation to quarantine")

  /// An operation is retried although it was permanently refused.
  public static let terminalErrorRetried = DiagnosticCode(
    "LIB0806", "terminal-error-retried", .warning,
    "An operation is retried although the registry permanently refused it.",
    why: "it fails every time, and the item is never marked as failed",
    fix: "'fleetkit doctor --repair' marks it and the item as failed; publish the item under another public id")
  /// A publication was withdrawn before it was sent.
  public static let operationsCancelOut = DiagnosticCode(
    "LIB0807", "operations-cancel-out", .warning,
    "A publication was withdrawn before it was sent, and both operations are still queued.",
    why: "the next run would publish the withdrawn item, if only for a moment",
    fix: "'fleetkit doctor --repair' removes both from the queue")
  /// An operation is overtaken by a later one.
  public static let operationSuperseded = DiagnosticCode(
    "LIB0808", "operation-superseded", .warning, "A waiting operation is overtaken by a later one of the same item.",
    why: "if it were sent, it would temporarily undo the owner's last change, or fail",
    fix: "'fleetkit doctor --repair' removes it from the queue")
  /// An item waits for an operation that will never be sent.
  public static let statusStuck = DiagnosticCode(
    "LIB0809", "status-stuck", .warning, "An item's sync status contradicts the queue.",
    why: "the app permanently shows it as waiting, or as done, although the queue has another state",
    fix: "'fleetkit doctor --repair' sets the status that matches the queue")
  /// An item was sent but is not marked as synced.
  public static let statusBehind = DiagnosticCode(
    "LIB0810", "status-behind", .warning, "An item was sent, was not changed since, and is not marked as synced.",
    why: "the app permanently shows it as waiting",
    fix: "'fleetkit doctor --repair' marks it as synced")
  /// A queued publication must not be sent unchanged.
  public static let publicationRefused = DiagnosticCode(
    "LIB0811", "publication-refused", .warning, "A queued publication breaks a publish rule.",
    why: "only valid items are published; the operation waits until the item is corrected",
    fix: "correct the item in the app and publish it again")
  /// A withdrawal was marked as done but never sent.
  public static let withdrawalNotSent = DiagnosticCode(
    "LIB0812", "withdrawal-not-sent", .error, "A withdrawal is marked as done but was never sent.",
    why: "the item appears private, but its content is still public",
    fix: "'fleetkit doctor --repair' queues the withdrawal again, with the public id of the publication")
  /// The app cannot withdraw a public item.
  public static let publicWithoutRow = DiagnosticCode(
    "LIB0813", "public-without-row", .error, "An item is public, but the queue has no publication of it.",
    why: "the app skips the withdrawal of such an item and reports success, but the item stays public",
    fix: "'fleetkit doctor --repair' writes the row that the app requires")
  /// A public item has no public id.
  public static let publicWithoutID = DiagnosticCode(
    "LIB0814", "public-without-id", .error, "An item is marked as public but has no public id.",
    why: "the app can neither update nor withdraw it",
    fix: "'fleetkit doctor --repair' makes it private; publish it again if it should be public")

  // MARK: The file

  /// The library is newer than this FleetKit.
  public static let newerLibrary = DiagnosticCode(
    "LIB0901", "newer-library", .warning, "The library was written by a newer app.",
    why: "unknown members are kept as extras but not interpreted",
    fix: "update FleetKit before you write to this library")
  /// An unknown table.
  public static let unknownTable = DiagnosticCode(
    "LIB0902", "unknown-table", .warning, "The library has a table that FleetKit does not support.",
    why: "bundles keep its rows as foreign records; a new library cannot hold them",
    fix: "update FleetKit if you need the table")
  /// An unknown column.
  public static let unknownColumn = DiagnosticCode(
    "LIB0903", "unknown-column", .warning, "A table has a column that FleetKit does not support.",
    why: "bundles keep its values under extras.columns; a new library cannot hold them",
    fix: "update FleetKit if you need the column")
  /// The file was read through a private copy.
  public static let readThroughCopy = DiagnosticCode(
    "LIB0907", "read-through-copy", .note, "The library was read through a private copy.",
    why: "there is a journal or write-ahead log next to it, and reading in place would change the files",
    fix: "nothing needs to be done; keep these files together with the library")
  /// The list of migrations has gaps.
  public static let migrationsIncomplete = DiagnosticCode(
    "LIB0908", "migrations-incomplete", .error, "grdb_migrations does not match the existing tables.",
    why: "the app runs the missing step again, fails (\"already exists\") and cannot open the library",
    fix: "'fleetkit doctor --repair' adds the steps that have run; converting makes a library with the full list")

  /// A table lacks a column that every version of the app has.
  public static let columnMissing = DiagnosticCode(
    "LIB0909", "column-missing", .error, "A table lacks a column that every version of the app has.",
    why: "the app cannot read the table, so everything in it seems to be missing",
    fix: "restore a backup; FleetKit reads the other columns and leaves the missing one empty")

  /// A row refers to a missing row, in a table without a specific code for that.
  public static let foreignKeyViolated = DiagnosticCode(
    "LIB0910", "foreign-key-violated", .error, "A row refers to a row that does not exist.",
    why: "the foreign key is violated; if an upgrade is pending, the app cannot open the library",
    fix: "'fleetkit doctor --repair' moves the row to quarantine")

  /// A generated column, or an index that is partial or has expressions, which the app never makes.
  public static let computedSchema = DiagnosticCode(
    "LIB0911", "computed-schema", .warning, "The schema defines values that SQLite computes.",
    why: "the app makes no such column or index; reading it would run code from the file, so it is not read",
    fix: "remove it if you know what it is; FleetKit does not change a library that has one")

  /// A record in a library's store is damaged.
  public static let storedRecordUnreadable = DiagnosticCode(
    "LIB0912", "stored-record-unreadable", .error, "A record in the library's store cannot be read.",
    why: "state.sqlite keeps decks and other records as lines of JSON; this line is damaged, so the record is rejected",
    fix: "restore the library's sidecar folder from a backup")

  /// A library's store is damaged.
  public static let storeDamaged = DiagnosticCode(
    "LIB0913", "store-damaged", .error, "The library's store is damaged.",
    why: "state.sqlite stores decks, runs and the import history; commands that need it fail",
    fix: "restore the library's sidecar folder from a backup, or move state.sqlite away to start with an empty one")

  /// A text has more combining marks in a row than a record may have.
  public static let endlessMarks = DiagnosticCode(
    "LIB0914", "endless-marks", .error, "A text has more combining marks in a row than a record may have.",
    why: "comparing such texts takes minutes; marks beyond the limit are not read",
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

/// Findings about backups.
extension DiagnosticCode {
  /// A line of `data/index.jsonl` cannot be used.
  public static let backupIndex = DiagnosticCode(
    "BKP0101", "backup-index", .error, "Invalid line in a backup's index.",
    why: "without the index it cannot be proved that everything is restored",
    fix: "make a new backup; restore an older one if the library is gone")

  /// The counts in the index and in `data/pack.json` differ.
  public static let backupCounts = DiagnosticCode(
    "BKP0102", "backup-counts", .error, "The number of records in a backup differs from the number in its description.",
    why: "one of the two was changed, or the backup was never complete",
    fix: "make a new backup; restore an older one if the library is gone")

  /// A backup that an incremental one needs is missing or is a different one.
  public static let backupParent = DiagnosticCode(
    "BKP0103", "backup-parent", .warning, "A backup that an incremental one needs is missing.",
    why: "an incremental backup contains only changes, so it cannot be restored alone",
    fix: "put the whole chain into one folder, or make a full backup")

  /// A record of the index was not restored.
  public static let recordNotRestored = DiagnosticCode(
    "BKP0201", "record-not-restored", .error, "A record of the index was not restored.",
    why: "the restored library would lack it", fix: "verify an older backup, and make a new one")

  /// A restored record is not in the index.
  public static let recordNotInIndex = DiagnosticCode(
    "BKP0202", "record-not-in-index", .error, "A restored record is not in the index.",
    why: "it was added after the backup was made", fix: "verify an older backup, and make a new one")

  /// A record was restored with changes.
  public static let recordRestoredDifferently = DiagnosticCode(
    "BKP0203", "record-restored-differently", .error, "The content of a restored record does not match the index.",
    why: "the restored library would differ from the original", fix: "verify an older backup, and make a new one")

  /// Files next to the library, or the bytes of an attachment, were not restored.
  public static let besideNotRestored = DiagnosticCode(
    "BKP0204", "beside-not-restored", .error, "The files next to the library were not restored correctly.",
    why: "decks or attachments would be missing or changed", fix: "verify an older backup, and make a new one")

  static let backup = [
    backupIndex, backupCounts, backupParent, recordNotRestored, recordNotInIndex, recordRestoredDifferently,
    besideNotRestored,
  ]

  /// The library has another version of a record, and it is unknown which is newer.
  public static let importConflict = DiagnosticCode(
    "IMP0101", "import-conflict", .error, "The library has another version of a record.",
    why: "one of the two would be lost; the library's is kept, the other is in the rejects file",
    fix: "add updated_at in the source, or import it with --theirs (or --ours), or --on-conflict replace (or keep)")
  /// A published item would be replaced.
  public static let publishedNotReplaced = DiagnosticCode(
    "IMP0102", "published-not-replaced", .error, "A published item was not replaced.",
    why: "readers of the publication would find another text under its address",
    fix: "unpublish it in the app first, or import with --on-conflict newest, which counts as an edit")
  /// An item is published in its source.
  public static let publicationLeftOut = DiagnosticCode(
    "IMP0103", "publication-left-out", .note, "A record is published in its source; it was imported as private.",
    why: "an import never publishes: nothing leaves the device without the owner's decision",
    fix: "publish it in the app if you want to share it")

  /// An item without a body.
  public static let itemWithoutBody = DiagnosticCode(
    "IMP0104", "item-without-body", .error, "An item has no body, and the library does not have its body either.",
    why: "the app would list it but could not open it",
    fix: "add content_data, from a backup for example, and import the rejected record again")

  /// Content of an earlier import is no longer in its source.
  public static let goneFromSource = DiagnosticCode(
    "IMP0105", "gone-from-source", .warning, "Content of an earlier import is no longer in the source.",
    why: "an import never deletes, because content left out by mistake would be lost",
    fix: "delete it in the app if you no longer need it; export writes it into the vault again")

  /// Steps with ticks or notes on charters are removed.
  public static let ticksWithoutStep = DiagnosticCode(
    "IMP0106", "ticks-without-step", .warning, "Steps with ticks or notes on a charter are removed.",
    why: "the steps are no longer in the source; the ticks and notes stay in the charter but are not shown",
    fix: "try it with --dry-run first; a step with a new title is recognized if the source has its id (exports do); "
      + "'fleetkit doctor' lists ticks without a step")

  /// The library already has all of a file's content from another file.
  public static let sameContentAgain = DiagnosticCode(
    "IMP0107", "same-content-again", .warning, "All content of a file is already in the library, from another file.",
    why: "two files are two sources, so the library now has the content twice",
    fix: "if the file was renamed, remove the old one before you import the new one; delete the duplicates in the "
      + "app; --dry-run shows them beforehand")

  /// Steps that are missing in a table with rejected rows were kept.
  public static let keptForRejected = DiagnosticCode(
    "IMP0108", "kept-for-rejected", .warning,
    "Steps that are no longer in a table were kept, because a row of their checklist was rejected.",
    why: "the rejected row may be one of these steps; nothing is deleted because a row could not be read",
    fix: "correct the row in the table and import the table again; then the deleted steps are removed")

  /// A note was recognized as an item that the library has from another path.
  public static let renamedNote = DiagnosticCode(
    "IMP0109", "renamed-note", .note, "A note was recognized as an item that the library has from another path.",
    why: "the note at that path is missing, and this one has most of its text",
    fix: "nothing needs to be done; if they are different items, undo the import with 'fleetkit undo'")

  /// A note may be an item that the library has from another path.
  public static let maybeRenamed = DiagnosticCode(
    "IMP0110", "maybe-renamed", .warning, "A new item may be one that the library has from another path.",
    why: "the note at that path is missing, and this one has most of its text; it may have been renamed",
    fix: "if it is the same item, undo the import with 'fleetkit undo', and import again with --yes")

  static let importing = [
    importConflict, publishedNotReplaced, publicationLeftOut, itemWithoutBody, goneFromSource, ticksWithoutStep,
    sameContentAgain, keptForRejected, renamedNote, maybeRenamed,
  ]

  /// Both sides of a merge changed the same thing differently.
  public static let mergeConflict = DiagnosticCode(
    "MRG0101", "merge-conflict", .error, "Both sides changed the same thing differently since the last import.",
    why: "it is not clear which is right; the library's record is unchanged, the source's is in the rejects file",
    fix: "see the page of conflicts next to the rejects; change one of the sides and import again, or choose a side "
      + "with --ours (the library) or --theirs (the source)")

  /// One side of a record was taken as a whole, because the common base is unknown.
  public static let takenWhole = DiagnosticCode(
    "MRG0102", "taken-whole", .warning,
    "Records were replaced or kept as a whole, because one side is newer and no base is known.",
    why:
      "changes of the older side are not in the library; overwritten versions are in the file of replaced records",
    fix: "to merge such records, import with --interactive, --ours or --theirs, or always from the same place")

  static let merging = [mergeConflict, takenWhole]

  /// A value that was read back differs from the source.
  public static let unprovedValue = DiagnosticCode(
    "RUN0301", "unproved-value", .error, "A value that was read back differs from the source.",
    why: "neither the list of losses nor the target's format explains it; the target is not a faithful copy",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// A record is missing or additional.
  public static let unprovedRecord = DiagnosticCode(
    "RUN0302", "unproved-record", .error, "A record is missing or additional in the target that was read back.",
    why: "neither the list of losses nor the list of rejects explains it; the target is not a faithful copy",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// A written record cannot be read.
  public static let unprovedUnreadable = DiagnosticCode(
    "RUN0303", "unproved-unreadable", .error, "A record that was written cannot be read back.",
    why: "other programs could not read it from the target either",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// The codes of findings of proofs.
  public static let proof: [DiagnosticCode] = [.unprovedValue, .unprovedRecord, .unprovedUnreadable]

  /// A second record with the id of an earlier one.
  public static let duplicateRecord = DiagnosticCode(
    "WRT0101", "duplicate-record", .error, "Two records have the same id.",
    why: "a library holds one row for an id; the first is kept, the second rejected",
    fix: "remove one of the two, or give one a new id")
  /// A record refers to a missing one.
  public static let missingReference = DiagnosticCode(
    "WRT0102", "missing-reference", .error, "A record refers to one that does not exist.",
    why: "the library's foreign keys forbid it, and the app cannot open a library that violates them",
    fix: "add the record that it refers to, or leave this one out")
  /// A required time is missing.
  public static let timeOfRun = DiagnosticCode(
    "WRT0103", "time-of-run", .note, "A record lacks a time; another of its times or the time of this run was written.",
    why: "the app's table requires one",
    fix: "set created_at and updated_at if they matter")

  /// A value that the app's table requires is missing and has no default.
  public static let valueMissing = DiagnosticCode(
    "WRT0104", "value-missing", .error, "A record lacks a value that the app's table requires.",
    why: "FleetKit does not make up values, which would falsify a log",
    fix: "add the value and convert the rejected record again")

  static let writing = [duplicateRecord, missingReference, timeOfRun, valueMissing]
}
