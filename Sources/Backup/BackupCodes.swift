import Diagnostics

extension DiagnosticCode {
  /// A backup that the new one would have been made after cannot be restored.
  public static let brokenChain = DiagnosticCode(
    "BKP0205", "broken-chain", .error, "The backup that the new one would build on cannot be restored.",
    why: "an incremental backup after it could not be restored either, so a full one was made",
    fix: "check the disk and 'fleetkit backups FOLDER --check'; then move the damaged file away")

  /// A temporary file of a backup that was not finished.
  public static let unfinishedBackup = DiagnosticCode(
    "BKP0206", "unfinished-backup", .warning, "A backup was not finished.",
    why: "the run that wrote it was killed, or its proof failed; no backup is complete before it has its name",
    fix: "remove the file if no 'fleetkit backup' is at work; the backups before it are as they were")

  /// A backup that ends in the middle, or is empty.
  public static let cutOffBackup = DiagnosticCode(
    "BKP0207", "cut-off-backup", .error, "A backup ends in the middle.",
    why: "the rest of it was never written or copied, so it cannot be restored",
    fix: "copy it again from where it is whole, or move it away; the report names what can be restored instead")

  /// A backup whose bytes are not what was written.
  public static let damagedBackup = DiagnosticCode(
    "BKP0208", "damaged-backup", .error, "A backup is damaged.",
    why: "it is not what it was when it was made, so it cannot be restored",
    fix: "check the disk, and move it away; the report names what can be restored instead")

  /// A backup that is whole and cannot be restored.
  public static let unrestorableBackup = DiagnosticCode(
    "BKP0209", "unrestorable-backup", .error, "A backup needs one that is damaged or missing.",
    why: "an incremental backup has only what changed, so it cannot be restored without those before it",
    fix: "bring the missing backup back; the report names what can be restored instead")

  /// What a folder of backups has besides those of single backups.
  public static let backupFolder = [
    brokenChain, unfinishedBackup, cutOffBackup, damagedBackup, unrestorableBackup,
  ]
}
