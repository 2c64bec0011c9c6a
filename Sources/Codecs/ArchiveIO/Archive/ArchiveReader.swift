import Interchange

/// Reads the files of an archive one after the other, or of a folder in the order of their names.
///
/// Everything about an archive is hostile until it is shown to be harmless: names, links, sizes, ratios, numbers of
/// entries. Memory is bounded by a few frames.
public final class ArchiveReader {
  /// The archive as the user named it.
  public let path: String
  /// How it is packed.
  public let kind: ArchiveKind

  /// Opens an archive.
  /// - Throws: `RunFailure` with status 2 when it cannot be read, 5 when it is damaged.
  public init(_ path: String, limits: ArchiveLimits = .standard) throws {
    self.path = path
    kind = .fleetpack
    throw RunFailure(.internalError, "archives cannot be read yet")
  }

  /// The next file; nil at the end. Folders are checked and passed over, content that nobody took is skipped.
  /// - Throws: `RunFailure`: 2 when the archive is refused as hostile, 5 when it is damaged; the message names the
  ///   entry or the offset.
  public func next() throws -> ArchiveEntry? { nil }

  /// Hands out the content of the current file, piece by piece.
  public func read(_ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {}

  /// The content of the current file.
  /// - Throws: `RunFailure` with status 2 when it has more than `limit` bytes.
  public func bytes(limit: Int) throws -> [UInt8] { [] }

  /// How many bytes of the archive were read, and how many it has; of a folder, of its files.
  public var progress: (done: Int, total: Int?) { (0, nil) }
}
