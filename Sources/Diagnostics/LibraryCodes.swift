extension DiagnosticCode {
  // MARK: Checklist content

  /// A checklist's content is not JSON.
  public static let contentNotJSON = DiagnosticCode(
    "LIB0101", "content-not-json", .error, "A checklist's content column is not JSON.",
    why: "the app shows this checklist as empty and overwrites it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes back the readable content and keeps the original next to the library; "
      + "conversion makes the same repair in a copy"
  )
  /// A checklist's content is JSON but not a list of sections.
  public static let contentNotSections = DiagnosticCode(
    "LIB0102", "content-not-sections", .error, "A checklist's content is not an array of sections.",
    why: "the app shows this checklist as empty and overwrites it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes back the existing sections and keeps the original; conversion makes the same "
      + "repair in a copy"
  )
  /// A member that the app requires is missing.
  public static let missingMember = DiagnosticCode(
    "LIB0103", "missing-member", .error, "A section, item or card lacks a member that the app requires.",
    why: "the app shows the whole checklist as empty and overwrites it at the next edit",
    fix: "'fleetkit doctor --repair' fills in the default; conversion makes the same repair in a copy")
  /// A value has a type that the app does not decode.
  public static let wrongType = DiagnosticCode(
    "LIB0104", "wrong-type", .error, "A value has a type that the app does not decode.",
    why: "the app shows the whole column as empty and overwrites it at the next edit",
    fix:
      "'fleetkit doctor --repair' writes the nearest value of the right type, and keeps the original if it contained "
      + "more; conversion makes the same repair in a copy"
  )
  /// A section's or item's id is not a UUID.
  public static let itemIDNotUUID = DiagnosticCode(
    "LIB0105", "item-id-not-uuid", .error, "A section's or item's id is not a UUID.",
    why: "the app shows the whole checklist as empty; ticks with this id are dropped",
    fix:
      "'fleetkit doctor --repair' replaces the id, also in ticks, with a UUID derived from it; conversion makes the "
      + "same repair in a copy"
  )
  /// Two sections or items of one checklist share an id.
  public static let duplicateItemID = DiagnosticCode(
    "LIB0106", "duplicate-item-id", .warning, "Two sections or items of a checklist have the same id.",
    why: "ticking one also ticks the other",
    fix: "'fleetkit doctor --repair' gives the second one a new id; ticks stay with the first")
  /// A section's or item's id is not upper-case.
  public static let itemIDCase = DiagnosticCode(
    "LIB0107", "item-id-case", .note, "A section's or item's id is not in upper case.",
    why: "the app reads the id and writes it back in upper case",
    fix: "nothing needs to be done")
  /// A member that the app does not support.
  public static let unknownMember = DiagnosticCode(
    "LIB0108", "unknown-member", .warning, "The content has members that the app does not support.",
    why: "the app drops them when it next saves the checklist; FleetKit keeps them",
    fix:
      "nothing needs to be done for FleetKit; 'fleetkit doctor --repair' moves them to a file next to the library"
  )

  /// A checklist without sections.
  public static let contentEmpty = DiagnosticCode(
    "LIB0109", "content-empty", .note, "A checklist has no sections.",
    why:
      "early versions of the app saved \"[]\" if they could not encode a checklist; its steps are then missing",
    fix: "if the checklist had steps, look for them in a backup; otherwise nothing needs to be done")

  /// Part of a damaged JSON document could not be recovered.
  public static let partLost = DiagnosticCode(
    "LIB0110", "part-lost", .error, "Part of a damaged JSON document is lost.",
    why: "some bytes were overwritten or cut off; FleetKit recovers everything around them and guesses nothing",
    fix:
      "compare the recovered content with the original, which is kept, or with a backup; 'fleetkit doctor --repair' "
      + "writes the recovered content back")

  // MARK: Columns

  /// A tags column is not an array of strings.
  public static let tagsNotStrings = DiagnosticCode(
    "LIB0201", "tags-not-strings", .error, "A tags column is not a JSON array of strings.",
    why: "the app reads no tags and writes back an empty list",
    fix:
      "'fleetkit doctor --repair' writes back the readable tags and keeps the original; conversion makes the same "
      + "repair in a copy"
  )
  /// A date that the app cannot decode.
  public static let dateUndecodable = DiagnosticCode(
    "LIB0301", "date-undecodable", .error, "A date column holds a value that the app cannot decode.",
    why: "the app shows the whole table as empty",
    fix:
      "'fleetkit doctor --repair' writes the date if it can parse it, or else another time of the record, and keeps "
      + "the original"
  )
  /// A date in a form other than the app's.
  public static let dateNotCanonical = DiagnosticCode(
    "LIB0302", "date-not-canonical", .warning, "A date is not written as YYYY-MM-DD HH:MM:SS.SSS.",
    why: "the app sorts dates as text, so this one is sorted incorrectly",
    fix: "'fleetkit doctor --repair' writes the date in the app's form; conversion makes the same repair in a copy")
  /// A date with a month or day that does not exist.
  public static let dateRollsOver = DiagnosticCode(
    "LIB0303", "date-rolls-over", .warning, "A date has a month, day or hour that does not exist.",
    why: "the app silently moves such a date to the next year, month or day",
    fix: "check the date shown")
  /// A column has an unknown value of an enumeration.
  public static let unknownValue = DiagnosticCode(
    "LIB0401", "unknown-value", .warning, "A column has a value that this version of the app does not support.",
    why: "the app uses its default instead and writes the default back",
    fix: "nothing needs to be done; FleetKit keeps the value (bundles keep an unknown type in extras.raw.type)")
  /// A row's id is a UUID but not upper-case.
  public static let idCase = DiagnosticCode(
    "LIB0501", "id-case", .error, "A row's id is not in upper case.",
    why: "the app lists the item but cannot open it, and pinning it makes a duplicate",
    fix:
      "'fleetkit doctor --repair' writes the id in upper case everywhere; conversion makes the same repair in a copy")
  /// A row's id is not a UUID.
  public static let idNotUUID = DiagnosticCode(
    "LIB0502", "id-not-uuid", .error, "A row's id is not a UUID.",
    why: "the app makes up a new id at every read, so it cannot open, save or delete the row",
    fix:
      "'fleetkit doctor --repair' replaces the id everywhere with a UUID derived from it; conversion makes the same "
      + "repair in a copy"
  )
  /// An all-zero creator id in a schema that uses NULL for a missing creator.
  public static let zeroCreator = DiagnosticCode(
    "LIB0503", "zero-creator", .note, "A creatorID is all zeros.",
    why: "before v1.9.0 this was the placeholder for no author; since then it is NULL",
    fix: "nothing needs to be done; FleetKit reads it as no author")
  /// A column holds a value whose storage class the column's type does not allow.
  public static let unexpectedStorage = DiagnosticCode(
    "LIB0904", "unexpected-storage", .error, "A column holds a type of value that the app never writes.",
    why: "the app cannot read the row, and therefore the whole table",
    fix:
      "'fleetkit doctor --repair' writes the nearest value and keeps the original; conversion makes the same repair in "
      + "a copy")
  /// A text value is not UTF-8.
  public static let textNotUTF8 = DiagnosticCode(
    "LIB0905", "text-not-utf8", .error, "A text value is not valid UTF-8.",
    why: "the intended characters are unknown, and programs replace invalid bytes differently",
    fix: "correct the text; the original bytes are kept in the bundle")
  /// Public metadata that the app cannot decode.
  public static let publicMetadataUndecodable = DiagnosticCode(
    "LIB0906", "public-metadata-undecodable", .error, "The app cannot decode publicMetadata.",
    why: "the app finds no publication, so a published item appears private and cannot be withdrawn",
    fix: "'fleetkit doctor --repair' rebuilds it from what is known about the publication")

  // MARK: Related rows

  /// Metadata without a body.
  public static let metadataWithoutBody = DiagnosticCode(
    "LIB0601", "metadata-without-body", .error, "An item is listed but has no body.",
    why: "the app lists the item but cannot open it",
    fix:
      "restore the body from a backup; 'fleetkit doctor --repair' takes the body from the queue if possible, and "
      + "otherwise moves the item to quarantine"
  )
  /// A body without metadata.
  public static let bodyWithoutMetadata = DiagnosticCode(
    "LIB0602", "body-without-metadata", .error, "A body has no metadata.",
    why: "the app does not show it",
    fix:
      "'fleetkit doctor --repair' makes the body an item again, with its title, tags and times; conversion makes the "
      + "same repair in a copy"
  )
  /// The type in the metadata differs from the body's type.
  public static let bodyOfOtherType = DiagnosticCode(
    "LIB0603", "body-of-other-type", .error, "The type in an item's metadata differs from its body's type.",
    why: "the app lists the item but cannot open it",
    fix: "'fleetkit doctor --repair' uses the body's type; conversion makes the same repair in a copy")
  /// One id has both a checklist and a guide.
  public static let twoBodies = DiagnosticCode(
    "LIB0604", "two-bodies", .warning, "One id has both a checklist and a guide.",
    why: "the app opens the one that the metadata names and does not show the other",
    fix: "'fleetkit doctor --repair' makes the hidden one a separate item; bundles keep it under extras")

  // MARK: Executions

  /// Item states that the app cannot decode.
  public static let itemStatesUndecodable = DiagnosticCode(
    "LIB0701", "item-states-undecodable", .error, "The ticks of a checklist cannot be decoded.",
    why: "the app loads no ticks for this charter, and ticking fails",
    fix:
      "'fleetkit doctor --repair' writes back the readable ticks and keeps the original; conversion makes the same "
      + "repair in a copy"
  )
  /// A key of the item states is not a UUID.
  public static let itemStateKeyNotUUID = DiagnosticCode(
    "LIB0702", "item-state-key-not-uuid", .error, "A tick has an item id that is not a UUID.",
    why: "the app drops the tick",
    fix: "'fleetkit doctor --repair' moves the tick to the UUID that replaces the item's id; bundles keep the tick")
  /// A tick for an item that the checklist does not have.
  public static let itemStateWithoutItem = DiagnosticCode(
    "LIB0703", "item-state-without-item", .warning, "A tick belongs to an item that is not in the checklist.",
    why: "the app does not show the tick, but counts it in the progress",
    fix: "nothing needs to be done: FleetKit keeps the tick, and 'fleetkit doctor --repair' moves it to quarantine")
  /// A tick time with a fraction.
  public static let itemStateDateNotStrict = DiagnosticCode(
    "LIB0704", "item-state-date-not-strict", .error, "A tick's time does not have the form YYYY-MM-DDTHH:MM:SSZ.",
    why: "Apple's decoder rejects the time, and with it every tick in the row",
    fix: "'fleetkit doctor --repair' writes the time in whole seconds; conversion makes the same repair in a copy")
  /// An execution of a missing checklist.
  public static let executionWithoutChecklist = DiagnosticCode(
    "LIB0705", "execution-without-checklist", .warning, "Ticks belong to a checklist that does not exist.",
    why: "the app never shows them",
    fix:
      "nothing needs to be done: FleetKit keeps the ticks, and 'fleetkit doctor --repair' moves them to quarantine")
  /// An execution on a missing charter.
  public static let executionWithoutCharter = DiagnosticCode(
    "LIB0706", "execution-without-charter", .error, "Ticks belong to a charter that does not exist.",
    why: "the foreign key is violated; if an upgrade is pending, the app cannot open the library",
    fix:
      "'fleetkit doctor --repair' moves the ticks to quarantine; once the charter is restored, import them again")
  /// A lower-case key in the item states.
  public static let itemStateKeyCase = DiagnosticCode(
    "LIB0707", "item-state-key-case", .note, "A tick's item id is not in upper case.",
    why: "the app reads the id and writes it back in upper case",
    fix: "nothing needs to be done")

  // MARK: The queue

  /// A queue payload is not JSON or lacks data that a request needs.
  public static let payloadUndecodable = DiagnosticCode(
    "LIB0801", "payload-undecodable", .error, "A queued operation's payload cannot be sent.",
    why: "the app sends an empty request and reports success, but nothing is published",
    fix: "run 'fleetkit doctor --repair' to rebuild the payload, or publish the item again")
  /// A withdrawal does not name a publication.
  public static let payloadMissing = DiagnosticCode(
    "LIB0802", "payload-missing", .error, "A queued withdrawal does not name a publication.",
    why: "the app sends no request, marks the withdrawal as done, and the content stays public",
    fix: "'fleetkit doctor --repair' finds the public id in an earlier publish operation of the same item")
  /// The document of a payload cannot be forked.
  public static let payloadNotForkable = DiagnosticCode(
    "LIB0803", "payload-not-forkable", .warning, "A payload contains dates as numbers.",
    why: "the app cannot decode such content when someone forks it",
    fix:
      "'fleetkit doctor --repair' writes them as text in waiting operations; if one was already sent, publish an update"
  )
  /// The early queue with snake_case columns.
  public static let queueColumnsSnakeCase = DiagnosticCode(
    "LIB0804", "queue-columns-snake-case", .error, "sync_queue has the column names of an early build.",
    why: "the app cannot read its queue, so nothing is published or withdrawn",
    fix: "'fleetkit doctor --repair' renames the columns; conversion makes a library with the current column names")
  /// An operation for missing content.
  public static let operationWithoutContent = DiagnosticCode(
    "LIB0805", "operation-without-content", .error, "A queued operation belongs to content that does not exist.",
    why: "the foreign key is violated; if an upgrade is pending, the app cannot open the library",
    fix: "'fleetkit doctor --repair' moves the operation to quarantine")

  /// An operation is retried although it was permanently refused.
  public static let terminalErrorRetried = DiagnosticCode(
    "LIB0806", "terminal-error-retried", .warning,
    "An operation is retried although the registry permanently refused it.",
    why: "the operation fails every time, and the item is never marked as failed",
    fix:
      "'fleetkit doctor --repair' marks the operation and the item as failed; publish the item under another public id")
  /// A publication was withdrawn before it was sent.
  public static let operationsCancelOut = DiagnosticCode(
    "LIB0807", "operations-cancel-out", .warning,
    "A publication was withdrawn before it was sent, and both operations are still queued.",
    why: "the next run would publish the withdrawn item, if only for a moment",
    fix: "'fleetkit doctor --repair' removes both from the queue")
  /// An operation is superseded by a later one.
  public static let operationSuperseded = DiagnosticCode(
    "LIB0808", "operation-superseded", .warning, "A waiting operation is superseded by a later one for the same item.",
    why: "sending it would temporarily undo the owner's last change, or fail",
    fix: "'fleetkit doctor --repair' removes the superseded operation from the queue")
  /// An item waits for an operation that will never be sent.
  public static let statusStuck = DiagnosticCode(
    "LIB0809", "status-stuck", .warning, "An item's sync status contradicts the queue.",
    why: "the app permanently shows the item as waiting or done, and the queue contradicts this",
    fix: "'fleetkit doctor --repair' sets the status that matches the queue")
  /// An item was sent but is not marked as synced.
  public static let statusBehind = DiagnosticCode(
    "LIB0810", "status-behind", .warning, "An item was sent and has not changed since, but is not marked as synced.",
    why: "the app permanently shows the item as waiting",
    fix: "'fleetkit doctor --repair' marks the item as synced")
  /// A queued publication must not be sent unchanged.
  public static let publicationRefused = DiagnosticCode(
    "LIB0811", "publication-refused", .warning, "A queued publication violates a publish rule.",
    why: "only valid items are published; the operation waits until the item is corrected",
    fix: "correct the item in the app and publish it again")
  /// A withdrawal was marked as done but never sent.
  public static let withdrawalNotSent = DiagnosticCode(
    "LIB0812", "withdrawal-not-sent", .error, "A withdrawal is marked as done but was never sent.",
    why: "the item appears private, but its content is still public",
    fix: "'fleetkit doctor --repair' queues the withdrawal again, with the public id of the publication")
  /// The app cannot withdraw a public item.
  public static let publicWithoutRow = DiagnosticCode(
    "LIB0813", "public-without-row", .error, "An item is public, but the queue has no publish operation for it.",
    why: "the app skips the withdrawal of such an item and reports success, but the item stays public",
    fix: "'fleetkit doctor --repair' writes the row that the app requires")
  /// A public item has no public id.
  public static let publicWithoutID = DiagnosticCode(
    "LIB0814", "public-without-id", .error, "An item is marked as public but has no public id.",
    why: "the app can neither update nor withdraw it",
    fix: "'fleetkit doctor --repair' makes it private; publish it again if it should be public")

  // MARK: The file

  /// The library is newer than this version of FleetKit.
  public static let newerLibrary = DiagnosticCode(
    "LIB0901", "newer-library", .warning, "The library was written by a newer version of the app.",
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
    why: "a journal or write-ahead log exists next to it, and reading in place would change the files",
    fix: "nothing needs to be done; keep these files together with the library")
  /// The list of migrations has gaps.
  public static let migrationsIncomplete = DiagnosticCode(
    "LIB0908", "migrations-incomplete", .error, "grdb_migrations does not match the existing tables.",
    why: "the app runs the missing migration again, fails (\"already exists\") and cannot open the library",
    fix:
      "'fleetkit doctor --repair' records the migrations that have run; conversion makes a library with the full list")

  /// A table lacks a column that every version of the app has.
  public static let columnMissing = DiagnosticCode(
    "LIB0909", "column-missing", .error, "A table lacks a column that every version of the app has.",
    why: "the app cannot read the table, so everything in it seems to be missing",
    fix: "restore a backup; FleetKit reads the other columns and leaves the missing one empty")

  /// A row refers to a missing row, and its table has no more specific code.
  public static let foreignKeyViolated = DiagnosticCode(
    "LIB0910", "foreign-key-violated", .error, "A row refers to a row that does not exist.",
    why: "the foreign key is violated; if an upgrade is pending, the app cannot open the library",
    fix: "'fleetkit doctor --repair' moves the row to quarantine")

  /// A generated column, a partial index or an index on expressions. The app never makes these.
  public static let computedSchema = DiagnosticCode(
    "LIB0911", "computed-schema", .warning, "The schema defines values that SQLite computes.",
    why:
      "the app makes no such column or index; reading it would run code from the file, so FleetKit does not read it",
    fix: "remove the column or index if you do not need it; FleetKit does not change a library that has one")

  /// A record in a library's store is damaged.
  public static let storedRecordUnreadable = DiagnosticCode(
    "LIB0912", "stored-record-unreadable", .error, "A record in the library's store cannot be read.",
    why: "state.sqlite keeps decks and other records as lines of JSON; this line is damaged, so the record is rejected",
    fix: "restore the library's sidecar folder from a backup")

  /// A library's store is damaged.
  public static let storeDamaged = DiagnosticCode(
    "LIB0913", "store-damaged", .error, "The library's store is damaged.",
    why: "state.sqlite stores decks, runs and the import history; commands that need this data fail",
    fix: "restore the library's sidecar folder from a backup, or move state.sqlite away to start with an empty one")

  /// A text value has more consecutive combining marks than a record may have.
  public static let endlessMarks = DiagnosticCode(
    "LIB0914", "endless-marks", .error, "A text value has more consecutive combining marks than a record may have.",
    why: "comparing such values takes minutes; FleetKit does not read marks beyond the limit",
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
    "BKP0101", "backup-index", .error, "A line of a backup's index is invalid.",
    why: "without the index, FleetKit cannot prove that everything is restored",
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

  /// A record in the index was not restored.
  public static let recordNotRestored = DiagnosticCode(
    "BKP0201", "record-not-restored", .error, "A record in the index was not restored.",
    why: "the restored library would lack the record", fix: "verify an older backup, and make a new one")

  /// A restored record is not in the index.
  public static let recordNotInIndex = DiagnosticCode(
    "BKP0202", "record-not-in-index", .error, "A restored record is not in the index.",
    why: "the record was added after the backup was made", fix: "verify an older backup, and make a new one")

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

  /// The library has another version of a record, and it is unknown which version is newer.
  public static let importConflict = DiagnosticCode(
    "IMP0101", "import-conflict", .error, "The library has another version of a record.",
    why: "one version would be lost; the library keeps its own, and the other is in the rejects file",
    fix:
      "add updated_at in the source, or import the record again with --theirs or --ours, or with --on-conflict replace "
      + "or keep")
  /// A published item would be replaced.
  public static let publishedNotReplaced = DiagnosticCode(
    "IMP0102", "published-not-replaced", .error, "A published item was not replaced.",
    why: "readers of the publication would find different content at its address",
    fix: "unpublish the item in the app first, or import with --on-conflict newest, which counts as an edit")
  /// An item is published in its source.
  public static let publicationLeftOut = DiagnosticCode(
    "IMP0103", "publication-left-out", .note, "A record is published in its source and was imported as private.",
    why: "an import never publishes: nothing leaves the device without the owner's decision",
    fix: "publish it in the app if you want to share it")

  /// An item without a body.
  public static let itemWithoutBody = DiagnosticCode(
    "IMP0104", "item-without-body", .error, "An item has no body, and the library does not have its body either.",
    why: "the app would list the item but could not open it",
    fix: "add content_data, from a backup for example, and import the rejected record again")

  /// Content of an earlier import is no longer in its source.
  public static let goneFromSource = DiagnosticCode(
    "IMP0105", "gone-from-source", .warning, "Content of an earlier import is no longer in the source.",
    why: "an import never deletes, because content left out by mistake would be lost",
    fix: "delete the content in the app if you no longer need it; an export writes it to the vault again")

  /// An import removes steps with ticks or notes on charters.
  public static let ticksWithoutStep = DiagnosticCode(
    "IMP0106", "ticks-without-step", .warning, "An import removes steps with ticks or notes on a charter.",
    why: "the steps are no longer in the source; the ticks and notes stay in the charter but are not shown",
    fix: "try the import with --dry-run first; a renamed step is recognized if the source has its id, as exports do; "
      + "'fleetkit doctor' lists ticks without a step")

  /// The library already has all of a file's content from another file.
  public static let sameContentAgain = DiagnosticCode(
    "IMP0107", "same-content-again", .warning, "All content of a file is already in the library, from another file.",
    why: "two files are two sources, so the library now has the content twice",
    fix: "if the file was renamed, remove the old file before you import the new one; delete the duplicates in the "
      + "app; --dry-run shows duplicates before an import")

  /// Steps that are missing from a table with rejected rows were kept.
  public static let keptForRejected = DiagnosticCode(
    "IMP0108", "kept-for-rejected", .warning,
    "Steps that are no longer in a table were kept, because a row of their checklist was rejected.",
    why: "the rejected row may be one of these steps; an unreadable row never causes a deletion",
    fix: "correct the row in the table and import the table again; the import then removes the deleted steps")

  /// A note was recognized as an item that was imported from another path.
  public static let renamedNote = DiagnosticCode(
    "IMP0109", "renamed-note", .note, "A note was recognized as an item that was imported from another path.",
    why: "the note at that path is missing, and this note has most of its text",
    fix: "nothing needs to be done; if they are different items, undo the import with 'fleetkit undo'")

  /// A note may be an item that was imported from another path.
  public static let maybeRenamed = DiagnosticCode(
    "IMP0110", "maybe-renamed", .warning, "A new item may be one that was imported from another path.",
    why: "the note at that path is missing, and the new item has most of its text; the note may have been renamed",
    fix: "if it is the same item, undo the import with 'fleetkit undo', and import again with --yes")

  static let importing = [
    importConflict, publishedNotReplaced, publicationLeftOut, itemWithoutBody, goneFromSource, ticksWithoutStep,
    sameContentAgain, keptForRejected, renamedNote, maybeRenamed,
  ]

  /// Both sides of a merge changed the same field differently.
  public static let mergeConflict = DiagnosticCode(
    "MRG0101", "merge-conflict", .error, "Both sides changed the same field differently since the last import.",
    why: "it is not clear which side is right; the library keeps its record, and the source's is in the rejects file",
    fix: "see the conflict page next to the rejects; change one side and import again, or choose a side with --ours "
      + "(the library) or --theirs (the source)")

  /// One side of a record was taken as a whole, because the common base is unknown.
  public static let takenWhole = DiagnosticCode(
    "MRG0102", "taken-whole", .warning,
    "Records were replaced or kept as a whole, because one side is newer and no base is known.",
    why:
      "the library lacks the older side's changes; overwritten versions are in the file of replaced records",
    fix:
      "to merge such records, import with --interactive, --ours or --theirs, or always import from the same path")

  static let merging = [mergeConflict, takenWhole]

  /// A value that was read back differs from the source.
  public static let unprovedValue = DiagnosticCode(
    "RUN0301", "unproved-value", .error, "A value that was read back differs from the source.",
    why:
      "neither the list of losses nor the target's format explains the difference; the target is not a faithful copy",
    fix: "do not use the target; try again, for example on another disk, and report the problem if it persists")

  /// A record is missing from the target, or only the target has it.
  public static let unprovedRecord = DiagnosticCode(
    "RUN0302", "unproved-record", .error, "The target that was read back has a missing or additional record.",
    why:
      "neither the list of losses nor the list of rejects explains the difference; the target is not a faithful copy",
    fix: "do not use the target; try again, for example on another disk, and report the problem if it persists")

  /// A written record cannot be read.
  public static let unprovedUnreadable = DiagnosticCode(
    "RUN0303", "unproved-unreadable", .error, "A record that was written cannot be read back.",
    why: "other programs could not read the record from the target either",
    fix: "do not use the target; try again, for example on another disk, and report the problem if it persists")

  /// The codes of findings that a proof reports.
  public static let proof: [DiagnosticCode] = [.unprovedValue, .unprovedRecord, .unprovedUnreadable]

  /// A second record with the id of an earlier one.
  public static let duplicateRecord = DiagnosticCode(
    "WRT0101", "duplicate-record", .error, "Two records have the same id.",
    why: "a library holds one row per id; the first record is kept, and the second is rejected",
    fix: "remove one of the two, or give one a new id")
  /// A record refers to a missing record.
  public static let missingReference = DiagnosticCode(
    "WRT0102", "missing-reference", .error, "A record refers to a record that does not exist.",
    why: "the library's foreign keys forbid it, and the app cannot open a library that violates them",
    fix: "add the missing record, or leave out the record that refers to it")
  /// A required time is missing.
  public static let timeOfRun = DiagnosticCode(
    "WRT0103", "time-of-run", .note,
    "A record lacks a time; another of its times, or the time of this run, was written instead.",
    why: "the app's table requires a time",
    fix: "set created_at and updated_at if they matter")

  /// A value that the app's table requires is missing and has no default.
  public static let valueMissing = DiagnosticCode(
    "WRT0104", "value-missing", .error, "A record lacks a value that the app's table requires.",
    why: "FleetKit does not make up values, because that would falsify a log",
    fix: "add the value and convert the rejected record again")

  static let writing = [duplicateRecord, missingReference, timeOfRun, valueMissing]
}

extension DiagnosticCode {
  /// An unsigned pack is older than the version that was imported before.
  public static let olderPack = DiagnosticCode(
    "PCK0401", "older-pack", .warning,
    "An unsigned pack is older than the version that was imported before.",
    why: "it may overwrite newer content in the library with content that the publisher has corrected since",
    fix: "import the newest version; FleetKit would refuse an older pack that is signed")
  /// No trusted key is known for a signed pack.
  public static let unprovedPack = DiagnosticCode(
    "PCK0402", "unproved-pack", .warning, "A pack is signed, but no trusted key is known.",
    why: "without the publisher's key, FleetKit cannot check whether the signature is the publisher's",
    fix: "get the key from the publisher and add --trust KEY; FleetKit remembers the key for the next import")
  /// A pack is signed with a different key than before.
  public static let otherPackKey = DiagnosticCode(
    "PCK0403", "other-pack-key", .warning, "A pack is signed with a different trusted key than the previous version.",
    why: "the pack starts a new chain of versions and is not checked against the previous ones",
    fix: "nothing needs to be done if the publisher has a new key; otherwise ask the publisher")

  static let packTrust = [olderPack, unprovedPack, otherPackKey]
}
