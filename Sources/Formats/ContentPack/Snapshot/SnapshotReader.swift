import Content
import Interchange

/// Reads the records in a backup's library. The backup's folder is never written to.
///
/// The backup is first assembled in a temporary folder, where the library format reads the library. Places and messages
/// name the backup, as in `nightly.fleetpack/data/library.sqlite#checklists/…`.
public final class SnapshotReader: ContentReader {
  private let folder: TemporaryFolder
  private let reader: any ContentReader
  /// The backup's description.
  public let info: BackupInfo

  /// Opens a backup.
  /// - Parameter library: the format of libraries.
  /// - Throws: the errors of `SnapshotAssembly.assemble`, and `RunFailure` if the backup's library cannot be read.
  public init(_ source: Source, library: any Format, context: RunContext) throws {
    folder = try TemporaryFolder()
    let snapshot = try SnapshotAssembly(source.path).assemble(into: folder.path)
    info = snapshot.info
    reader = try library.reader(
      of: Source(snapshot.library, name: source.path + "/" + BackupInfo.Path.library), context: context)
  }

  /// Returns the next batch of records.
  public func next() throws -> RecordBatch? { try reader.next() }

  /// The progress of reading the library.
  public var progress: (done: Int, total: Int?) { reader.progress }
}
