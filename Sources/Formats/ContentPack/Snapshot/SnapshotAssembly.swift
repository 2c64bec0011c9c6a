import Interchange

/// Puts a backup together: unpacks it, finds the backups that an incremental one needs, and applies their changes.
///
/// Every byte is held against its checksum first. Nothing outside the folder is written.
public struct SnapshotAssembly: Sendable {
  /// What is written out beside the library and the index.
  public struct Parts: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Makes a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What lies beside the library.
    public static let state = Parts(rawValue: 1)
    /// The bytes of attachments.
    public static let media = Parts(rawValue: 2)
    /// Everything.
    public static let all: Parts = [.state, .media]
  }

  /// The backup as the user named it.
  public let path: String
  /// What is written out.
  public var parts = Parts.all

  /// Plans to put a backup together.
  public init(_ path: String, parts: Parts = .all) {
    self.path = path
    self.parts = parts
  }

  /// Puts it together.
  ///
  /// The folder gets `library.sqlite`, `index.jsonl`, `library.sqlite.fleetkit/state.sqlite` and
  /// `library.sqlite.fleetkit/media/…`, which is how a library lies with what belongs to it.
  /// - Parameters:
  ///   - folder: an empty folder that only its owner can read.
  ///   - onProgress: called now and then with what is done, bytes done and bytes in all.
  /// - Throws: `RunFailure`: 2 when the backup, or one that it needs, is missing or cannot be read, 5 when something
  ///   is not what its checksum says, 6 when it is newer than this FleetKit.
  public func assemble(
    into folder: String, onProgress: (@Sendable (String, Int, Int) -> Void)? = nil
  ) throws -> AssembledSnapshot {
    throw RunFailure(.internalError, "backups cannot be put together yet")
  }
}
