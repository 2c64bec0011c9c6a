/// How much of a backup, or of any pack, is verified.
public enum BackupLevel: String, Sendable, CaseIterable {
  /// Names, tag files, listings and sizes are verified.
  case structure
  /// Every checksum is verified.
  case content
  /// The backup is restored to a temporary folder, and every record is compared with the index.
  case restore
}
