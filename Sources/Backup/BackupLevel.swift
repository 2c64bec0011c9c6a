/// How much of a backup, or of any pack, is verified.
public enum BackupLevel: String, Sendable, CaseIterable {
  /// Names, tag files, listings and sizes.
  case structure
  /// Every checksum.
  case content
  /// It is restored to a temporary place, and every record is compared with the index.
  case restore
}
