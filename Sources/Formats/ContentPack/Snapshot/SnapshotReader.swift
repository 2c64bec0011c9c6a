import Content
import Interchange

/// Reads the records of the library that a backup contains; never writes to the backup's folder.
///
/// The backup is first put together in a temporary folder, and the library format reads it there. Places and messages
/// name the backup: `nightly.fleetpack/data/library.sqlite#checklists/…`.
public final class SnapshotReader: ContentReader {
  private let folder: TemporaryFolder
  private let reader: any ContentReader
  /// The backup's description.
  public let info: BackupInfo

  /// Opens a backup.
  /// - Parameter library: the format of libraries.
  /// - Throws: `RunFailure` as `SnapshotAssembly.assemble`, and if its library cannot be read.
  public init(_ source: Source, library: any Format, context: RunContext) throws {
    folder = try TemporaryFolder()
    let snapshot = try SnapshotAssembly(source.path).assemble(into: folder.path)
    info = snapshot.info
    reader = try library.reader(
      of: Source(snapshot.library, name: source.path + "/" + BackupInfo.Path.library), context: context)
  }

  /// Returns the next records.
  public func next() throws -> RecordBatch? { try reader.next() }

  /// The progress of reading the library.
  public var progress: (done: Int, total: Int?) { reader.progress }
}
