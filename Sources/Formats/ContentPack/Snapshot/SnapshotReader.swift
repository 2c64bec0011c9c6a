import Content
import Interchange

/// Reads the records of the library that a backup holds; never writes beside the backup.
///
/// The backup is put together in a temporary folder first and read there by the format of libraries. Places and
/// messages name the backup: `nightly.fleetpack/data/library.sqlite#checklists/…`.
public final class SnapshotReader: ContentReader {
  private let folder: TemporaryFolder
  private let reader: any ContentReader
  /// What the backup says about itself.
  public let info: BackupInfo

  /// Opens a backup.
  /// - Parameter library: the format of libraries.
  /// - Throws: `RunFailure` as `SnapshotAssembly.assemble`, and when the library in it cannot be read.
  public init(_ source: Source, library: any Format, context: RunContext) throws {
    folder = try TemporaryFolder()
    let snapshot = try SnapshotAssembly(source.path).assemble(into: folder.path)
    info = snapshot.info
    reader = try library.reader(
      of: Source(snapshot.library, name: source.path + "/" + BackupInfo.Path.library), context: context)
  }

  /// The next records.
  public func next() throws -> RecordBatch? { try reader.next() }

  /// How far the reading of the library is.
  public var progress: (done: Int, total: Int?) { reader.progress }
}
