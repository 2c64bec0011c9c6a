extension DiagnosticCode {
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
    "IMP0105", "gone-from-source", .note, "The source does not have any more what an earlier import took from it.",
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
}
