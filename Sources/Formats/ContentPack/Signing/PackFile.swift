import ArchiveIO
import Foundation
import Interchange
import Minisign

/// A pack as one file: the checksums of its bytes, and its description.
public struct PackFile: Sendable {
  /// The checksums of its bytes.
  public let fingerprint: FileFingerprint
  /// The content of `data/pack.json`.
  public let info: PackInfo

  /// The file as the user named it.
  public var path: String { fingerprint.path }

  /// The version and checksum by which other versions refer to it; nil for a pack without a version, such as a backup.
  public var identity: PackPrevious? {
    info.version.map { PackPrevious(version: $0, sha256: fingerprint.sha256) }
  }

  /// Reads a file once in full, and once from its beginning up to `data/pack.json`.
  /// - Throws: `RunFailure`: 64 if it is not a file, 2 if it cannot be read or has no description, 5 if it is damaged
  ///   or was changed meanwhile, 6 if it requires a newer reader.
  public init(_ path: String, onProgress: ((Int, Int?) -> Void)? = nil) throws {
    try self.init(FileFingerprint(path, onProgress: onProgress))
  }

  /// Reads the description of a file whose checksums are known already.
  /// - Throws: as `init(_:onProgress:)`.
  public init(_ fingerprint: FileFingerprint) throws {
    guard let info = try Self.info(of: fingerprint.path) else {
      throw RunFailure(
        .failed, "read '\(fingerprint.path)': it is not a content pack: it is a backup, or has no \(PackInfo.path)",
        advice: "Packs are made with 'fleetkit pack build'; plain minisign signs any other file.")
    }
    try fingerprint.requireUnchanged()
    self.fingerprint = fingerprint
    self.info = info
  }

  /// The largest accepted size of `data/pack.json`: 100 000 items take a quarter of this.
  private static let longestInfo = 128 << 20

  /// Returns the content of `data/pack.json`; nil if there is none, or if it describes a backup, which has no version.
  public static func info(of path: String) throws -> PackInfo? {
    let reader = try ArchiveReader(path)
    while let entry = try reader.next() {
      try Interruption.check()
      guard entry.path.utf8.elementsEqual(PackInfo.path.utf8) else { continue }
      let text = try reader.bytes(limit: longestInfo)
      return PackHead.isBackup(text) ? nil : try PackInfo(parsing: text, file: path + "/" + entry.path)
    }
    return nil
  }
}
