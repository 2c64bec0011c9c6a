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
}
