import Diagnostics

extension DiagnosticCode {
  /// The backup that the new one would be based on cannot be restored.
  public static let brokenChain = DiagnosticCode(
    "BKP0205", "broken-chain", .error, "The backup before the new one cannot be restored.",
    why: "an incremental backup based on it could not be restored either, so a full backup was made",
    fix: "check the disk and run 'fleetkit backups FOLDER --check'; then move the damaged file away")

  /// A temporary file of a backup that was not finished.
  public static let unfinishedBackup = DiagnosticCode(
    "BKP0206", "unfinished-backup", .warning, "A backup was not finished.",
    why: "the run that wrote it was killed, or its verification failed; a complete backup has its final name",
    fix: "remove the file if no 'fleetkit backup' is running; the backups before it are unchanged")

  /// A backup that is truncated or empty.
  public static let cutOffBackup = DiagnosticCode(
    "BKP0207", "cut-off-backup", .error, "A backup is truncated.",
    why: "its end was never written or copied, so it cannot be restored",
    fix: "copy the backup again from a complete original, or move it away; the report names backups to restore instead")

  /// A backup with bytes that have changed since it was written.
  public static let damagedBackup = DiagnosticCode(
    "BKP0208", "damaged-backup", .error, "A backup is damaged.",
    why: "its bytes have changed since it was made, so it cannot be restored",
    fix: "check the disk, and move the backup away; the report names backups to restore instead")

  /// A backup that is complete but cannot be restored.
  public static let unrestorableBackup = DiagnosticCode(
    "BKP0209", "unrestorable-backup", .error, "A backup needs another backup that is damaged or missing.",
    why: "an incremental backup contains only changes, so it cannot be restored without the backups before it",
    fix: "put the missing backup back; the report names backups to restore instead")

  /// All codes for findings about folders of backups, in addition to those about single backups.
  public static let backupFolder = [
    brokenChain, unfinishedBackup, cutOffBackup, damagedBackup, unrestorableBackup,
  ]
}
