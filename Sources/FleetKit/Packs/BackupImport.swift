import Backup
import FleetKitCore
import Interchange

/// Brings single records of a backup back into a library that stays.
///
/// An import of the backup that takes the state of publication too, and lets the backup win unless it is told
/// otherwise.
public struct BackupImport: Sendable {
  /// The import; say which records are taken before it is run.
  public var job: LibraryImport

  /// Plans it.
  /// - Throws: `RunFailure`: 64 when the file is no backup, with what to do instead; 2 when it cannot be read, 5 when
  ///   it is damaged, 6 when it is newer than this FleetKit.
  public init(_ backup: String, into library: String) throws {
    try BackupRecognition.require(backup)
    job = LibraryImport(sources: try SourceList([backup]), library: library)
    job.onConflict = .replace
    job.restoresPublishing = true
    job.doing = "restore"
  }
}
