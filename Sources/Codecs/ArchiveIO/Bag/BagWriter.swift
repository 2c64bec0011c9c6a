import Interchange

/// Writes a bag: payload files as they come, then what stands before them in the finished archive.
///
/// The archive begins with the first payload file, `bagit.txt`, `bag-info.txt` and the manifests, then has the other
/// files in the order in which they were added. The same content gives the same bytes. Nothing is visible under the
/// target's name before `finish`.
/// - Source: RFC 8493
public final class BagWriter {
  /// Begins a bag.
  /// - Parameters:
  ///   - target: the file, or the folder, that it becomes.
  ///   - kind: how it is packed.
  ///   - time: the time of all files in seconds since 1970; nil for none, which is 1980-01-01.
  ///   - mode: who may read the finished file.
  /// - Throws: `RunFailure` with status 4 when something of that name is there, 2 when it cannot be written.
  public init(
    _ target: String, kind: ArchiveKind, overwrites: Bool = false, time: Int64? = nil, mode: UInt32 = 0o644,
    level: Int = 3
  ) throws {
    throw RunFailure(.internalError, "archives cannot be written yet")
  }

  /// Adds a payload file of bytes.
  /// - Parameter path: below `data/`.
  @discardableResult
  public func add(_ path: String, _ bytes: UnsafeBufferPointer<UInt8>) throws -> BagMember {
    throw RunFailure(.internalError, "archives cannot be written yet")
  }

  /// Adds a file of the disk, which must stay as it is until the bag is finished.
  /// - Parameter path: below `data/`.
  @discardableResult
  public func add(_ path: String, file: String) throws -> BagMember {
    throw RunFailure(.internalError, "archives cannot be written yet")
  }

  /// The files that were added so far, in order.
  public var members: [BagMember] { [] }

  /// Completes the bag under its temporary name.
  /// - Parameters:
  ///   - first: the payload file that stands first in the archive, with its path below `data/`.
  ///   - info: what `bag-info.txt` says beside Payload-Oxum.
  public func prepare(first: (path: String, bytes: [UInt8]), info: BagInfo) throws {}

  /// Gives the bag its name.
  /// - Returns: how many bytes the file, or all files of the folder, have.
  public func finish() throws -> Int { 0 }

  /// Removes everything that was written.
  public func abort() {}
}
